import { batchStatement, type Queryable, statement, type Transaction } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import type { FailureCode, NoticeParties, ReportStatus, StoredReport } from '../domain/report';

const COLUMNS = `r.id, r.institution_id, r.subject_id, r.report_type, r.format, r.purpose, r.status,
  r.as_of, r.created_at, r.ready_at, r.expires_at, r.failure_code, r.content_sha256,
  r.content_bytes, coalesce(r.earlier_inquiry_id, r.id) AS inquiry_id, r.parties, r.model_version`;

/** What is decided when a report is asked for. */
export type NewReport = Pick<
  StoredReport,
  | 'id'
  | 'institution_id'
  | 'subject_id'
  | 'report_type'
  | 'format'
  | 'purpose'
  | 'as_of'
  | 'created_at'
> & {
  /** Of a notice. */
  readonly earlier_inquiry_id: string | undefined;
  readonly parties: NoticeParties | undefined;
  readonly model_version: string | undefined;
};

const INSERT = batchStatement(
  'reports_insert',
  {
    id: 'uuid',
    institution_id: 'uuid',
    subject_id: 'uuid',
    report_type: 'text',
    format: 'text',
    purpose: 'text',
    as_of: 'timestamptz',
    created_at: 'timestamptz',
    earlier_inquiry_id: 'uuid',
    parties: 'json',
    model_version: 'text',
  },
  (sql) => `INSERT INTO reports (${Object.keys(sql).join(', ')}, status, due_at)
   VALUES (${Object.values(sql).join(', ')}, 'PENDING', now())
   ON CONFLICT (id) DO NOTHING`,
);

/** False when the report is there already. */
export async function insertReport(tx: Transaction, report: NewReport): Promise<boolean> {
  return (await tx.execute(INSERT, INSERT.values(report))) === 1;
}

const LOAD = statement<StoredReport>(
  'reports_load',
  `SELECT ${COLUMNS} FROM reports r WHERE r.id = $1 AND r.institution_id = $2`,
);

/** A report of its requester's. */
export function loadReport(
  on: Queryable,
  report_id: string,
  institution_id: string,
): Promise<StoredReport | undefined> {
  return on.maybe(LOAD, [report_id, institution_id]);
}

const OF_INSTITUTION = statement<StoredReport>(
  'reports_of_institution',
  `SELECT ${COLUMNS} FROM reports r
   WHERE r.institution_id = $1 AND ($2::uuid IS NULL OR r.id < $2)
     AND ($3::uuid IS NULL OR r.subject_id = $3)
   ORDER BY r.id DESC LIMIT $4`,
);

// Those that have expired are the oldest of the READY ones.
const IN_STATUS = statement<StoredReport>(
  'reports_of_institution_in_status',
  `SELECT ${COLUMNS} FROM reports r
   WHERE r.institution_id = $1 AND ($2::uuid IS NULL OR r.id < $2)
     AND ($3::uuid IS NULL OR r.subject_id = $3)
     AND r.status = $5 AND (r.status <> 'READY' OR r.expires_at <= $6)
   ORDER BY r.id DESC LIMIT $4`,
);

// A document is there until some time after its report has expired: by it READY ones are found
// without going through all that have ever been.
const READY = statement<StoredReport>(
  'reports_of_institution_ready',
  `SELECT ${COLUMNS} FROM reports r
   WHERE r.institution_id = $1 AND ($2::uuid IS NULL OR r.id < $2)
     AND ($3::uuid IS NULL OR r.subject_id = $3)
     AND r.content_bytes IS NOT NULL AND r.status = 'READY' AND r.expires_at > $5
   ORDER BY r.id DESC LIMIT $4`,
);

/** The institution's reports, newest first: few, as each is asked for by hand or by a batch. */
export function reportsOfInstitution(
  on: Queryable,
  wanted: {
    readonly institution_id: string;
    readonly subject_id?: string | undefined;
    readonly status?: ReportStatus | undefined;
    readonly before_id?: string | undefined;
  },
  now_ms: number,
  limit: number,
): Promise<StoredReport[]> {
  const { institution_id, before_id, subject_id, status } = wanted;
  const values = [institution_id, before_id, subject_id, limit];
  const now = toTimestamp(now_ms);
  switch (status) {
    case undefined:
      return on.query(OF_INSTITUTION, values);
    case 'READY':
      return on.query(READY, [...values, now]);
    case 'EXPIRED':
      return on.query(IN_STATUS, [...values, 'READY', now]);
    case 'PENDING':
    case 'FAILED':
      return on.query(IN_STATUS, [...values, status, now]);
    default:
      return status satisfies never;
  }
}

// --- building

/** A report that somebody has in hand. */
export interface ClaimedReport extends StoredReport {
  /** This one included. */
  readonly attempts: number;
}

const CLAIM = statement<ClaimedReport>(
  'reports_claim',
  // The lease is an end of its own: whoever dies with it leaves the report to the next claim.
  `UPDATE reports r
   SET lease_token = $1, attempts = r.attempts + 1,
       due_at = now() + $3 * interval '1 millisecond'
   WHERE r.id IN (
     SELECT id FROM reports WHERE status = 'PENDING' AND due_at <= now()
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING ${COLUMNS}, r.attempts`,
);

export function claimReports(
  on: Queryable,
  lease_token: string,
  limit: number,
  lease_ms: number,
): Promise<ClaimedReport[]> {
  return on.query(CLAIM, [lease_token, limit, lease_ms]);
}

const FINISH = statement(
  'reports_finish',
  // Under the lease only: of two that built it, one is heard.
  `WITH finished AS (
     UPDATE reports SET status = 'READY', lease_token = NULL, ready_at = $3, expires_at = $4,
       content_sha256 = $5, content_bytes = length($6::bytea)
     WHERE id = $1 AND lease_token = $2 AND status = 'PENDING'
     RETURNING id
   )
   INSERT INTO report_documents (report_id, content) SELECT id, $6 FROM finished`,
);

/** A document and the end of its report's being built. */
export interface FinishedReport {
  readonly id: string;
  readonly lease_token: string;
  readonly ready_at: string;
  readonly expires_at: string;
  readonly content_sha256: Buffer;
  readonly content: Buffer;
}

/** Writes the document and marks the report in one statement; false when the lease was lost. */
export async function finishReport(on: Queryable, report: FinishedReport): Promise<boolean> {
  const written = await on.execute(FINISH, [
    report.id,
    report.lease_token,
    report.ready_at,
    report.expires_at,
    report.content_sha256,
    report.content,
  ]);
  return written === 1;
}

const POSTPONE = statement(
  'reports_postpone',
  `UPDATE reports SET lease_token = NULL, due_at = now() + $3 * interval '1 millisecond'
   WHERE id = $1 AND lease_token = $2 AND status = 'PENDING'`,
);

export async function postponeReport(
  on: Queryable,
  report_id: string,
  lease_token: string,
  delay_ms: number,
): Promise<void> {
  await on.execute(POSTPONE, [report_id, lease_token, delay_ms]);
}

const FAIL = statement(
  'reports_fail',
  `UPDATE reports SET status = 'FAILED', lease_token = NULL, failure_code = $3
   WHERE id = $1 AND lease_token = $2 AND status = 'PENDING'`,
);

export async function failReport(
  on: Queryable,
  report_id: string,
  lease_token: string,
  failure_code: FailureCode,
): Promise<void> {
  await on.execute(FAIL, [report_id, lease_token, failure_code]);
}

// --- documents

const SLICE = statement<{ slice: Buffer }>(
  'report_documents_slice',
  `SELECT substring(content FROM $2 FOR $3) AS slice FROM report_documents WHERE report_id = $1`,
);

/** Bytes of a document from an offset; undefined when it is gone. */
export async function readSlice(
  on: Queryable,
  report_id: string,
  offset_bytes: number,
  length_bytes: number,
): Promise<Buffer | undefined> {
  return (await on.maybe(SLICE, [report_id, offset_bytes + 1, length_bytes]))?.slice;
}

const ISSUE = statement(
  'report_tickets_issue',
  `INSERT INTO report_tickets (token_hash, report_id, expires_at)
   VALUES ($1, $2, now() + $3 * interval '1 millisecond')`,
);

export async function issueTicket(
  on: Queryable,
  token_hash: Buffer,
  report_id: string,
  lifetime_ms: number,
): Promise<void> {
  await on.execute(ISSUE, [token_hash, report_id, lifetime_ms]);
}

const REDEEM = statement<StoredReport>(
  'report_tickets_redeem',
  `WITH used AS (
     DELETE FROM report_tickets WHERE token_hash = $1 RETURNING report_id, expires_at
   )
   SELECT ${COLUMNS} FROM used JOIN reports r ON r.id = used.report_id
   WHERE used.expires_at > now() AND r.content_bytes IS NOT NULL`,
);

/** The report that a ticket is for; the ticket is used up, whether it still counts or not. */
export function redeemTicket(on: Queryable, token_hash: Buffer): Promise<StoredReport | undefined> {
  return on.maybe(REDEEM, [token_hash]);
}

// --- the end

const SWEEP_DOCUMENTS = statement(
  'report_documents_sweep',
  `WITH over AS (
     UPDATE reports SET content_bytes = NULL WHERE id IN (
       SELECT id FROM reports WHERE content_bytes IS NOT NULL AND expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id
   )
   DELETE FROM report_documents WHERE report_id IN (SELECT id FROM over)`,
);

/** Deletes up to `limit` documents of expired reports; the reports stay. */
export function sweepDocuments(on: Queryable, now: string, limit: number): Promise<number> {
  return on.execute(SWEEP_DOCUMENTS, [now, limit]);
}

const SWEEP_TICKETS = statement(
  'report_tickets_sweep',
  `DELETE FROM report_tickets WHERE token_hash IN (
     SELECT token_hash FROM report_tickets WHERE expires_at <= now() LIMIT $1)`,
);

export function sweepTickets(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_TICKETS, [limit]);
}
