import { decodeCursor } from '@credit/platform/db';
import { cursorFault, type PageRequest } from '@credit/platform/requests';
import { isUuid } from '@credit/platform/values';

/** The two values that a page of a listing by those begins after. */
export function pairCursor({ cursor }: PageRequest): { first: string; id: string } | undefined {
  if (cursor === undefined) return undefined;
  const [first = '', id = ''] = decodeCursor(cursor, 2);
  // PostgreSQL's text holds no NUL; what is no id must not reach the database either.
  if (first.includes('\0') || !isUuid(id)) throw cursorFault();
  return { first, id };
}
