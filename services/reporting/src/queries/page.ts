import { decodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';

/** Part of a listing and, when there is more, where the next part begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | undefined;
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** 0 is proto's way of saying nothing. */
export function pageLimit(limit: number): number {
  if (limit === 0) return DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `must be between 1 and ${MAX_LIMIT}`);
  return limit;
}

/** The id as the database writes it; 422 when it is none. */
export function uuidFrom(path: string, text: string): string {
  if (!isUuid(text)) throw invalid(path, 'must be a UUID');
  return text.toLowerCase();
}

/** The id that a cursor of one id holds. */
export function idFromCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [id = ''] = decodeCursor(cursor, 1);
  if (!isUuid(id)) throw invalid('cursor', 'is not a cursor of this listing');
  return id;
}

/** The page out of one row more than it holds. */
export function pageOf<Item>(
  rows: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, next_cursor: more ? cursorOf(last) : undefined };
}
