import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, encodeCursor } from '@credit/platform/db';
import { invalid, requestError } from '@credit/platform/errors';
import { pageLimit } from '@credit/platform/requests';
import { isUuid } from '@credit/platform/values';
import { parseFeedEventName } from '../domain/event-catalogue';
import { FEED_DAYS } from '../domain/retention';
import { findFeedPosition, listFeedRows } from '../store/feed';

const BOUNDS = { fallback: 100, maximum: 100 };

/** Part of a feed. */
export interface Feed {
  readonly events: readonly { id: string; body: string }[];
  /** Where to go on. */
  readonly next_after: string;
  readonly has_more: boolean;
}

/**
 * An institution's events after a cursor, oldest first. Reading on from each answer's
 * `next_after` misses nothing, whatever commits meanwhile; a reader that comes back
 * too late is told so instead of being led past what is gone.
 */
export async function listFeed(
  db: Database,
  ctx: CallContext,
  query: {
    institution_id: string;
    after: string | undefined;
    type: string | undefined;
    limit: number;
  },
): Promise<Feed> {
  const { institution_id } = query;
  const limit = pageLimit(query.limit, BOUNDS);
  const after =
    query.after === undefined ? undefined : await positionOf(db, ctx, institution_id, query.after);
  const page = await listFeedRows(db.read(ctx), {
    institution_id,
    after_position: after ?? 0n,
    type: query.type === undefined ? undefined : parseFeedEventName(query.type),
    limit: limit + 1,
  });
  if (after !== undefined && after < page.swept_position) throw keptNoLonger();
  // A restored database may know less than a reader; it must not skip what comes now.
  if (after !== undefined && after > page.last_position) throw notACursor();
  const shown = page.events.slice(0, limit);
  const has_more = page.events.length > limit;
  const end = has_more ? shown.at(-1)?.position : page.last_position;
  return {
    events: shown.map(({ event_id, body }) => ({ id: event_id, body })),
    next_after: encodeCursor([ctx.environment, institution_id, String(end)]),
    has_more,
  };
}

/**
 * Where a cursor or an event stands in the feed. A cursor of another feed would lead past
 * events of this one; an event that is not in it is another's or gone, and not told apart.
 */
async function positionOf(
  db: Database,
  ctx: CallContext,
  institution_id: string,
  cursor: string,
): Promise<bigint> {
  if (isUuid(cursor)) {
    const position = await findFeedPosition(db.read(ctx), institution_id, cursor);
    if (position === undefined) throw keptNoLonger();
    return position;
  }
  let values: string[];
  try {
    values = decodeCursor(cursor, 3);
  } catch {
    throw notACursor();
  }
  const [environment, owner, position = ''] = values;
  if (environment !== ctx.environment || owner !== institution_id || !/^\d{1,18}$/.test(position)) {
    throw notACursor();
  }
  return BigInt(position);
}

function keptNoLonger() {
  return requestError(
    `What \`after\` names is not in the feed, or no longer: it holds ${FEED_DAYS} days. ` +
      'Leave `after` out to begin with the oldest event that is left.',
    'CURSOR_EXPIRED',
  );
}

function notACursor() {
  return invalid('after', 'is not a cursor of this feed');
}
