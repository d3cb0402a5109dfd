import { NewEvent } from '@credit/proto/reporting/v1/reporting';

const event = (occurred_at: string): NewEvent => ({
  ...NewEvent.decode(new Uint8Array()),
  occurred_at,
});
const there = (text: string) => NewEvent.encode(event(text)).finish();
const back = (bytes: Uint8Array) => NewEvent.decode(bytes).occurred_at;

/** An event whose time has so many seconds, as protobuf writes it: field 3, of it field 1. */
function withSeconds(seconds: bigint): Uint8Array {
  const digits: number[] = [];
  for (let rest = BigInt.asUintN(64, seconds); ; rest >>= 7n) {
    const digit = Number(rest & 0x7fn);
    if (rest < 0x80n) {
      digits.push(digit);
      break;
    }
    digits.push(digit | 0x80);
  }
  return Uint8Array.from([0x1a, digits.length + 1, 0x08, ...digits]);
}

test('times cross the wire as they are, however many take turns', () => {
  const day_ms = 86_400_000;
  const times = Array.from({ length: 400 }, (_unused, index) => [
    Date.parse('2026-01-01T00:00:00.000Z') - index * day_ms,
    index * 61,
    -index * 1_001,
    Date.parse('9999-12-31T23:59:59.999Z') - index,
  ]).flat();
  for (const at_ms of [...times, ...times.toReversed()]) {
    const text = new Date(at_ms).toISOString();
    expect(back(there(text))).toBe(text);
  }
});

test('what is no time is not sent, and none outside the years 1 to 9999 is read', () => {
  expect(() => there('yesterday')).toThrow(RangeError);
  expect(back(withSeconds(-62_135_596_800n))).toBe('0001-01-01T00:00:00.000Z');
  expect(() => back(withSeconds(-62_135_596_801n))).toThrow('a time is out of range');
  expect(() => back(withSeconds(253_402_300_800n))).toThrow('a time is out of range');
});
