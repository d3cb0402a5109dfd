import { batchStatement, column, columns, type Queryable, statement } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { timeOfId } from '@credit/platform/values';
import {
  type AuditRecord,
  CHAIN_START,
  type ChainedRecord,
  type ChainHead,
  NETWORK_CHAIN_ID,
} from '../domain/audit-chain';
import { auditOrigin } from '../domain/audit-origin';

const RECORD = columns({
  chain_id: column('uuid'),
  sequence: column('bigint'),
  id: column('uuid'),
  at: column('timestamptz'),
  actor_type: column('text'),
  actor_id: column('text'),
  action: column('text'),
  target_type: column('text'),
  target_id: column('text'),
  environment: column('text'),
  request_id: column('text'),
  ip: column('text'),
  changes: column('text'),
  prev_hash: column('bytea'),
  hash: column('bytea'),
});
const COLUMNS = RECORD.names();

// Holds the heads' rows until the commit, so that a chain grows by one transaction at a
// time; in id order, so that two batches cannot deadlock. A chain's month does not go back: whoever began
// before midnight may come after others.
const TAKE_PLACES = statement<ChainHead & { chain_id: string }>(
  'audit_take_places',
  `INSERT INTO audit_chains AS c (chain_id, sequence, hash, month)
   SELECT chain_id, count, $3, date_trunc('month', now() AT TIME ZONE 'UTC')
   FROM unnest($1::uuid[], $2::bigint[]) AS w (chain_id, count)
   ORDER BY chain_id
   ON CONFLICT (chain_id) DO UPDATE SET
     sequence = c.sequence + excluded.sequence, month = greatest(c.month, excluded.month)
   RETURNING chain_id, sequence, hash`,
);

const APPEND = batchStatement(
  'audit_append',
  { records: RECORD },
  (sql) => `INSERT INTO audit_events (${COLUMNS}, month)
   SELECT w.*, c.month FROM unnest(${sql.records}) AS w (${COLUMNS})
   JOIN audit_chains AS c ON c.chain_id = w.chain_id`,
);

// Nothing is written before it was told of, but for clocks that differ: earlier months are not looked at.
const KNOWN = statement<{ id: string }>(
  'audit_known',
  `SELECT e.id FROM unnest($1::uuid[], $2::uuid[]) AS w (chain_id, id)
   JOIN audit_events AS e ON e.chain_id = w.chain_id AND e.id = w.id
   WHERE e.month = '-infinity'
     OR e.month >= date_trunc('month', ($3::timestamptz - interval '1 day') AT TIME ZONE 'UTC')`,
);

const SET_HEADS = statement(
  'audit_set_heads',
  `UPDATE audit_chains AS c SET hash = w.hash
   FROM unnest($1::uuid[], $2::bytea[]) AS w (chain_id, hash)
   WHERE c.chain_id = w.chain_id`,
);

const HEADS = statement<ChainHead & { chain_id: string }>(
  'audit_heads',
  `SELECT chain_id, sequence, hash FROM audit_chains
   WHERE $1::uuid IS NULL OR chain_id = $1
   ORDER BY chain_id`,
);

const READ_CHAIN = statement<ChainedRecord>(
  'audit_read_chain',
  `SELECT ${COLUMNS} FROM audit_events
   WHERE chain_id = $1 AND sequence > $2 AND sequence <= $3
   ORDER BY sequence LIMIT $4`,
);

const LISTED = {
  chain_id: 'uuid',
  action: 'text',
  actor_id: 'text',
  target_id: 'text',
  from: 'timestamptz',
  to: 'timestamptz',
  before_at: 'timestamptz',
  before_id: 'uuid',
  limit: 'integer',
} as const;

function listing(name: string, target: (target_id: string) => string) {
  return batchStatement(
    name,
    LISTED,
    (sql) => `SELECT ${COLUMNS} FROM audit_events
   WHERE chain_id = ${sql.chain_id}
     AND (${sql.action} IS NULL OR action = ${sql.action})
     AND (${sql.actor_id} IS NULL OR actor_id = ${sql.actor_id})
     AND ${target(sql.target_id)}
     AND (${sql.from} IS NULL OR at >= ${sql.from})
     AND (${sql.to} IS NULL OR at < ${sql.to})
     AND (${sql.before_at} IS NULL OR (at, id) < (${sql.before_at}, ${sql.before_id}))
   ORDER BY at DESC, id DESC LIMIT ${sql.limit}`,
  ).answering<AuditRecord>();
}

const LIST = listing('audit_list', (target_id) => `${target_id} IS NULL`);

// Of its own, so that it goes by the targets and not by the time; a batch has all that it is about.
const LIST_OF_TARGET = listing(
  'audit_list_of_target',
  (target_id) => `(
       target_id = ${target_id}
       OR (target_type = 'batch' AND changes::jsonb -> 'account_ids' ? ${target_id})
       OR (target_type = 'batch' AND changes::jsonb -> 'subject_ids' ? ${target_id})
     )`,
);

// A look-up for each chain: its last checkpoint, and the first entry after it. Entries have no gaps,
// so that a chain's length tells how many are new.
const WAITING = `
   FROM audit_chains AS c
   CROSS JOIN LATERAL (
     SELECT coalesce(max(size), 0) AS size FROM audit_checkpoints
     WHERE origin = $1 || CASE c.chain_id WHEN $2::uuid THEN 'network' ELSE c.chain_id::text END
   ) AS covered
   CROSS JOIN LATERAL (
     SELECT at FROM audit_events AS e
     WHERE e.chain_id = c.chain_id AND e.sequence > covered.size
     ORDER BY e.sequence LIMIT 1
   ) AS waiting
   WHERE c.sequence > covered.size`;

/** How a chain's id becomes the name of its checkpoints. */
const CHAINS = [auditOrigin(''), NETWORK_CHAIN_ID] as const;

const DUE = statement<{ chain_id: string }>(
  'audit_chains_due',
  `SELECT c.chain_id ${WAITING}
     AND (c.sequence - covered.size >= $3 OR waiting.at <= $4)
     AND ($5::uuid IS NULL OR c.chain_id > $5)
   ORDER BY c.chain_id LIMIT $6`,
);

const OLDEST = statement<{ at: string | undefined }>(
  'audit_oldest_without_checkpoint',
  `SELECT min(waiting.at) AS at ${WAITING}`,
);

const PLACE = statement<ChainedRecord>(
  'audit_read_record',
  `SELECT ${COLUMNS} FROM audit_events WHERE chain_id = $1 AND id = $2`,
);

/**
 * Takes the next places of chains, so many each; the caller fills them in the same
 * transaction. Returns each chain's head before.
 */
export async function takePlaces(
  on: Queryable,
  counts: ReadonlyMap<string, bigint>,
): Promise<Map<string, ChainHead>> {
  const rows = await on.query(TAKE_PLACES, [[...counts.keys()], [...counts.values()], CHAIN_START]);
  return new Map(
    rows.map(({ chain_id, sequence, hash }) => [
      chain_id,
      { sequence: sequence - (counts.get(chain_id) ?? 0n), hash },
    ]),
  );
}

/** Which of these are in their chains already. */
export async function knownRecords(
  on: Queryable,
  records: readonly Pick<AuditRecord, 'chain_id' | 'id'>[],
): Promise<Set<string>> {
  const ids = records.map(({ id }) => id);
  const earliest = toTimestamp(Math.min(...ids.map(timeOfId)));
  const rows = await on.query(KNOWN, [records.map(({ chain_id }) => chain_id), ids, earliest]);
  return new Set(rows.map(({ id }) => id));
}

/** Writes records into the places taken for them, and the chains' new heads. */
export async function appendRecords(
  on: Queryable,
  records: readonly ChainedRecord[],
): Promise<void> {
  await on.execute(APPEND, APPEND.values({ records }));
  const heads = new Map(records.map((record) => [record.chain_id, record.hash]));
  await on.execute(SET_HEADS, [[...heads.keys()], [...heads.values()]]);
}

/** Heads of all chains, or of one. */
export function readHeads(
  on: Queryable,
  chain_id: string | undefined,
): Promise<(ChainHead & { chain_id: string })[]> {
  return on.query(HEADS, [chain_id]);
}

/** Records of a chain in order, after one and up to another. */
export function readChain(
  on: Queryable,
  chain_id: string,
  after: bigint,
  up_to: bigint,
  limit: number,
): Promise<ChainedRecord[]> {
  return on.query(READ_CHAIN, [chain_id, after, up_to, limit]);
}

/** Chains of which so many entries, or one since a time, are without a checkpoint; by id. */
export async function dueChains(
  on: Queryable,
  waiting_since: string,
  entries: number,
  after_chain_id: string | undefined,
  limit: number,
): Promise<string[]> {
  const values = [...CHAINS, BigInt(entries), waiting_since, after_chain_id, limit];
  return (await on.query(DUE, values)).map((row) => row.chain_id);
}

/** The time of the oldest entry of all chains that no checkpoint covers; undefined without any. */
export async function oldestWithoutCheckpoint(on: Queryable): Promise<string | undefined> {
  return (await on.one(OLDEST, CHAINS)).at;
}

/** A record of a chain. */
export function findRecord(
  on: Queryable,
  chain_id: string,
  id: string,
): Promise<ChainedRecord | undefined> {
  return on.maybe(PLACE, [chain_id, id]);
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actor_id?: string | undefined;
  readonly target_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Newest first, after the record with that time and id. */
export function listAuditRows(
  on: Queryable,
  chain_id: string,
  filter: AuditFilter,
  after: { at: string; id: string } | undefined,
  limit: number,
): Promise<AuditRecord[]> {
  const list = filter.target_id === undefined ? LIST : LIST_OF_TARGET;
  return on.query(
    list,
    list.values({
      chain_id,
      action: filter.action,
      actor_id: filter.actor_id,
      target_id: filter.target_id,
      from: filter.from,
      to: filter.to,
      before_at: after?.at,
      before_id: after?.id,
      limit,
    }),
  );
}
