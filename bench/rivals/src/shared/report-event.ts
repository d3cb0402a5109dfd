import type pg from 'pg';
import { type Account, applyEvent, type EventCommand } from './accounts.ts';
import { type Connection, onConnection, type Statement, together } from './database.ts';
import { newId } from './ids.ts';
import { Refused } from './refused.ts';
import { fingerprintOf } from './requests.ts';
import { type ScoreFacts, scoreOf } from './score.ts';

/** One reported event, of a caller who may report. */
export interface ReportRequest {
  readonly institution_id: string;
  readonly key_id: string;
  readonly request_id: string;
  readonly account_id: string;
  readonly idempotency_key: string;
  readonly command: EventCommand;
}

/** The answer's body as it was sent the first time. */
export interface Reported {
  readonly answer: string;
  readonly replayed: boolean;
}

/** What the outbox says of an event. */
export interface AccountChanged {
  readonly event_id: string;
  readonly event_type: string;
  readonly facts: ScoreFacts;
}

const ENDPOINT = 'ReportEvent';
const UNIQUE_VIOLATION = '23505';

// All of the subject's accounts, for its score goes by them all. Whoever repeats a request waits here
// for the first one, so the record of its key is looked for after this.
const LOCK: Statement = {
  name: 'lock_accounts',
  text: `SELECT id, subject_id, institution_id, account_type, status, original_principal_minor,
       balance_minor, payments, late_reports, version, clock_timestamp() AS now
     FROM reporting.accounts
     WHERE subject_id =
       (SELECT subject_id FROM reporting.accounts WHERE id = $1 AND institution_id = $2)
     ORDER BY id FOR UPDATE`,
};

const FIND_RECORD: Statement = {
  name: 'find_record',
  text: `SELECT fingerprint, answer FROM reporting.idempotency_records
     WHERE institution_id = $1 AND endpoint = $2 AND key = $3`,
};

const COUNT_INQUIRIES: Statement = {
  name: 'count_inquiries',
  text: `SELECT count(*)::integer AS inquiries FROM reporting.inquiries
     WHERE subject_id = (SELECT subject_id FROM reporting.accounts WHERE id = $1)
       AND inquiry_type = 'HARD' AND duplicate_of IS NULL AND created_at > now() - interval '1 year'`,
};

// Everything that an event brings about, in one round trip.
const write = (event: string) => `WITH account AS (
     UPDATE reporting.accounts SET status = $10, balance_minor = $11, payments = $12,
       late_reports = $13, version = $4, updated_at = $7
     WHERE id = $2
   ), record AS (
     INSERT INTO reporting.idempotency_records
       (institution_id, endpoint, key, fingerprint, answer, created_at)
     VALUES ($14, $15, $16, $17, $18, $7)
   ), told AS (
     INSERT INTO reporting.outbox (id, type, subject_id, payload)
     VALUES ($19, 'account_changed', $3, $20)
   ), audited AS (
     INSERT INTO reporting.audit_entries
       (id, institution_id, key_id, action, resource_id, request_id, created_at)
     VALUES ($21, $14, $22, 'credit_event.reported', $1, $23, $7)
   )${event}`;
const EVENT = `INSERT INTO reporting.credit_events
     (id, account_id, subject_id, sequence, event_type, occurred_at, reported_at,
      amount_minor, balance_after_minor, resulting_status)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const WRITE: Statement = { name: 'write_event', text: write(` ${EVENT}`) };
const WRITE_WITH_SNAPSHOT: Statement = {
  name: 'write_event_with_snapshot',
  text: write(`, event AS (${EVENT})
   INSERT INTO scoring.snapshots (event_id, subject_id, score, created_at)
   VALUES ($1, $3, $24, $7)`),
};

/** Reports an event in one transaction; where the score is kept beside, its snapshot too. */
export async function reportEvent(
  pool: pg.Pool,
  request: ReportRequest,
  options: { readonly with_snapshot: boolean },
): Promise<Reported> {
  try {
    return await onConnection(pool, (connection) => carryOut(connection, request, options));
  } catch (error) {
    // The same key came for another account at the same time.
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw keyReused();
    throw error;
  }
}

async function carryOut(
  connection: Connection,
  request: ReportRequest,
  { with_snapshot }: { readonly with_snapshot: boolean },
): Promise<Reported> {
  const { account_id, institution_id, idempotency_key, command } = request;
  const fingerprint = fingerprintOf(account_id, command);
  const [, locked, found, counted] = await together([
    connection.query('BEGIN'),
    connection.query({ ...LOCK, values: [account_id, institution_id] }),
    connection.query({ ...FIND_RECORD, values: [institution_id, ENDPOINT, idempotency_key] }),
    connection.query({ ...COUNT_INQUIRIES, values: [account_id] }),
  ]);
  const [record] = found.rows;
  if (record !== undefined) {
    if (!fingerprint.equals(record.fingerprint)) throw keyReused();
    await connection.query('ROLLBACK');
    return { answer: record.answer, replayed: true };
  }
  const rows = locked.rows as (Account & { subject_id: string; now: Date })[];
  const row = rows.find(({ id }) => id === account_id);
  if (row === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no such account.');
  const { subject_id, now, ...account } = row;
  const changed = applyEvent(account, command, now.getTime());
  const facts: ScoreFacts = {
    accounts: rows.map(({ id, ...other }) =>
      factsOf(id === account_id ? changed : { id, ...other }),
    ),
    inquiries: counted.rows[0].inquiries,
  };
  const event_id = newId();
  const reported_at = now.toISOString();
  const answer = JSON.stringify({
    id: event_id,
    credit_account_id: account_id,
    subject_id,
    event_type: command.event_type,
    occurred_at: command.occurred_at,
    reported_at,
    sequence: changed.version,
    amount: toMajor(command.amount_minor),
    balance_after: toMajor(command.balance_after_minor),
    resulting_status: changed.status,
  });
  const told: AccountChanged = { event_id, event_type: command.event_type, facts };
  const values = [
    event_id,
    account_id,
    subject_id,
    changed.version,
    command.event_type,
    command.occurred_at,
    reported_at,
    command.amount_minor ?? null,
    command.balance_after_minor ?? null,
    changed.status,
    changed.balance_minor,
    changed.payments,
    changed.late_reports,
    institution_id,
    ENDPOINT,
    idempotency_key,
    fingerprint,
    answer,
    newId(),
    JSON.stringify(told),
    newId(),
    request.key_id,
    request.request_id,
  ];
  // A commit after a statement that failed takes everything back, so both can be sent at once.
  await together([
    with_snapshot
      ? connection.query({ ...WRITE_WITH_SNAPSHOT, values: [...values, scoreOf(facts).score] })
      : connection.query({ ...WRITE, values }),
    connection.query('COMMIT'),
  ]);
  return { answer, replayed: false };
}

const keyReused = () =>
  new Refused(409, 'CONFLICT', 'The Idempotency-Key was used for another request.');

const toMajor = (minor: number | undefined) => (minor === undefined ? null : minor / 100);

function factsOf(account: Account): ScoreFacts['accounts'][number] {
  const { status, original_principal_minor, balance_minor, payments, late_reports } = account;
  return { status, original_principal_minor, balance_minor, payments, late_reports };
}
