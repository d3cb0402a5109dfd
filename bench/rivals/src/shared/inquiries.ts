import type pg from 'pg';
import type { Account } from './accounts.ts';
import { onConnection, type Statement, together } from './database.ts';
import { newId } from './ids.ts';
import { Refused } from './refused.ts';
import type { Purpose } from './requests.ts';
import { scoreOf } from './score.ts';

/** A look at a subject's file, of a caller who may read. */
export interface InquiryRequest {
  readonly institution_id: string;
  readonly key_id: string;
  readonly request_id: string;
  readonly subject_id: string;
  readonly purpose: Purpose;
}

/** A subject's file as the inquiry found it. */
export interface SubjectFile {
  readonly inquiry_id: string;
  readonly subject: { id: string; type: string; current_username: string };
  readonly accounts: readonly Account[];
  /** Of the last year, repeats left out. */
  readonly inquiries: number;
}

// A review counts for nothing in the score and is for who has an account; a repeat within a day refers
// to the first. What a freeze or a missing account forbids is not recorded.
const RECORD: Statement = {
  name: 'record_inquiry',
  text: `WITH subject AS (
     SELECT id, is_frozen,
       $4 = 'NEW_CREDIT' OR EXISTS (
         SELECT FROM reporting.accounts WHERE subject_id = $2 AND institution_id = $3) AS is_concerned
     FROM reporting.subjects WHERE id = $2
   ), allowed AS (
     SELECT id FROM subject WHERE is_concerned AND NOT (is_frozen AND $4 = 'NEW_CREDIT')
   ), recorded AS (
     INSERT INTO reporting.inquiries
       (id, subject_id, institution_id, purpose, inquiry_type, duplicate_of, created_at)
     SELECT $1, id, $3, $4, CASE WHEN $4 = 'NEW_CREDIT' THEN 'HARD' ELSE 'SOFT' END,
       (SELECT i.id FROM reporting.inquiries i
        WHERE i.subject_id = $2 AND i.institution_id = $3 AND i.purpose = $4
          AND i.duplicate_of IS NULL AND i.created_at > now() - interval '1 day'
        ORDER BY i.created_at LIMIT 1), now()
     FROM allowed
   ), told AS (
     INSERT INTO reporting.outbox (id, type, subject_id, payload)
     SELECT $5, 'inquiry_recorded', id, jsonb_build_object('inquiry_id', $1::text) FROM allowed
   ), audited AS (
     INSERT INTO reporting.audit_entries
       (id, institution_id, key_id, action, resource_id, request_id, created_at)
     SELECT $6, $3, $7, 'inquiry.recorded', $1, $8, now() FROM allowed
   )
   SELECT is_concerned, is_frozen AND $4 = 'NEW_CREDIT' AS is_frozen FROM subject`,
};

const READ_SUBJECT: Statement = {
  name: 'read_subject',
  text: `SELECT id, type, current_username,
       (SELECT count(*)::integer FROM reporting.inquiries
        WHERE subject_id = $1 AND inquiry_type = 'HARD' AND duplicate_of IS NULL
          AND created_at > now() - interval '1 year') AS inquiries
     FROM reporting.subjects WHERE id = $1`,
};

const READ_ACCOUNTS: Statement = {
  name: 'read_accounts',
  text: `SELECT id, institution_id, account_type, status, original_principal_minor, balance_minor,
       payments, late_reports, version
     FROM reporting.accounts WHERE subject_id = $1 ORDER BY id`,
};

/** Records the inquiry and reads the file, which shows every event that was acknowledged before. */
export async function recordInquiry(pool: pg.Pool, request: InquiryRequest): Promise<SubjectFile> {
  const { institution_id, key_id, request_id, subject_id, purpose } = request;
  const inquiry_id = newId();
  const audit = [newId(), newId(), key_id, request_id];
  const [recorded, read, accounts] = await onConnection(pool, (connection) =>
    together([
      connection.query({
        ...RECORD,
        values: [inquiry_id, subject_id, institution_id, purpose, ...audit],
      }),
      connection.query({ ...READ_SUBJECT, values: [subject_id] }),
      connection.query({ ...READ_ACCOUNTS, values: [subject_id] }),
    ]),
  );
  const [outcome] = recorded.rows;
  if (outcome === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no such subject.');
  if (!outcome.is_concerned) {
    throw new Refused(403, 'FORBIDDEN', 'A review is for who has an account of the subject.');
  }
  if (outcome.is_frozen) throw new Refused(403, 'FORBIDDEN', 'The file is frozen.');
  const { inquiries, ...subject } = read.rows[0];
  return { inquiry_id, subject, accounts: accounts.rows, inquiries };
}

const HISTORY: Statement = {
  name: 'history',
  text: `SELECT score, created_at FROM scoring.snapshots WHERE subject_id = $1
     ORDER BY created_at DESC LIMIT 12`,
};

export interface Snapshot {
  readonly score: number;
  readonly created_at: Date;
}

/** The latest scores, newest first. */
export async function readHistory(pool: pg.Pool, subject_id: string): Promise<Snapshot[]> {
  const { rows } = await pool.query<Snapshot>({ ...HISTORY, values: [subject_id] });
  return rows;
}

/** What a member gets to see. */
export function profileOf(
  { inquiry_id, subject, accounts, inquiries }: SubjectFile,
  history: readonly Snapshot[],
) {
  const { score, grade, reason_codes } = scoreOf({ accounts, inquiries });
  const total = (of: (account: Account) => number) =>
    accounts.reduce((sum, account) => sum + of(account), 0);
  return {
    subject,
    credit: {
      accounts: accounts.length,
      open_defaults: total(({ status }) => (status === 'DEFAULTED' ? 1 : 0)),
      total_principal: total((account) => account.original_principal_minor) / 100,
      total_balance: total((account) => account.balance_minor) / 100,
      payments: total((account) => account.payments),
      late_reports: total((account) => account.late_reports),
      inquiries,
    },
    risk: { score, grade },
    history: history.map((snapshot) => ({
      score: snapshot.score,
      created_at: snapshot.created_at.toISOString(),
    })),
    reason_codes,
    inquiry_id,
  };
}
