import { decodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';

/** The bounds of a listing. */
export interface PageBounds {
  readonly fallback: number;
  readonly maximum: number;
}

/** How many rows are wanted; 0 is proto's way of saying nothing. */
export function pageLimit(limit: number, { fallback, maximum }: PageBounds): number {
  if (limit === 0) return fallback;
  if (limit < 1 || limit > maximum) throw invalid('limit', `must be between 1 and ${maximum}`);
  return limit;
}

/** The id that a cursor of one id holds. */
export function idFromCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [id = ''] = decodeCursor(cursor, 1);
  if (!isUuid(id)) throw invalid('cursor', 'is not a cursor of this listing');
  return id;
}
