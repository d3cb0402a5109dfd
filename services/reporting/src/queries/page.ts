import { invalid } from '@credit/platform/errors';
import type { Page } from '@credit/platform/requests';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** 0 is proto's way of saying nothing. */
export function pageLimit(limit: number): number {
  if (limit === 0) return DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `must be between 1 and ${MAX_LIMIT}`);
  return limit;
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
