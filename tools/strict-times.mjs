// Holds times to what google.protobuf.Timestamp allows, the years 1 to 9999: others cannot be written as RFC 3339,
// and a message that has one cannot be decoded.
import { eachGenerated } from './bare-enums.mjs';

const LOOSE = /return new globalThis\.Date\(millis\)\.toISOString\(\);/;
const STRICT = `if (!(millis >= -62135596800000 && millis <= 253402300799999)) {
    throw new globalThis.RangeError("a time is out of range");
  }
  return new globalThis.Date(millis).toISOString();`;

/** The generated file with a function of times that refuses. */
export function withStrictTimes(source) {
  return source.replace(LOOSE, STRICT);
}

/** Rewrites every generated file below the folder. */
export function strictTimesBelow(folder) {
  eachGenerated(folder, withStrictTimes);
}
