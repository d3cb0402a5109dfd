import { styleText } from 'node:util';

/** Where lines go, and how they look. */
export interface OutputOptions {
  write(text: string): void;
  format: 'line' | 'json';
  colour: boolean;
  verbose: boolean;
}

/** The names that lines begin with, in the width of the longest. */
const NAME_WIDTH = 10;
const COLOURS = [
  'cyan',
  'magenta',
  'blue',
  'green',
  'yellow',
  'cyanBright',
  'magentaBright',
] as const;

type Level = 'debug' | 'info' | 'warn' | 'error';

export interface Output {
  /** A line that a child printed: pino's JSON, or anything. */
  child(name: string, line: string): void;
  /** What the supervisor itself has to say. */
  say(level: Level, message: string): void;
  /** For servers, whose everyday lines only a debugging person wants. */
  server(name: string): { info(m: string): void; warn(m: string): void; error(m: string): void };
  /** Text as it is. */
  plain(text: string): void;
}

export function createOutput(options: OutputOptions): Output {
  const emit = (name: string, level: Level, message: string) => {
    const time = new Date().toISOString();
    options.write(
      options.format === 'json'
        ? `${JSON.stringify({ level, time, service: name, msg: message })}\n`
        : `${renderLine(name, { level, time, msg: message }, options.colour)}\n`,
    );
  };
  return {
    child(name, line) {
      if (line === '') return;
      const record = options.format === 'json' ? undefined : parseRecord(line);
      if (record) options.write(`${renderLine(name, record, options.colour)}\n`);
      else if (options.format === 'json' && line.startsWith('{')) options.write(`${line}\n`);
      else emit(name, 'info', line);
    },
    say(level, message) {
      if (level !== 'debug' || options.verbose) emit('local', level, message);
    },
    server(name) {
      return {
        info: (message) => options.verbose && emit(name, 'info', message),
        warn: (message) => emit(name, 'warn', message),
        error: (message) => emit(name, 'error', message),
      };
    },
    plain: (text) => options.write(text),
  };
}

type LogRecord = Record<string, unknown>;

function parseRecord(line: string): LogRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}

/** One record on one line, `12:34:56.789 reporting  WARN message key=value`; stacks go below. */
export function renderLine(name: string, record: LogRecord, colour: boolean): string {
  const { level, time, msg, service: _, err, ...rest } = record;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const parts = [
    paint('dim', clockTime(time)),
    paint(COLOURS[hash(name) % COLOURS.length] ?? 'cyan', name.padEnd(NAME_WIDTH)),
  ];
  const label = typeof level === 'string' ? level.toUpperCase() : '';
  if (label && label !== 'INFO') parts.push(paint(levelStyle(label), label));
  if (msg !== undefined) parts.push(`${msg}`);
  for (const [key, value] of Object.entries(rest)) {
    parts.push(paint('dim', `${key}=${renderValue(value)}`));
  }
  const fault = describeError(err);
  if (fault.message) parts.push(paint('dim', `err=${renderValue(fault.message)}`));
  return [parts.join(' '), ...fault.stack.map((line) => `    ${line}`)].join('\n');
}

function levelStyle(label: string): 'red' | 'yellow' | 'dim' {
  if (label === 'ERROR' || label === 'FATAL') return 'red';
  return label === 'WARN' ? 'yellow' : 'dim';
}

function clockTime(time: unknown): string {
  const match = typeof time === 'string' ? /T(\d\d:\d\d:\d\d\.\d{3})/.exec(time) : undefined;
  return match?.[1] ?? new Date().toISOString().slice(11, 23);
}

function renderValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'undefined';
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function describeError(err: unknown): { message: string; stack: string[] } {
  if (err === undefined || err === null) return { message: '', stack: [] };
  if (typeof err !== 'object') return { message: `${err}`, stack: [] };
  const { message, stack } = err as { message?: unknown; stack?: unknown };
  const lines = typeof stack === 'string' ? stack.split('\n').map((line) => line.trim()) : [];
  return { message: `${message ?? JSON.stringify(err)}`, stack: lines.slice(1) };
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003;
  return sum;
}
