const WIDTH = 30;

/** A bar on a terminal, a line every tenth part elsewhere. */
export class Progress {
  private done = 0;
  private shown_tenth = -1;

  constructor(
    private readonly total: number,
    private readonly unit: string,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {}

  /** Counts `count` more as done; `note` says what else there is to know. */
  add(count: number, note: string): void {
    this.done += count;
    const share = this.total === 0 ? 1 : this.done / this.total;
    if (this.stream.isTTY) {
      const filled = Math.round(share * WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      this.stream.write(`\r${bar} ${this.done}/${this.total} ${this.unit}  ${note}  `);
      if (this.done >= this.total) this.stream.write('\n');
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth === this.shown_tenth) return;
    this.shown_tenth = tenth;
    this.stream.write(`${this.done}/${this.total} ${this.unit}  ${note}\n`);
  }
}
