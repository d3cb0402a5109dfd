/** Q, its length, and the text with its end: a simple query, as transactions are ended by. */
const SIMPLE = Buffer.from('Q\0\0\0\x0bCOMMIT\0');
/** Within the parsing of a prepared statement, whose name comes before. */
const PARSED = Buffer.from('\0COMMIT\0');

/**
 * Where in what a client of PostgreSQL sends a commit begins and ends. One that lies over two packets
 * is missed: it is cut another time.
 */
export function commitIn(chunk: Buffer): { begin: number; end: number } | undefined {
  const simple = chunk.indexOf(SIMPLE);
  if (simple >= 0) return { begin: simple, end: simple + SIMPLE.length };
  const parsed = chunk.indexOf(PARSED);
  // With the messages that carry it out, all of which came with it.
  return parsed < 0 ? undefined : { begin: 0, end: chunk.length };
}
