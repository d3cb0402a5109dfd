import { type Queryable, statement } from '@credit/platform/db';
import type { Dispute, DisputeStatus } from '../domain/dispute';
import type { Intake } from '../domain/intake';

/** A dispute to be stored. */
export interface NewDispute extends Intake {
  readonly id: string;
  readonly duplicate_of: string | null;
  readonly access_token_sha256: Buffer;
  readonly opened_at: string;
  readonly due_at: string;
}

/** A dispute with what is known of its record. */
export interface LocatedDispute extends Dispute {
  readonly duplicate_of: string | null;
  readonly located_at: string | null;
  readonly located_subject_id: string | null;
  readonly account_id: string | null;
}

/** What a listing is narrowed to; null narrows nothing. */
export interface DisputeFilter {
  /** Those about this institution's reporting. */
  readonly institution_id: string | null;
  readonly status: DisputeStatus | null;
  readonly overdue: boolean | null;
  readonly text: string | null;
  /** What overdue is measured against. */
  readonly now: string;
}

const COLUMNS = `id, status, subject_id, credit_event_id, reported_institution_id, opened_by,
  reason, description, evidence_links, resolution, opened_at, due_at, resolved_at,
  correction_event_id, correction_pending`;
const LOCATED_COLUMNS = `${COLUMNS}, duplicate_of, located_at, located_subject_id, account_id`;

// As an original it may meet another of the same event and reason: then no row comes back.
const INSERT = statement<Dispute>(
  'dispute_insert',
  `INSERT INTO disputes
     (id, subject_id, credit_event_id, reported_institution_id, opened_by, reason, description,
      evidence_links, duplicate_of, opened_at, due_at, access_token_sha256)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   ON CONFLICT (credit_event_id, reason)
     WHERE duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW') DO NOTHING
   RETURNING ${COLUMNS}`,
);

// Under the lock the original gets no outcome before its duplicate is stored: whoever moves it
// locks it FOR UPDATE first, and so takes this duplicate along.
const FIND_ORIGINAL = statement<{ id: string }>(
  'dispute_find_original',
  `SELECT id FROM disputes
   WHERE credit_event_id = $1 AND reason = $2
     AND duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW')
   FOR SHARE`,
);

const NARROWED = `($2::text IS NULL OR status = $2)
  AND ($3::boolean IS NULL
       OR (status IN ('OPEN', 'UNDER_REVIEW') AND due_at < $4::timestamptz) = $3)
  AND ($5::text IS NULL OR description ILIKE $5 OR opened_by ILIKE $5)`;

// An institution's own are found by its own index, however many disputes others have.
const OF_INSTITUTION = `dispute_institutions JOIN disputes ON disputes.id = dispute_id
   WHERE institution_id = $1 AND ${NARROWED}`;
const OF_NETWORK = `disputes WHERE $1::uuid IS NULL AND ${NARROWED}`;

const LIST_OF_INSTITUTION = statement<Dispute>(
  'dispute_list_of_institution',
  `SELECT ${COLUMNS} FROM ${OF_INSTITUTION}
     AND ($6::uuid IS NULL OR dispute_id < $6) ORDER BY dispute_id DESC LIMIT $7`,
);
const LIST = statement<Dispute>(
  'dispute_list',
  `SELECT ${COLUMNS} FROM ${OF_NETWORK}
     AND ($6::uuid IS NULL OR id < $6) ORDER BY id DESC LIMIT $7`,
);

const COUNT_OF_INSTITUTION = statement<{ total: number }>(
  'dispute_count_of_institution',
  `SELECT count(*)::integer AS total FROM ${OF_INSTITUTION}`,
);
const COUNT = statement<{ total: number }>(
  'dispute_count',
  `SELECT count(*)::integer AS total FROM ${OF_NETWORK}`,
);

/** Stores a dispute; undefined when it claims to be an original and there is one. */
export function insertDispute(on: Queryable, row: NewDispute): Promise<Dispute | undefined> {
  return on.maybe(INSERT, [
    row.id,
    row.subject_id,
    row.credit_event_id,
    row.reported_institution_id,
    row.opened_by,
    row.reason,
    row.description,
    row.evidence_links,
    row.duplicate_of,
    row.opened_at,
    row.due_at,
    row.access_token_sha256,
  ]);
}

/** The id of the unresolved dispute that an identical intake is a duplicate of. */
export async function findOriginal(on: Queryable, intake: Intake): Promise<string | undefined> {
  const row = await on.maybe(FIND_ORIGINAL, [intake.credit_event_id, intake.reason]);
  return row?.id;
}

function filterValues(filter: DisputeFilter): unknown[] {
  // The text is searched for as it stands: % and _ have no meaning of their own.
  const pattern = filter.text === null ? null : `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
  return [filter.institution_id, filter.status, filter.overdue, filter.now, pattern];
}

/** Disputes before `before_id`, newest first. */
export function listDisputeRows(
  on: Queryable,
  filter: DisputeFilter,
  before_id: string | null,
  limit: number,
): Promise<Dispute[]> {
  const list = filter.institution_id === null ? LIST : LIST_OF_INSTITUTION;
  return on.query(list, [...filterValues(filter), before_id, limit]);
}

/** How many disputes a filter lets through. */
export async function countDisputes(on: Queryable, filter: DisputeFilter): Promise<number> {
  const count = filter.institution_id === null ? COUNT : COUNT_OF_INSTITUTION;
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

/** Locks a dispute until the commit; nobody joins or moves it meanwhile. */
export function lockDispute(on: Queryable, id: string): Promise<LocatedDispute> {
  return on.one(LOCK, [id]);
}

const FIND_OPENED = statement<Dispute & { access_token_sha256: Buffer | null }>(
  'dispute_find_opened',
  `SELECT ${COLUMNS}, access_token_sha256 FROM disputes WHERE id = $1`,
);

/** A dispute with the hash of the token that its opener has. */
export function findOpenedDispute(
  on: Queryable,
  id: string,
): Promise<(Dispute & { readonly access_token_sha256: Buffer | null }) | undefined> {
  return on.maybe(FIND_OPENED, [id]);
}

/** What becomes of a dispute and its duplicates. */
export interface DisputeChange {
  readonly status: DisputeStatus;
  readonly resolution: string | null;
  readonly resolved_at: string | null;
  readonly correction_event_id: string | null;
  readonly correction_pending: boolean;
}

const MOVE = statement(
  'dispute_move',
  `UPDATE disputes SET status = $2, resolution = $3, resolved_at = $4, correction_event_id = $5,
     correction_pending = $6
   WHERE id = $1 OR duplicate_of = $1`,
);

/** Moves an original, which is locked, and its duplicates; returns how many these are together. */
export function moveDisputes(on: Queryable, id: string, change: DisputeChange): Promise<number> {
  const { correction_event_id, correction_pending, resolution, resolved_at, status } = change;
  return on.execute(MOVE, [
    id,
    status,
    resolution,
    resolved_at,
    correction_event_id,
    correction_pending,
  ]);
}
