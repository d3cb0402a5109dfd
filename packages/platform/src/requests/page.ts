import { decodeCursor, encodeCursor } from '../db';
import { type AppError, invalid } from '../errors';
import { isUuid } from '../values';

/** Part of a listing and, when there is more, where the next part begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | undefined;
}

/** A page of a listing that also says how many items there are on all pages together. */
export interface CountedPage<Item> extends Page<Item> {
  readonly total_count: number;
}

/** Which page is wanted. */
export interface PageRequest {
  /** 0 is proto's way of saying nothing. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const BOUNDS = { fallback: 25, maximum: 100 };

/** How many items are wanted; VALIDATION_ERROR at `limit` when a page cannot hold them. */
export function pageLimit(asked: number, { fallback, maximum } = BOUNDS): number {
  const limit = asked === 0 ? fallback : asked;
  if (limit < 1 || limit > maximum) throw invalid('limit', `must be between 1 and ${maximum}`);
  return limit;
}

/** Reads a page, by one row more than it holds: that one says whether another follows. */
export async function readPage<Item>(
  request: PageRequest,
  read: (limit: number) => Promise<readonly Item[]>,
  cursorOf: (last: Item) => readonly string[],
  bounds = BOUNDS,
): Promise<Page<Item>> {
  const limit = pageLimit(request.limit, bounds);
  const rows = await read(limit + 1);
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items: rows, next_cursor: undefined };
  return { items: rows.slice(0, limit), next_cursor: encodeCursor(cursorOf(last)) };
}

/** What a text that is no cursor of the listing is refused with. */
export function cursorFault(): AppError {
  return invalid('cursor', 'is not a cursor of this listing');
}

/** The id that a cursor of one id holds: the caller's text, so what is no id is refused. */
export function idFromCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [id = ''] = decodeCursor(cursor, 1);
  if (!isUuid(id)) throw cursorFault();
  return id;
}
