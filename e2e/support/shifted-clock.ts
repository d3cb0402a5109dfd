import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A service looks at its clock four times a second, and then asks its database. */
const SEEN_WITHIN_MS = 700;
const ROOT = path.resolve(__dirname, '../..');

/**
 * A wall clock that a whole system goes by and a test moves: libfaketime in every process, the
 * database's too. Monotonic time stays, and with it timers, timeouts and leases of a process's own.
 * NATS does not take part, which shows nowhere: what it keeps has no time that a service reads.
 */
export class ShiftedClock {
  /** For the environment of the system. */
  readonly environment: Record<string, string>;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'clock-'));
  readonly #file = path.join(this.#folder, 'offset');
  #offset_ms = 0;

  constructor() {
    const found = execFileSync(process.execPath, [path.join(ROOT, 'tools/ensure-faketime.mjs')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#write();
    this.environment = {
      LD_PRELOAD: found.trim(),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // The file is read at each look at the clock: a cache would be of a second or two.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** What the system's clocks show. */
  now_ms(): number {
    return Date.now() + this.#offset_ms;
  }

  /** A moment from now, as the API writes it. */
  in(ms: number): string {
    return new Date(this.now_ms() + ms).toISOString();
  }

  /** Moves all clocks so that they show this moment; resolves when services go by it. */
  async set(at_ms: number): Promise<void> {
    this.#offset_ms = at_ms - Date.now();
    this.#write();
    await sleep(SEEN_WITHIN_MS);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(): void {
    // In one step: nobody reads half an offset.
    const next = `${this.#file}.next`;
    writeFileSync(next, `${this.#offset_ms < 0 ? '' : '+'}${this.#offset_ms / 1_000}`);
    renameSync(next, this.#file);
  }
}
