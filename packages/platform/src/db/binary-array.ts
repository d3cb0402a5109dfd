import pg from 'pg';

const { builtins } = pg.types;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
const UUID_BYTES = 16;
const UUID_LENGTH = 36;
const HIGH_WORD = 0x1_0000_0000;
/** Times count in microseconds from the year 2000 on. */
const EPOCH_MS = Date.parse('2000-01-01T00:00:00.000Z');
const MICROSECONDS = 1_000;

/** How one type's values are written. */
interface Elements {
  readonly oid: number;
  /** How many bytes a value takes; undefined of one that cannot be written. */
  sizeOf(value: unknown): number | undefined;
  /** How many bytes it took; undefined when the value cannot be written. */
  write(bytes: Buffer, at: number, value: unknown): number | undefined;
}

function ofSize(
  oid: number,
  size_bytes: number,
  write: (bytes: Buffer, at: number, value: unknown) => boolean,
): Elements {
  return {
    oid,
    sizeOf: () => size_bytes,
    write: (bytes, at, value) => (write(bytes, at, value) ? size_bytes : undefined),
  };
}

// What has a fixed size costs the server a fraction of its text, times above all, and JSON is nearly
// all quotes, each of which the text of an array escapes. Other text is as short in an array's text.
const ELEMENTS = {
  uuid: ofSize(builtins.UUID, UUID_BYTES, writeUuid),
  timestamptz: ofSize(builtins.TIMESTAMPTZ, 8, writeTime),
  bigint: ofSize(
    builtins.INT8,
    8,
    (bytes, at, value) => typeof value === 'bigint' && writeInt64(bytes, at, Number(value)),
  ),
  integer: ofSize(builtins.INT4, 4, (bytes, at, value) => {
    if (typeof value !== 'number' || (value | 0) !== value) return false;
    bytes.writeInt32BE(value, at);
    return true;
  }),
  boolean: ofSize(builtins.BOOL, 1, (bytes, at, value) => {
    if (typeof value !== 'boolean') return false;
    bytes[at] = value ? 1 : 0;
    return true;
  }),
  json: {
    oid: builtins.JSON,
    sizeOf: (value) => (typeof value === 'string' ? Buffer.byteLength(value) : undefined),
    write: (bytes, at, value) => bytes.write(value as string, at),
  },
  bytea: {
    oid: builtins.BYTEA,
    sizeOf: (value) => (Buffer.isBuffer(value) ? value.length : undefined),
    write: (bytes, at, value) => (value as Buffer).copy(bytes, at),
  },
} satisfies Readonly<Record<string, Elements>>;

/** The types whose arrays are shorter, or read faster, in binary. */
export type BinaryType = keyof typeof ELEMENTS;

export function isBinaryType(type: string): type is BinaryType {
  return Object.hasOwn(ELEMENTS, type);
}

/**
 * Values as PostgreSQL's binary form of an array of their type. Undefined where one of them is not
 * what it should be: as text it makes the server say what is wrong with it.
 */
export function binaryArray(type: BinaryType, values: readonly unknown[]): Buffer | undefined {
  const elements: Elements = ELEMENTS[type];
  let size_bytes = HEADER_BYTES + LENGTH_BYTES * values.length;
  let has_null = 0;
  for (const value of values) {
    if (value === undefined || value === null) {
      has_null = 1;
      continue;
    }
    const value_bytes = elements.sizeOf(value);
    if (value_bytes === undefined) return undefined;
    size_bytes += value_bytes;
  }
  const bytes = Buffer.allocUnsafe(size_bytes);
  let at = 0;
  // Dimensions, whether there is a null, the elements' type, how many, the first one's index.
  for (const part of [1, has_null, elements.oid, values.length, 1]) {
    at = bytes.writeInt32BE(part, at);
  }
  for (const value of values) {
    if (value === undefined || value === null) {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const value_bytes = elements.write(bytes, at + LENGTH_BYTES, value);
    if (value_bytes === undefined) return undefined;
    at = bytes.writeInt32BE(value_bytes, at) + value_bytes;
  }
  return bytes;
}

/** By a character's code: its value as a hexadecimal digit, -1 of what is none. */
const HEX = Int8Array.from({ length: 128 }, (_unused, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** In the form that this network writes: with dashes. */
function writeUuid(bytes: Buffer, at: number, value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== UUID_LENGTH) return false;
  let place = at;
  for (let index = 0; index < UUID_LENGTH; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (value[index] !== '-') return false;
      index += 1;
    }
    const high = HEX[value.charCodeAt(index)] ?? -1;
    const low = HEX[value.charCodeAt(index + 1)] ?? -1;
    if (high < 0 || low < 0) return false;
    bytes[place] = high * 16 + low;
    place += 1;
  }
  return true;
}

function writeInt64(bytes: Buffer, at: number, value: number): boolean {
  if (!Number.isSafeInteger(value)) return false;
  const high = Math.floor(value / HIGH_WORD);
  bytes.writeInt32BE(high, at);
  bytes.writeUInt32BE(value - high * HIGH_WORD, at + 4);
  return true;
}

/** `2026-11-28T00:44:04.123Z`: what has another form may say more than milliseconds. */
const TIME_LENGTH = 24;

let last_time = '';
let last_ms = 0;

function writeTime(bytes: Buffer, at: number, value: unknown): boolean {
  // Most rows of a batch repeat its time.
  if (value !== last_time) {
    if (typeof value !== 'string' || value.length !== TIME_LENGTH) return false;
    const at_ms = Date.parse(value);
    // A day that does not exist parses as another.
    if (Number.isNaN(at_ms) || new Date(at_ms).toISOString() !== value) return false;
    last_time = value;
    last_ms = at_ms;
  }
  return writeInt64(bytes, at, (last_ms - EPOCH_MS) * MICROSECONDS);
}
