import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import {
  type Dispute,
  type DisputeStatus,
  type DisputeSuppression,
  MAX_GROUP,
} from '../domain/dispute';
import type { Intake } from '../domain/intake';

/** A dispute to be stored. */
export interface NewDispute extends Intake {
  readonly id: string;
  readonly duplicate_of: string | undefined;
  /** Undefined when nobody follows it by a token. */
  readonly access_token_sha256: Buffer | undefined;
  /** Who opened it in test, to decide it there; undefined in live. */
  readonly sandbox_institution_id: string | undefined;
  readonly opened_at: string;
  readonly due_at: string;
  readonly person_subject_id: string | undefined;
  readonly contested_account_id: string | undefined;
  readonly contested_inquiry_id: string | undefined;
  /** The event behind the contested one and all its corrections. */
  readonly fact_event_id: string | undefined;
  readonly suppression: DisputeSuppression | undefined;
  readonly suppression_state: SuppressionState | undefined;
  readonly suppressed_since: string | undefined;
}

/** How far leaving the record out is: it is to be, it is, it is over, or it cannot be. */
export type SuppressionState = 'WANTED' | 'DONE' | 'ENDED' | 'IMPOSSIBLE';

/** A dispute with what is known of its record. */
export interface LocatedDispute extends Dispute {
  readonly duplicate_of: string | undefined;
  readonly located_at: string | undefined;
  readonly located_subject_id: string | undefined;
  readonly account_id: string | undefined;
  /** Who opened it in test, to decide it there; undefined in live. */
  readonly sandbox_institution_id: string | undefined;
  /** The decision that is being carried out for it. */
  readonly pending_move_id: string | undefined;
}

/** A dispute and when somebody concerned has answered it last. */
export interface AnsweredDispute extends LocatedDispute {
  readonly answered_at: string | undefined;
}

/** How far a dispute is, as those see it who have to do something about it. */
export type DisputeStage = 'NEEDS_ANSWER' | 'ANSWERED' | 'UNDECIDED' | 'DECIDED';

/** What a listing is narrowed to; undefined narrows nothing. */
export interface DisputeFilter {
  /** Those about this institution's reporting. */
  readonly institution_id: string | undefined;
  readonly status: DisputeStatus | undefined;
  readonly overdue: boolean | undefined;
  readonly stage: DisputeStage | undefined;
  readonly text: string | undefined;
  /** What overdue is measured against. */
  readonly now: string;
}

/** A {@link Dispute} as a row has it. */
const COLUMNS = `id, status, subject_id, credit_event_id, reported_institution_id, opened_by, contact_email,
  reason, description, evidence_links, resolution, opened_at, due_at, resolved_at,
  correction_event_id, correction_pending, coalesce(duplicate_of, id) AS group_id, decided_with,
  voided_inquiry_ids, reinserted_event_id, reinsertion_certification, reinserted_at,
  person_subject_id, contested_account_id, contested_inquiry_id,
  CASE WHEN suppression_state IN ('WANTED', 'DONE') THEN suppression END AS suppression,
  CASE WHEN suppression_state IN ('WANTED', 'DONE') THEN suppressed_since END AS suppressed_since`;
const LOCATED_COLUMNS = `${COLUMNS}, duplicate_of, located_at, located_subject_id, account_id,
  pending_move_id, sandbox_institution_id`;

export { COLUMNS as DISPUTE_COLUMNS, LOCATED_COLUMNS as LOCATED_DISPUTE_COLUMNS };

// As the first of a group it may meet another of the same event and reason: then no row comes back.
const INSERT = batchStatement(
  'dispute_insert',
  {
    id: 'uuid',
    subject_id: 'uuid',
    credit_event_id: 'uuid',
    reported_institution_id: 'uuid',
    opened_by: 'text',
    contact_email: 'text',
    reason: 'text',
    description: 'text',
    evidence_links: 'text[]',
    duplicate_of: 'uuid',
    opened_at: 'timestamptz',
    due_at: 'timestamptz',
    access_token_sha256: 'bytea',
    sandbox_institution_id: 'uuid',
    person_subject_id: 'uuid',
    contested_account_id: 'uuid',
    contested_inquiry_id: 'uuid',
    fact_event_id: 'uuid',
    suppression: 'text',
    suppression_state: 'text',
    suppressed_since: 'timestamptz',
  },
  (sql) => `INSERT INTO disputes (${Object.keys(sql).join(', ')})
   VALUES (${Object.values(sql).join(', ')})
   ON CONFLICT (credit_event_id, reason)
     WHERE duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW') DO NOTHING
   RETURNING ${COLUMNS}`,
).answering<Dispute>();

// Any that is open will do: the first of the group may have its outcome already.
const FIND_GROUP = statement<{ group_id: string }>(
  'dispute_find_group',
  `SELECT coalesce(duplicate_of, id) AS group_id FROM disputes
   WHERE credit_event_id = $1 AND reason = $2 AND status IN ('OPEN', 'UNDER_REVIEW')
   ORDER BY id LIMIT 1`,
);

const UNDECIDED = "status IN ('OPEN', 'UNDER_REVIEW')";

/** Of who asks: whether it is answered, and in which of its texts is searched. */
function narrowed(is_answered: string, found_in_text: string): string {
  return `($2::text IS NULL OR status = $2)
  AND ($3::boolean IS NULL OR (${UNDECIDED} AND due_at < $4::timestamptz) = $3)
  AND ($5::text IS NULL OR ${found_in_text})
  AND ($6::text IS NULL OR CASE $6
    WHEN 'NEEDS_ANSWER' THEN ${UNDECIDED} AND NOT ${is_answered}
    WHEN 'ANSWERED' THEN ${UNDECIDED} AND ${is_answered}
    WHEN 'UNDECIDED' THEN ${UNDECIDED}
    ELSE NOT ${UNDECIDED} END)`;
}

// An institution's own are found by its own index, however many disputes others have. It does not
// search what it is not shown: an opener's address, with any of the three signs that are read as @.
const OF_INSTITUTION = `dispute_institutions JOIN disputes ON disputes.id = dispute_id
   WHERE institution_id = $1
     AND ${narrowed(
       '(answered_at IS NOT NULL)',
       "(description ILIKE $5 OR opened_by ILIKE $5 AND opened_by !~ '[@＠﹫]')",
     )}`;
const OF_NETWORK = `disputes WHERE $1::uuid IS NULL
     AND ${narrowed(
       `EXISTS (SELECT FROM dispute_institutions
         WHERE dispute_id = disputes.id AND answered_at IS NOT NULL)`,
       '(description ILIKE $5 OR opened_by ILIKE $5)',
     )}`;
const ANSWERED_BY_ANYBODY = `(SELECT max(answered_at) FROM dispute_institutions
     WHERE dispute_id = disputes.id) AS answered_at`;

const LIST_OF_INSTITUTION = statement<ListedDispute>(
  'dispute_list_of_institution',
  `SELECT ${COLUMNS}, answered_at FROM ${OF_INSTITUTION}
     AND ($7::uuid IS NULL OR dispute_id < $7) ORDER BY dispute_id DESC LIMIT $8`,
);
const LIST = statement<ListedDispute>(
  'dispute_list',
  `SELECT ${COLUMNS}, ${ANSWERED_BY_ANYBODY} FROM ${OF_NETWORK}
     AND ($7::uuid IS NULL OR id < $7) ORDER BY id DESC LIMIT $8`,
);

// By the index on the due date: it holds those without an outcome alone.
const IN_DUE_ORDER = `AND ${UNDECIDED}
     AND ($7::timestamptz IS NULL OR (due_at, id) > ($7, $8::uuid)) ORDER BY due_at, id LIMIT $9`;
const LIST_DUE_OF_INSTITUTION = statement<ListedDispute>(
  'dispute_list_due_of_institution',
  `SELECT ${COLUMNS}, answered_at FROM ${OF_INSTITUTION} ${IN_DUE_ORDER}`,
);
const LIST_DUE = statement<ListedDispute>(
  'dispute_list_due',
  `SELECT ${COLUMNS}, ${ANSWERED_BY_ANYBODY} FROM ${OF_NETWORK} ${IN_DUE_ORDER}`,
);

const COUNT_OF_INSTITUTION = statement<{ total: number }>(
  'dispute_count_of_institution',
  `SELECT count(*)::integer AS total FROM ${OF_INSTITUTION}`,
);
const COUNT = statement<{ total: number }>(
  'dispute_count',
  `SELECT count(*)::integer AS total FROM ${OF_NETWORK}`,
);

/** A dispute in a listing. */
export type ListedDispute = Dispute & Pick<AnsweredDispute, 'answered_at'>;

/** Stores a dispute; undefined when it claims to be the first of its group and is not. */
export function insertDispute(on: Queryable, row: NewDispute): Promise<Dispute | undefined> {
  return on.maybe(INSERT, INSERT.values(row));
}

/** The group of unresolved disputes that an identical intake belongs to. */
export async function findGroup(on: Queryable, intake: Intake): Promise<string | undefined> {
  if (intake.credit_event_id === undefined) return undefined;
  const row = await on.maybe(FIND_GROUP, [intake.credit_event_id, intake.reason]);
  return row?.group_id;
}

const GROUP_SIZES = statement<{ group_id: string; size: number }>(
  'dispute_group_sizes',
  // No further than a bound: anybody can make a group as large as they like.
  `SELECT group_id,
     (SELECT count(*)::integer FROM (
        SELECT FROM disputes
        WHERE duplicate_of = group_id AND status IN ('OPEN', 'UNDER_REVIEW')
        LIMIT $2 - first.is_open) AS others) + first.is_open AS size
   FROM unnest($1::uuid[]) AS asked (group_id)
   CROSS JOIN LATERAL (
     SELECT count(*)::integer AS is_open FROM disputes
     WHERE id = group_id AND status IN ('OPEN', 'UNDER_REVIEW')) AS first`,
);

/** How many disputes of each group have no outcome, up to a bound. */
export async function groupSizes(
  on: Queryable,
  group_ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await on.query(GROUP_SIZES, [[...new Set(group_ids)], MAX_GROUP]);
  return new Map(rows.map(({ group_id, size }) => [group_id, size]));
}

function filterValues(filter: DisputeFilter): unknown[] {
  // The text is searched for as it stands: % and _ have no meaning of their own.
  const pattern = filter.text?.replace(/[\\%_]/g, '\\$&');
  return [
    filter.institution_id,
    filter.status,
    filter.overdue,
    filter.now,
    pattern && `%${pattern}%`,
    filter.stage,
  ];
}

/** Disputes before `before_id`, newest first. */
export function listDisputeRows(
  on: Queryable,
  filter: DisputeFilter,
  before_id: string | undefined,
  limit: number,
): Promise<ListedDispute[]> {
  const list = filter.institution_id === undefined ? LIST : LIST_OF_INSTITUTION;
  return on.query(list, [...filterValues(filter), before_id, limit]);
}

/** Where a listing by due date goes on. */
export interface DuePlace {
  readonly due_at: string;
  readonly id: string;
}

/** Disputes without an outcome after a place, the one that is due first at the head. */
export function listDisputesDue(
  on: Queryable,
  filter: DisputeFilter,
  after: DuePlace | undefined,
  limit: number,
): Promise<ListedDispute[]> {
  const list = filter.institution_id === undefined ? LIST_DUE : LIST_DUE_OF_INSTITUTION;
  return on.query(list, [...filterValues(filter), after?.due_at, after?.id, limit]);
}

/** How many disputes a filter lets through. */
export async function countDisputes(on: Queryable, filter: DisputeFilter): Promise<number> {
  const count = filter.institution_id === undefined ? COUNT : COUNT_OF_INSTITUTION;
  return (await on.one(count, filterValues(filter))).total;
}

const FIND = statement<LocatedDispute>(
  'dispute_find',
  `SELECT ${LOCATED_COLUMNS} FROM disputes WHERE id = $1`,
);
const LOCK = statement<LocatedDispute>(
  'dispute_lock',
  `SELECT ${LOCATED_COLUMNS} FROM disputes WHERE id = $1 FOR UPDATE`,
);

/** A dispute by its id. */
export function findDispute(on: Queryable, id: string): Promise<LocatedDispute | undefined> {
  return on.maybe(FIND, [id]);
}

const FIND_ANSWERED = statement<AnsweredDispute>(
  'dispute_find_answered',
  `SELECT ${LOCATED_COLUMNS}, ${ANSWERED_BY_ANYBODY} FROM disputes WHERE id = $1`,
);

/** A dispute, and when anybody concerned answered it last. */
export function findAnsweredDispute(
  on: Queryable,
  id: string,
): Promise<AnsweredDispute | undefined> {
  return on.maybe(FIND_ANSWERED, [id]);
}

const FIND_OWN = statement<AnsweredDispute>(
  'dispute_find_own',
  `SELECT ${LOCATED_COLUMNS}, answered_at
   FROM dispute_institutions JOIN disputes ON disputes.id = dispute_id
   WHERE institution_id = $2 AND dispute_id = $1`,
);

/** A dispute that concerns the institution. */
export function findOwnDispute(
  on: Queryable,
  id: string,
  institution_id: string,
): Promise<AnsweredDispute | undefined> {
  return on.maybe(FIND_OWN, [id, institution_id]);
}

/** Locks a dispute until the commit; nobody moves it meanwhile. */
export function lockDispute(on: Queryable, id: string): Promise<LocatedDispute> {
  return on.one(LOCK, [id]);
}

const TAKE = statement(
  'dispute_take',
  'UPDATE disputes SET pending_move_id = $2 WHERE id = $1 AND pending_move_id IS NULL',
);
const TAKE_GROUP = statement(
  'dispute_take_group',
  `UPDATE disputes SET pending_move_id = $2
   WHERE id = ANY ($1::uuid[]) AND status IN ('OPEN', 'UNDER_REVIEW') AND pending_move_id IS NULL`,
);
// In the order of ids, as whoever locks several does: none of them waits for another in a circle.
const LOCK_GROUP = statement<{ id: string }>(
  'dispute_lock_group',
  `SELECT id FROM disputes
   WHERE id = $2 OR id = ANY (ARRAY(
     SELECT id FROM disputes
     WHERE (id = $1 OR duplicate_of = $1) AND id <> $2 AND status IN ('OPEN', 'UNDER_REVIEW')
       AND pending_move_id IS NULL
     ORDER BY id LIMIT $3))
   ORDER BY id FOR UPDATE`,
);

/** Locks a dispute and the others of its group that have no outcome, up to a bound. */
export async function lockGroup(
  on: Queryable,
  { group_id, id }: Pick<Dispute, 'group_id' | 'id'>,
): Promise<readonly string[]> {
  return (await on.query(LOCK_GROUP, [group_id, id, MAX_GROUP - 1])).map((row) => row.id);
}

const UNDECIDED_OF_GROUP = statement<{ id: string }>(
  'dispute_undecided_of_group',
  `SELECT id FROM disputes
   WHERE (id = $1 OR duplicate_of = $1) AND id <> $2 AND ${UNDECIDED} AND pending_move_id IS NULL
   ORDER BY id LIMIT $3`,
);

/** The others of a dispute's group that would be decided with it, up to a bound. */
export async function undecidedOfGroup(
  on: Queryable,
  { group_id, id }: Pick<Dispute, 'group_id' | 'id'>,
): Promise<string[]> {
  const rows = await on.query(UNDECIDED_OF_GROUP, [group_id, id, MAX_GROUP - 1]);
  return rows.map((row) => row.id);
}

const RELATED = statement<ListedDispute>(
  'dispute_related',
  `SELECT ${COLUMNS}, ${ANSWERED_BY_ANYBODY} FROM disputes
   WHERE located_subject_id = $1 AND id <> $2
     AND ($3::uuid IS NULL OR account_id IS NULL OR account_id = $3)
   ORDER BY id DESC LIMIT $4`,
);

/** Other disputes of the same account, or of all of the subject's; newest first. */
export function relatedDisputes(
  on: Queryable,
  { account_id, id, located_subject_id }: LocatedDispute,
  limit: number,
): Promise<ListedDispute[]> {
  if (located_subject_id === undefined) return Promise.resolve([]);
  return on.query(RELATED, [located_subject_id, id, account_id, limit]);
}

/** Puts a locked dispute on its way with a move. */
export async function takeDispute(on: Queryable, id: string, move_id: string): Promise<void> {
  await on.execute(TAKE, [id, move_id]);
}

/** Puts those of these locked disputes on their way that have no outcome and are on none. */
export async function takeGroup(
  on: Queryable,
  ids: readonly string[],
  move_id: string,
): Promise<void> {
  await on.execute(TAKE_GROUP, [ids, move_id]);
}

const RELEASE = statement(
  'dispute_release',
  'UPDATE disputes SET pending_move_id = NULL WHERE pending_move_id = $1',
);

/** Ends the way of all whom a move that was refused had taken along. */
export async function releaseDisputes(on: Queryable, move_id: string): Promise<void> {
  await on.execute(RELEASE, [move_id]);
}

const ON_THEIR_WAY = statement<LocatedDispute>(
  'dispute_on_their_way',
  // Decided by a process of the version before, it says so itself only in its move.
  `SELECT ${LOCATED_COLUMNS} FROM disputes WHERE pending_move_id = $1 OR id = $2
   ORDER BY id FOR UPDATE`,
);

/** Locks the disputes that a move takes along, its own among them. */
export function disputesOnTheirWay(
  on: Queryable,
  move: { readonly id: string; readonly dispute_id: string },
): Promise<LocatedDispute[]> {
  return on.query(ON_THEIR_WAY, [move.id, move.dispute_id]);
}

/** A dispute as its opener is to see it. */
export interface OpenedDisputeRow extends Dispute {
  /** The hash of the token that its opener has. */
  readonly access_token_sha256: Buffer | undefined;
  /** Who opened the dispute that it was decided with; undefined when it was decided by itself. */
  readonly decided_with_opened_by: string | undefined;
  /** Where that opener is told. */
  readonly decided_with_contact_email: string | undefined;
}

const FIND_OPENED = statement<OpenedDisputeRow>(
  'dispute_find_opened',
  `SELECT ${COLUMNS}, access_token_sha256,
     (SELECT other.opened_by FROM disputes other WHERE other.id = disputes.decided_with)
       AS decided_with_opened_by,
     (SELECT other.contact_email FROM disputes other WHERE other.id = disputes.decided_with)
       AS decided_with_contact_email
   FROM disputes WHERE id = $1`,
);

/** A dispute with the hash of the token that its opener has. */
export function findOpenedDispute(
  on: Queryable,
  id: string,
): Promise<OpenedDisputeRow | undefined> {
  return on.maybe(FIND_OPENED, [id]);
}

const DELETE_CONTACTS = statement(
  'dispute_contacts_delete',
  `UPDATE disputes SET contact_email = NULL WHERE id = ANY (ARRAY(
     SELECT id FROM disputes
     WHERE contact_email IS NOT NULL AND resolved_at < now() - interval '90 days'
     ORDER BY resolved_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Deletes the addresses of openers whose disputes were decided long ago. */
export function deleteContacts(on: Queryable, limit: number): Promise<number> {
  return on.execute(DELETE_CONTACTS, [limit]);
}

/** What becomes of the disputes that a move takes along. */
export interface DisputeChange {
  readonly status: DisputeStatus;
  readonly resolution: string | undefined;
  readonly resolved_at: string | undefined;
  readonly correction_event_id: string | undefined;
  readonly correction_pending: boolean;
  readonly voided_inquiry_ids: readonly string[];
}

const CHANGE = {
  status: 'text',
  resolution: 'text',
  resolved_at: 'timestamptz',
  correction_event_id: 'uuid',
  correction_pending: 'boolean',
  voided_inquiry_ids: 'uuid[]',
} as const;

const MOVE = batchStatement(
  'dispute_move',
  { ids: 'uuid[]', decided_id: 'uuid', ...CHANGE },
  // What was reinserted before the outcome was told is so for all of them.
  ({ decided_id, ids, ...change }) => `UPDATE disputes SET ${set(change)}, pending_move_id = NULL,
     decided_with = nullif(${decided_id}, disputes.id),
     reinserted_event_id = own.reinserted_event_id,
     reinsertion_certification = own.reinsertion_certification,
     reinserted_at = own.reinserted_at
   FROM disputes own
   WHERE own.id = ${decided_id} AND disputes.id = ANY (${ids})`,
);

function set(change: Readonly<Record<string, string>>): string {
  return Object.entries(change)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');
}

/** Moves disputes, which are locked, as was decided about one of them. */
export async function moveDisputes(
  on: Queryable,
  ids: readonly string[],
  decided_id: string,
  change: DisputeChange,
): Promise<void> {
  await on.execute(MOVE, MOVE.values({ ids, decided_id, ...change }));
}

/** A fact that its furnisher has certified and reported again after an outcome. */
export interface NewReinsertion {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly certification: string;
  readonly reported_at: string;
}

const REINSERT = statement<{ id: string }>(
  'dispute_reinsert',
  // Two may come in either order: the latest is shown.
  `UPDATE disputes SET reinserted_event_id = $2, reinsertion_certification = $3, reinserted_at = $4
   WHERE (id = $1 OR decided_with = $1) AND (reinserted_at IS NULL OR reinserted_at <= $4)
   RETURNING id`,
);

/** Keeps a reinsertion with all disputes that had the outcome; returns their ids. */
export async function keepReinsertion(
  on: Queryable,
  { certification, credit_event_id, dispute_id, reported_at }: NewReinsertion,
): Promise<string[]> {
  const values = [dispute_id, credit_event_id, certification, reported_at];
  return (await on.query(REINSERT, values)).map(({ id }) => id);
}

const TO_RETELL = statement<LocatedDispute>(
  'dispute_to_retell',
  `UPDATE disputes SET retell = false
   WHERE id = ANY (ARRAY(
     SELECT id FROM disputes WHERE retell ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING ${LOCATED_COLUMNS}`,
);

/** Takes disputes that have to be told of once more. */
export function takeDisputesToRetell(on: Queryable, limit: number): Promise<LocatedDispute[]> {
  return on.query(TO_RETELL, [limit]);
}
