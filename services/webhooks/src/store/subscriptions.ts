import type { SealedSecret } from '@credit/platform/credentials';
import {
  batchStatement,
  column,
  columns,
  type Queryable,
  type RowOf,
  sealedColumns,
  statement,
} from '@credit/platform/db';
import type { EventName } from '@credit/platform/values';

/** A subscription without its secret. */
export interface SubscriptionRow {
  id: string;
  institution_id: string;
  url: string;
  events: EventName[];
  enabled: boolean;
  created_at: string;
}

/** A subscription and how its receiver fares. */
export interface SubscriptionHealthRow extends SubscriptionRow {
  disabled_at: string | undefined;
  disabled_reason: 'REQUESTED' | 'GONE' | undefined;
  last_success_at: string | undefined;
  last_failure_at: string | undefined;
  consecutive_failures: number;
  /** Undefined when there was no attempt of late. */
  failure_rate_percent: number | undefined;
  /** While the circuit is open. */
  paused_until: string | undefined;
  last_error_class: string | undefined;
}

/** A sealed secret and whose it is. */
export interface SecretRow {
  id: string;
  secret_key_id: string;
  secret_sealed: Buffer;
}

const ENTITLED = columns({
  event_id: column('uuid'),
  event_type: column<'text', EventName>('text'),
  institution_id: column('uuid'),
});

/** An event and an institution that may hear of it. */
export type Entitled = RowOf<typeof ENTITLED>;

/** A subscription that an event goes to. */
export interface Receiver extends Entitled {
  subscription_id: string;
}

const COLUMNS = 'id, institution_id, url, events, enabled, created_at';

// The row is created or locked by the first, so that the bound holds under
// concurrent creation; no row comes back at the bound.
const TAKE_PLACE = statement<{ enabled_count: number }>(
  'subscription_take_place',
  `INSERT INTO subscription_counts AS counts (institution_id, enabled_count) VALUES ($1, 1)
   ON CONFLICT (institution_id) DO UPDATE SET enabled_count = counts.enabled_count + 1
     WHERE counts.enabled_count < $2
   RETURNING enabled_count`,
);

const FREE_PLACE = statement(
  'subscription_free_place',
  `UPDATE subscription_counts SET enabled_count = enabled_count - 1
   WHERE institution_id = $1 AND enabled_count > 0`,
);

const INSERT = statement<SubscriptionRow>(
  'subscription_insert',
  `WITH endpoint AS (INSERT INTO endpoints (subscription_id, institution_id) VALUES ($1, $2))
   INSERT INTO subscriptions
     (id, institution_id, url, events, secret_sealed, secret_key_id, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   RETURNING ${COLUMNS}`,
);

const FIND = statement<SubscriptionRow>(
  'subscription_find',
  `SELECT ${COLUMNS} FROM subscriptions WHERE id = $1 AND institution_id = $2`,
);

const FIND_SECRET = statement<SecretRow>(
  'subscription_find_secret',
  `SELECT id, secret_key_id, secret_sealed FROM subscriptions
   WHERE id = $1 AND institution_id = $2`,
);

const LOCK = statement<SubscriptionRow>(
  'subscription_lock',
  `SELECT ${COLUMNS} FROM subscriptions WHERE id = $1 AND institution_id = $2 FOR NO KEY UPDATE`,
);

// The endpoint's own times are coarse where all goes well; the latest attempts are
// exact, but may all be failures.
const LIST = statement<SubscriptionHealthRow>(
  'subscription_list',
  `SELECT s.id, s.institution_id, s.url, s.events, s.enabled, s.created_at,
     s.disabled_at, s.disabled_reason, e.consecutive_failures,
     greatest(e.last_success_at, latest.success_at) AS last_success_at,
     greatest(e.last_failure_at, latest.failure_at) AS last_failure_at,
     latest.failure_rate_percent, latest.last_error_class,
     CASE WHEN s.enabled AND e.open_until > now() THEN e.open_until END AS paused_until
   FROM subscriptions s
   JOIN endpoints e ON e.subscription_id = s.id
   CROSS JOIN LATERAL (
     SELECT max(started_at) FILTER (WHERE error_class IS NULL) AS success_at,
       max(started_at) FILTER (WHERE error_class IS NOT NULL) AS failure_at,
       round(100.0 * count(*) FILTER (WHERE error_class IS NOT NULL) / nullif(count(*), 0))::integer
         AS failure_rate_percent,
       (array_agg(error_class ORDER BY started_at DESC)
          FILTER (WHERE error_class IS NOT NULL))[1] AS last_error_class
     FROM (SELECT started_at, error_class FROM attempts
           WHERE subscription_id = s.id AND started_at > now() - interval '24 hours'
           ORDER BY started_at DESC LIMIT $4) AS attempts) AS latest
   WHERE s.institution_id = $1 AND ($2::uuid IS NULL OR s.id < $2)
   ORDER BY s.id DESC LIMIT $3`,
);

const REPLACE_SECRET = statement(
  'subscription_replace_secret',
  'UPDATE subscriptions SET secret_sealed = $2, secret_key_id = $3 WHERE id = $1',
);

const DISABLE = statement(
  'subscription_disable',
  `UPDATE subscriptions SET enabled = false, disabled_at = now(), disabled_reason = $2
   WHERE id = $1`,
);

const CHANGE = statement<SubscriptionRow>(
  'subscription_change',
  // Another receiver, or one that is asked again, begins with a circuit that is closed.
  `WITH endpoint AS (
     UPDATE endpoints SET open_until = '-infinity', consecutive_failures = 0
     WHERE subscription_id = $1 AND $5)
   UPDATE subscriptions
   SET url = $2, events = $3, enabled = $4,
     disabled_at = CASE WHEN $4 THEN NULL ELSE disabled_at END,
     disabled_reason = CASE WHEN $4 THEN NULL ELSE disabled_reason END
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);

// Share locks: a subscription disabled meanwhile waits for the plan and then
// cancels what it planned, or the plan waits and sees it disabled. An
// institution that we were not told of yet has a subscription, so it was active
// a moment ago: its event is planned rather than lost.
const RECEIVERS = batchStatement(
  'subscription_receivers',
  { entitled: ENTITLED },
  ({ entitled }) =>
    `SELECT ${ENTITLED.names('entitled')}, s.id AS subscription_id
   FROM unnest(${entitled}) AS entitled (${ENTITLED.names()})
   JOIN subscriptions s ON s.institution_id = entitled.institution_id
     AND s.enabled AND entitled.event_type = ANY (s.events)
   LEFT JOIN institutions i ON i.id = s.institution_id
   WHERE coalesce(i.status, 'ACTIVE') = 'ACTIVE'
   ORDER BY s.id, entitled.event_id
   FOR SHARE OF s`,
).answering<Receiver>();

/** What the signing secrets are sealed with. */
export const SEALED = sealedColumns({
  of: 'signing secrets',
  table: 'subscriptions',
  id: 'id',
  key_id: 'secret_key_id',
  sealed: 'secret_sealed',
});

/** Counts one more enabled subscription; false when the institution has `maximum`. */
export async function takePlace(
  on: Queryable,
  institution_id: string,
  maximum: number,
): Promise<boolean> {
  return (await on.maybe(TAKE_PLACE, [institution_id, maximum])) !== undefined;
}

/** Counts one enabled subscription less. */
export async function freePlace(on: Queryable, institution_id: string): Promise<void> {
  await on.execute(FREE_PLACE, [institution_id]);
}

/** Adds a subscription and its endpoint. */
export function insertSubscription(
  on: Queryable,
  row: Omit<SubscriptionRow, 'enabled'>,
  secret: SealedSecret,
): Promise<SubscriptionRow> {
  return on.one(INSERT, [
    row.id,
    row.institution_id,
    row.url,
    row.events,
    secret.sealed,
    secret.key_id,
    row.created_at,
  ]);
}

/** An institution's subscription. */
export function findSubscription(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<SubscriptionRow | undefined> {
  return on.maybe(FIND, [id, institution_id]);
}

/** An institution's subscription, locked against other changes. */
export function lockSubscription(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<SubscriptionRow | undefined> {
  return on.maybe(LOCK, [id, institution_id]);
}

/** The sealed secret of an institution's subscription. */
export function findSecret(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<SecretRow | undefined> {
  return on.maybe(FIND_SECRET, [id, institution_id]);
}

/** Attempts that a failure rate is made of. */
const RATED_ATTEMPTS = 100;

/** An institution's subscriptions before `before_id`, newest first. */
export function listSubscriptionRows(
  on: Queryable,
  institution_id: string,
  before_id: string | undefined,
  limit: number,
): Promise<SubscriptionHealthRow[]> {
  return on.query(LIST, [institution_id, before_id, limit, RATED_ATTEMPTS]);
}

/** Puts a new secret in a subscription's place. */
export async function replaceSecret(
  on: Queryable,
  id: string,
  secret: SealedSecret,
): Promise<void> {
  await on.execute(REPLACE_SECRET, [id, secret.sealed, secret.key_id]);
}

/** Marks a locked subscription as disabled. */
export async function markDisabled(
  on: Queryable,
  id: string,
  reason: 'REQUESTED' | 'GONE',
): Promise<void> {
  await on.execute(DISABLE, [id, reason]);
}

/** Writes a locked subscription as it is to be; `begins_anew` forgets how its receiver fared. */
export function changeSubscription(
  on: Queryable,
  { id, url, events, enabled }: Pick<SubscriptionRow, 'id' | 'url' | 'events' | 'enabled'>,
  begins_anew: boolean,
): Promise<SubscriptionRow> {
  return on.one(CHANGE, [id, url, events, enabled, begins_anew]);
}

/** The enabled subscriptions of active institutions to events they are entitled to. */
export function findReceivers(on: Queryable, entitled: readonly Entitled[]): Promise<Receiver[]> {
  return on.query(RECEIVERS, RECEIVERS.values({ entitled }));
}
