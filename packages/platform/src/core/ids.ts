import { randomFillSync } from 'node:crypto';

/** Of one id; asking the system for as much each time costs more than all else about the id. */
const RANDOM_BYTES = 10;
const POOLED_IDS = 256;
const pool = Buffer.alloc(RANDOM_BYTES * POOLED_IDS);
let taken_bytes = pool.length;

let last_ms = 0;
/** Within a millisecond ids count up from a random 31-bit number. */
let sequence = 0;

/** A new UUIDv7: a process's ids sort in the order in which they were made, even if its clock goes back. */
export function newId(): string {
  if (taken_bytes === pool.length) {
    randomFillSync(pool);
    taken_bytes = 0;
  }
  const at = taken_bytes;
  taken_bytes += RANDOM_BYTES;
  const now_ms = Date.now();
  if (now_ms > last_ms) {
    last_ms = now_ms;
    sequence = pool.readUInt32BE(at) >>> 1;
  } else if (sequence === 0xffff_ffff) {
    last_ms += 1;
    sequence = 0;
  } else {
    sequence += 1;
  }
  // 48 bits of time, version, 12 bits of the sequence, variant, 20 bits of it, 42 random bits.
  const time = hex(last_ms, 12);
  const high = hex(0x7000 + (sequence >>> 20), 4);
  const middle = hex(0x8000 + ((sequence >>> 6) & 0x3fff), 4);
  const low = (sequence & 0x3f) * 4 + (pool.readUInt8(at + 4) & 3);
  const tail = pool.toString('hex', at + 5, at + 10);
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${middle}-${hex(low, 2)}${tail}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
