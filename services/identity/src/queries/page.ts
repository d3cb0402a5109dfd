import { decodeCursor, encodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';

/** A page of a listing. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | undefined;
}

/** A page of a listing that also says how many rows there are. */
export interface CountedPage<Row> extends Page<Row> {
  readonly total_count: number;
}

/** Which page. */
export interface PageRequest {
  /** 0 for the default. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
/** Reads one row more than the page holds, to know whether another follows. */
export async function readPage<Row>(
  request: PageRequest,
  read: (limit: number) => Promise<Row[]>,
  cursorOf: (last: Row) => string[],
): Promise<Page<Row>> {
  const limit = request.limit === 0 ? DEFAULT_LIMIT : request.limit;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `must be from 1 to ${MAX_LIMIT}`);
  const rows = await read(limit + 1);
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next_cursor: undefined };
  return { rows: rows.slice(0, limit), next_cursor: encodeCursor(cursorOf(last)) };
}

/** The id that a page of a listing by id begins after. */
export function idCursor(request: PageRequest): string | null {
  if (request.cursor === undefined) return null;
  const [id = ''] = decodeCursor(request.cursor, 1);
  return assertId(id);
}

/** The two values that a page of a listing by those begins after. */
export function pairCursor(request: PageRequest): { first: string; id: string } | null {
  if (request.cursor === undefined) return null;
  const [first = '', id = ''] = decodeCursor(request.cursor, 2);
  // PostgreSQL's text holds no NUL.
  if (first.includes('\0')) throw invalid('cursor', 'is not a cursor of this listing');
  return { first, id: assertId(id) };
}

/** A cursor is the caller's text: what is no id must not reach the database. */
function assertId(id: string): string {
  if (!isUuid(id)) throw invalid('cursor', 'is not a cursor of this listing');
  return id;
}
