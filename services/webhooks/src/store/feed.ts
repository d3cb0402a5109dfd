import {
  batchStatement,
  column,
  columns,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import type { EventName, FeedEventName } from '@credit/platform/values';

const ENTITLEMENT = columns({
  institution_id: column('uuid'),
  event_id: column('uuid'),
  event_type: column<'text', FeedEventName>('text'),
  event_created_at: column('timestamptz'),
});

/** That an institution may hear of an event. */
export type Entitlement = RowOf<typeof ENTITLEMENT>;

/** A part of a feed as of one moment. */
export interface FeedPage {
  /** Everything up to here is visible or swept. */
  readonly last_position: bigint;
  readonly swept_position: bigint;
  /** Oldest first. */
  readonly events: readonly { position: bigint; event_id: string; body: string }[];
}

// Heads are locked in order of their institutions, so that two plans cannot wait
// for each other. An event that is in a feed already gets no second position; one
// that comes twice at once, which the inbox rules out, would leave a gap at most.
const APPEND = batchStatement(
  'feed_append',
  { entitlements: ENTITLEMENT },
  ({ entitlements }) =>
    `WITH entitled AS (
     SELECT DISTINCT ON (institution_id, event_id) *
     FROM unnest(${entitlements}) AS entitled (${ENTITLEMENT.names()})
   ),
   fresh AS MATERIALIZED (
     SELECT entitled.*,
       row_number() OVER (PARTITION BY institution_id ORDER BY event_id) AS place,
       count(*) OVER (PARTITION BY institution_id) AS places
     FROM entitled
     WHERE NOT EXISTS (
       SELECT FROM feed
       WHERE feed.institution_id = entitled.institution_id AND feed.event_id = entitled.event_id)
   ),
   heads AS (
     INSERT INTO feed_heads AS head (institution_id, last_position)
     SELECT institution_id, count(*) FROM fresh GROUP BY institution_id ORDER BY institution_id
     ON CONFLICT (institution_id)
       DO UPDATE SET last_position = head.last_position + excluded.last_position
     RETURNING institution_id, last_position
   )
   INSERT INTO feed (institution_id, position, event_id, event_type, event_created_at)
   SELECT fresh.institution_id, heads.last_position - fresh.places + fresh.place,
     fresh.event_id, fresh.event_type, fresh.event_created_at
   FROM fresh JOIN heads ON heads.institution_id = fresh.institution_id
   ON CONFLICT (institution_id, event_id) DO NOTHING`,
);

// One statement and so one snapshot: the head tells what this page could see.
const LIST = statement<{
  last_position: bigint | undefined;
  swept_position: bigint | undefined;
  position: bigint | undefined;
  event_id: string;
  body: string;
}>(
  'feed_list',
  `SELECT head.last_position, head.swept_position, page.position, page.event_id, page.body
   FROM (SELECT $1::uuid AS institution_id) AS asking
   LEFT JOIN feed_heads head ON head.institution_id = asking.institution_id
   LEFT JOIN LATERAL (
     SELECT feed.position, feed.event_id,
       CASE WHEN e.reporting_institution_id = feed.institution_id THEN e.reporter_body
            ELSE e.body END AS body
     FROM feed JOIN events e ON e.id = feed.event_id
     WHERE feed.institution_id = asking.institution_id
       AND feed.position > greatest($2::bigint, head.swept_position)
       AND ($3::text IS NULL OR feed.event_type = $3)
     ORDER BY feed.position LIMIT $4) AS page ON true
   ORDER BY page.position`,
);

const FIND_POSITION = statement<{ position: bigint }>(
  'feed_find_position',
  'SELECT position FROM feed WHERE institution_id = $1 AND event_id = $2',
);

// What is still on its way to the subscription is left out: it comes anyway.
const LIST_REPLAYABLE = statement<{ event_id: string; event_type: EventName }>(
  'feed_list_replayable',
  `SELECT feed.event_id, feed.event_type
   FROM feed
   WHERE feed.institution_id = $1 AND feed.event_created_at >= $2 AND feed.event_created_at < $3
     AND feed.event_type = ANY ($4::text[])
     AND NOT EXISTS (
       SELECT FROM deliveries d
       WHERE d.subscription_id = $5 AND d.event_id = feed.event_id AND d.status = 'PENDING')
   ORDER BY feed.event_created_at, feed.position LIMIT $6`,
);

// Rows and marks in one statement, so that no reader sees the one without the other.
const SWEEP = statement<{ swept: number }>(
  'feed_sweep',
  `WITH old AS (
     SELECT institution_id, position FROM feed WHERE recorded_at < $1
     ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ),
   gone AS (
     DELETE FROM feed USING old
     WHERE feed.institution_id = old.institution_id AND feed.position = old.position
     RETURNING feed.institution_id, feed.position
   ),
   marks AS MATERIALIZED (
     SELECT institution_id, max(position) AS position FROM gone GROUP BY institution_id
   ),
   locked AS MATERIALIZED (
     SELECT head.institution_id, marks.position
     FROM feed_heads head JOIN marks ON marks.institution_id = head.institution_id
     ORDER BY head.institution_id
     FOR UPDATE OF head
   ),
   marked AS (
     UPDATE feed_heads head SET swept_position = greatest(head.swept_position, locked.position)
     FROM locked WHERE head.institution_id = locked.institution_id
   )
   SELECT count(*)::integer AS swept FROM gone`,
);

/** Appends events to their receivers' feeds; each is there once. */
export async function appendToFeed(
  on: Queryable,
  entitlements: readonly Entitlement[],
): Promise<void> {
  await on.execute(APPEND, APPEND.values({ entitlements }));
}

/** A feed's events after a position, oldest first; those that are swept do not count. */
export async function listFeedRows(
  on: Queryable,
  query: {
    institution_id: string;
    after_position: bigint;
    type: FeedEventName | undefined;
    limit: number;
  },
): Promise<FeedPage> {
  const rows = await on.query(LIST, [
    query.institution_id,
    query.after_position,
    query.type,
    query.limit,
  ]);
  return {
    last_position: rows[0]?.last_position ?? 0n,
    swept_position: rows[0]?.swept_position ?? 0n,
    events: rows.flatMap(({ position, event_id, body }) =>
      position === undefined ? [] : [{ position, event_id, body }],
    ),
  };
}

/** Where an event stands in a feed. */
export async function findFeedPosition(
  on: Queryable,
  institution_id: string,
  event_id: string,
): Promise<bigint | undefined> {
  return (await on.maybe(FIND_POSITION, [institution_id, event_id]))?.position;
}

/** Events of an institution's feed that can be delivered again to a subscription. */
export function listReplayable(
  on: Queryable,
  query: {
    institution_id: string;
    from: string;
    to: string;
    types: readonly EventName[];
    subscription_id: string;
    limit: number;
  },
): Promise<{ event_id: string; event_type: EventName }[]> {
  return on.query(LIST_REPLAYABLE, [
    query.institution_id,
    query.from,
    query.to,
    query.types,
    query.subscription_id,
    query.limit,
  ]);
}

/** Removes up to `limit` entries recorded before a time; returns how many. */
export async function sweepFeed(on: Queryable, before: string, limit: number): Promise<number> {
  return (await on.one(SWEEP, [before, limit])).swept;
}
