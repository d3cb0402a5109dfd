import { type Queryable, statement } from '@credit/platform/db';
import type { Dispute, DisputeStatus } from '../domain/dispute';
import type { Intake } from '../domain/intake';

/** A dispute to be stored. */
export interface NewDispute extends Intake {
  readonly id: string;
  readonly duplicate_of: string | null;
  readonly opened_at: string;
  readonly due_at: string;
}

/** What a listing is narrowed to; null narrows nothing. */
export interface DisputeFilter {
  readonly reported_institution_id: string | null;
  readonly status: DisputeStatus | null;
  readonly overdue: boolean | null;
  readonly text: string | null;
  /** What overdue is measured against. */
  readonly now: string;
}

const COLUMNS = `id, status, subject_id, credit_event_id, reported_institution_id, opened_by,
  reason, description, evidence_links, resolution, opened_at, due_at, resolved_at,
  correction_event_id, correction_pending`;

// As an original it may meet another of the same event and reason: then no row comes back.
const INSERT = statement<Dispute>(
  'dispute_insert',
  `INSERT INTO disputes
     (id, subject_id, credit_event_id, reported_institution_id, opened_by, reason, description,
      evidence_links, duplicate_of, opened_at, due_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   ON CONFLICT (credit_event_id, reason)
     WHERE duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW') DO NOTHING
   RETURNING ${COLUMNS}`,
);

const FIND_ORIGINAL = statement<{ id: string }>(
  'dispute_find_original',
  `SELECT id FROM disputes
   WHERE credit_event_id = $1 AND reason = $2
     AND duplicate_of IS NULL AND status IN ('OPEN', 'UNDER_REVIEW')`,
);

const FILTER = `($1::uuid IS NULL OR reported_institution_id = $1)
  AND ($2::text IS NULL OR status = $2)
  AND ($3::boolean IS NULL
       OR (status IN ('OPEN', 'UNDER_REVIEW') AND due_at < $4::timestamptz) = $3)
  AND ($5::text IS NULL OR description ILIKE $5 OR opened_by ILIKE $5)`;

const LIST = statement<Dispute>(
  'dispute_list',
  `SELECT ${COLUMNS} FROM disputes
   WHERE ${FILTER} AND ($6::uuid IS NULL OR id < $6) ORDER BY id DESC LIMIT $7`,
);

const COUNT = statement<{ total: number }>(
  'dispute_count',
  `SELECT count(*)::integer AS total FROM disputes WHERE ${FILTER}`,
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
  return [filter.reported_institution_id, filter.status, filter.overdue, filter.now, pattern];
}

/** Disputes before `before_id`, newest first. */
export function listDisputeRows(
  on: Queryable,
  filter: DisputeFilter,
  before_id: string | null,
  limit: number,
): Promise<Dispute[]> {
  return on.query(LIST, [...filterValues(filter), before_id, limit]);
}

/** How many disputes a filter lets through. */
export async function countDisputes(on: Queryable, filter: DisputeFilter): Promise<number> {
  return (await on.one(COUNT, filterValues(filter))).total;
}
