// Holds times to what google.protobuf.Timestamp allows, the years 1 to 9999: others cannot be written as RFC 3339,
// and a message that has one cannot be decoded. What is sent together says the same few times again and again:
// each is worked out once, and has a place that another takes in its turn.
import { eachGenerated } from './bare-enums.mjs';

const TO =
  /function toTimestamp\(dateStr: string\): Timestamp \{\n[^}]*return \{ seconds, nanos \};\n\}\n/;
const FROM =
  /function fromTimestamp\(t: Timestamp\): string \{\n[^}]*return new globalThis\.Date\(millis\)\.toISOString\(\);\n\}\n/;

const QUICK_TO = `const knownTimestamps: { readonly text: string; readonly time: Timestamp }[] = [];

function toTimestamp(dateStr: string): Timestamp {
  const place = (dateStr.charCodeAt(9) * 7 + dateStr.charCodeAt(21) * 3 + dateStr.charCodeAt(22)) & 63;
  const known = knownTimestamps[place];
  if (known?.text === dateStr) {
    return known.time;
  }
  const millis = globalThis.Date.parse(dateStr);
  const time = { seconds: BigInt(Math.trunc(millis / 1_000)), nanos: (millis % 1_000) * 1_000_000 };
  knownTimestamps[place] = { text: dateStr, time };
  return time;
}
`;

const QUICK_FROM = `const knownTexts: { readonly millis: number; readonly text: string }[] = [];

function fromTimestamp(t: Timestamp): string {
  const millis = globalThis.Number(t.seconds) * 1_000 + (t.nanos || 0) / 1_000_000;
  const place = Math.abs(Math.trunc(millis) % 61);
  const known = knownTexts[place];
  if (known?.millis === millis) {
    return known.text;
  }
  if (!(millis >= -62135596800000 && millis <= 253402300799999)) {
    throw new globalThis.RangeError("a time is out of range");
  }
  const text = new globalThis.Date(millis).toISOString();
  knownTexts[place] = { millis, text };
  return text;
}
`;

/** The generated file with functions of times that refuse, and remember. */
export function withStrictTimes(source) {
  const result = source.replace(TO, QUICK_TO).replace(FROM, QUICK_FROM);
  if (/function (?:to|from)Timestamp/.test(result) && !/knownTimestamps|knownTexts/.test(result)) {
    throw new Error('The generated functions of times have another form.');
  }
  return result;
}

/** Rewrites every generated file below the folder. */
export function strictTimesBelow(folder) {
  eachGenerated(folder, withStrictTimes);
}
