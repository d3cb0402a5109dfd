import { invalid } from '../errors';

/** An opaque text for the last row of a page. */
export function encodeCursor(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** What {@link encodeCursor} packed; VALIDATION_ERROR when it is not `count` texts. */
export function decodeCursor(cursor: string, count: number): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(values) &&
      values.length === count &&
      values.every((value) => typeof value === 'string')
    ) {
      return values;
    }
  } catch {
    // Falls through to the one answer for every malformed cursor.
  }
  throw invalid('cursor', 'is not a cursor of this listing');
}
