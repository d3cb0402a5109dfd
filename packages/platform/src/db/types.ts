import pg from 'pg';

const { builtins } = pg.types;

/**
 * PostgreSQL's text of a timestamptz (connections run in UTC) as RFC 3339 with
 * milliseconds, without going through Date for the common form.
 */
export function parseTimestamp(text: string): string {
  // 2026-11-28 00:44:04.123456+00
  if (text.length >= 22 && text.charCodeAt(10) === 32 && text.endsWith('+00')) {
    const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0').slice(0, 3) : '000';
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
  }
  return new Date(text).toISOString();
}

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, (text) => BigInt(text)],
  [builtins.TIMESTAMPTZ, parseTimestamp],
]);

/** How rows come out: int8 as bigint, timestamptz as RFC 3339 text. */
export const rowTypes: pg.CustomTypesConfig = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape of pg's own interface
  getTypeParser(oid: number, format?: any): any {
    const own = format === 'binary' ? undefined : parsers.get(oid);
    return own ?? pg.types.getTypeParser(oid, format);
  },
};
