/** One simple command: its words without their quotes, variables as they are written. */
export type Words = readonly string[];

const KEYWORDS = new Set([
  'while',
  'do',
  'done',
  'if',
  'then',
  'else',
  'fi',
  'esac',
  '{',
  '}',
  '!',
]);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** The simple commands of a script, those of pipes, functions and substitutions too. */
export function commandsOf(script: string): Words[] {
  return new Reader(script).read();
}

class Reader {
  private at = 0;
  private words: string[] = [];
  private word: string | undefined;
  /** The next word is where something is read from or written to. */
  private redirected = false;
  private readonly commands: Words[] = [];

  constructor(private readonly script: string) {}

  read(): Words[] {
    while (this.at < this.script.length) this.step();
    this.endCommand();
    return this.commands;
  }

  private step(): void {
    const char = this.script.charAt(this.at);
    const next = this.script.charAt(this.at + 1);
    this.at += 1;
    if (char === '\\') {
      this.at += 1;
      if (next !== '\n') this.add(next);
    } else if (char === "'") {
      this.add(this.until("'"));
    } else if (char === '"') {
      this.quoted();
    } else if (char === '$') {
      this.variable();
    } else if (char === '#' && this.word === undefined) {
      this.until('\n');
      this.endCommand();
    } else if (char === ' ' || char === '\t') {
      this.endWord();
    } else if (char === '<' || char === '>') {
      if (this.word !== undefined && /^\d$/.test(this.word)) this.word = undefined;
      this.endWord();
      while ('&<>'.includes(this.script.charAt(this.at) || ' ')) this.at += 1;
      this.redirected = true;
    } else if (char === '(' && next === ')') {
      // The name of a function.
      this.at += 1;
      this.word = undefined;
      this.words = [];
    } else if (';|&\n()'.includes(char)) {
      this.endCommand();
      if (char === ';' && next === ';') {
        this.at += 1;
        this.pattern();
      }
    } else {
      this.add(char);
    }
  }

  /** Between double quotes. */
  private quoted(): void {
    this.add('');
    while (this.at < this.script.length) {
      const char = this.script.charAt(this.at);
      this.at += 1;
      if (char === '"') return;
      if (char === '\\') {
        this.add(this.script.charAt(this.at));
        this.at += 1;
      } else if (char === '$') this.variable();
      else this.add(char);
    }
  }

  /** After a dollar sign: what it gives stands as it is written; what is run in it is run too. */
  private variable(): void {
    const open = this.script.charAt(this.at);
    const close = open === '(' ? ')' : open === '{' ? '}' : undefined;
    if (close === undefined) {
      this.add('$');
      return;
    }
    const begin = this.at + 1;
    let depth = 0;
    do {
      const char = this.script.charAt(this.at);
      if (char === open) depth += 1;
      if (char === close) depth -= 1;
      this.at += 1;
    } while (depth > 0 && this.at < this.script.length);
    const inner = this.script.slice(begin, this.at - 1);
    this.add(`$${open}${inner}${close}`);
    const arithmetic = inner.startsWith('(');
    if (open === '(' && !arithmetic) this.commands.push(...commandsOf(inner));
  }

  private until(end: string): string {
    const found = this.script.indexOf(end, this.at);
    const text = this.script.slice(this.at, found < 0 ? undefined : found);
    this.at = found < 0 ? this.script.length : found + end.length;
    return text;
  }

  /** A branch of `case` begins with what it is for. */
  private pattern(): void {
    if (!this.script.slice(this.at).trimStart().startsWith('esac')) this.until(')');
  }

  private add(text: string): void {
    this.word = (this.word ?? '') + text;
  }

  private endWord(): void {
    const { word } = this;
    if (word === undefined) return;
    this.word = undefined;
    if (this.redirected) {
      this.redirected = false;
      return;
    }
    const first = this.words.length === 0;
    if (first && (KEYWORDS.has(word) || ASSIGNMENT.test(word))) return;
    this.words.push(word);
    if (word === 'in' && this.words[0] === 'case') {
      this.words = [];
      this.pattern();
    }
  }

  private endCommand(): void {
    this.endWord();
    this.redirected = false;
    if (this.words.length > 0) this.commands.push(this.words);
    this.words = [];
  }
}
