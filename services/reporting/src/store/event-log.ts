import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import type { EventRecord } from '../domain/event';
import type { LoggedEvent } from '../domain/event-log';
import { type AccountKey, EVENT_COLUMNS, type EventRow, toRecord } from './events';

/** Events looked at in one statement. */
export const EVENTS_A_PAGE = 1_000;
/** Logs told of in one transaction. */
export const LOGS_A_PAGE = 100;

// A log says of whom an event was recorded, wherever it was moved since: what was signed stays true.
const RECORDED_OF = 'coalesce(events.recorded_of, events.subject_id) AS subject_id';

// Whoever has the row goes on with the log; the others look again later.
const TAKE_TURN = statement<{ after_id: string }>(
  'event_log_take_turn',
  'SELECT after_id FROM event_log_progress FOR UPDATE SKIP LOCKED',
);

const MOVE_ON = statement('event_log_move_on', 'UPDATE event_log_progress SET after_id = $1');

// All that writes events here is of this role in this database, which is one of several of its server. A
// transaction that is open now began at this time or later, and whatever began earlier is over and seen.
const SETTLED = statement<{ at_ms: bigint }>(
  'event_log_settled',
  `SELECT floor(extract(epoch FROM least(clock_timestamp(), (
     SELECT min(xact_start) FROM pg_stat_activity
     WHERE usename = current_user AND datname = current_database() AND pid <> pg_backend_pid()
   ))) * 1000)::bigint AS at_ms`,
);

// By the index of ids, whose order is that of time. The number is written out: a plan that does not
// know it would sort all that is there.
const PAGE = statement<EventRow & { subject_id: string; institution_id: string; logged: boolean }>(
  'event_log_page',
  `SELECT ${EVENT_COLUMNS}, ${RECORDED_OF}, directory.institution_id,
     EXISTS (SELECT FROM event_log_entries WHERE event_id = events.id) AS logged
   FROM (
     SELECT * FROM credit_events WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${EVENTS_A_PAGE}
   ) AS events
   JOIN account_directory AS directory USING (account_id)
   ORDER BY events.id`,
);

const FIRST_AFTER = statement<{ id: string }>(
  'event_log_first_after',
  'SELECT id FROM credit_events WHERE id > (SELECT after_id FROM event_log_progress) ORDER BY id LIMIT 1',
);

const WAITING_SINCE = statement<{ at: string | undefined }>(
  'event_log_waiting_since',
  'SELECT min(waiting_since) AS at FROM event_logs',
);

const LOG = columns({
  institution_id: column('uuid'),
  size: column('bigint'),
  told_size: column('bigint'),
  waiting_since: nullable(column('timestamptz')),
});
type LogRow = RowOf<typeof LOG>;

const LOGS = statement<LogRow>(
  'event_logs_of',
  `SELECT ${LOG.names()} FROM event_logs
   WHERE institution_id = ANY ($1::uuid[])`,
);

const WAITING = statement<LogRow>(
  'event_logs_waiting',
  `SELECT ${LOG.names()} FROM event_logs
   WHERE waiting_since <= $1 ORDER BY institution_id LIMIT ${LOGS_A_PAGE}`,
);

const AFTER = statement<LogRow>(
  'event_logs_after',
  `SELECT ${LOG.names()} FROM event_logs
   WHERE institution_id > $1 ORDER BY institution_id LIMIT ${LOGS_A_PAGE}`,
);

const SET_LOGS = batchStatement(
  'event_logs_set',
  { logs: LOG },
  (sql) => `INSERT INTO event_logs (${LOG.names()}) SELECT * FROM unnest(${sql.logs})
   ON CONFLICT (institution_id) DO UPDATE SET ${LOG.assignments('excluded', 'institution_id')}`,
);

const ENTRY = columns({
  institution_id: column('uuid'),
  place: column('bigint'),
  event_id: column('uuid'),
});

const INSERT_ENTRIES = batchStatement(
  'event_log_entries_insert',
  { entries: ENTRY },
  (sql) => `INSERT INTO event_log_entries (${ENTRY.names()}) SELECT * FROM unnest(${sql.entries})`,
);

const EVENT = statement<EventRow & { place: bigint | undefined; subject_id: string }>(
  'event_log_event',
  `SELECT ${EVENT_COLUMNS}, ${RECORDED_OF},
     (SELECT place FROM event_log_entries WHERE event_id = events.id) AS place
   FROM credit_events AS events
   WHERE events.subject_id = $1 AND events.account_id = $2 AND events.id = $3`,
);

const ENTRIES = statement<
  EventRow & { place: bigint; logged_id: string; subject_id: string; institution_id: string }
>(
  'event_log_entries_read',
  `SELECT entries.place, entries.event_id AS logged_id, events.*, directory.institution_id
   FROM event_log_entries AS entries
   LEFT JOIN LATERAL (
     SELECT ${EVENT_COLUMNS}, ${RECORDED_OF} FROM credit_events AS events
     WHERE events.id = entries.event_id
     OFFSET 0
   ) AS events ON true
   LEFT JOIN account_directory AS directory ON directory.account_id = events.account_id
   WHERE entries.institution_id = $1 AND entries.place >= $2 AND entries.place < $3
   ORDER BY entries.place`,
);

/** The log of one institution. */
export interface EventLog {
  readonly institution_id: string;
  readonly size: number;
  readonly told_size: number;
  readonly waiting_since: string | undefined;
}

function toLog({ institution_id, size, told_size, waiting_since }: LogRow): EventLog {
  return { institution_id, size: Number(size), told_size: Number(told_size), waiting_since };
}

/** The turn to go on, and after which event; undefined while another process has it. */
export async function takeLogTurn(tx: Queryable): Promise<string | undefined> {
  return (await tx.maybe(TAKE_TURN))?.after_id;
}

/** Says that all events up to this one are in. */
export async function moveLogOn(tx: Queryable, after_id: string): Promise<void> {
  await tx.execute(MOVE_ON, [after_id]);
}

/** The time before which no transaction that is still open began. */
export async function settledAt(on: Queryable): Promise<number> {
  return Number((await on.one(SETTLED)).at_ms);
}

/** Events between two ids, and whether each is in its log. */
export async function pageOfCommitted(
  on: Queryable,
  after_id: string,
  before_id: string,
): Promise<(LoggedEvent & { logged: boolean })[]> {
  const rows = await on.query(PAGE, [after_id, before_id]);
  return rows.map((row) => ({
    institution_id: row.institution_id,
    subject_id: row.subject_id,
    account_id: row.account_id,
    record: toRecord(row),
    logged: row.logged,
  }));
}

/** The first event that is in no log yet; undefined without any. */
export async function firstUnlogged(on: Queryable): Promise<string | undefined> {
  return (await on.maybe(FIRST_AFTER))?.id;
}

/** Since when the log that has waited longest waits to be told of. */
export async function logsWaitingSince(on: Queryable): Promise<string | undefined> {
  return (await on.one(WAITING_SINCE)).at;
}

/** The logs of institutions; those without one are left out. */
export async function readLogs(
  on: Queryable,
  institution_ids: readonly string[],
): Promise<EventLog[]> {
  return (await on.query(LOGS, [institution_ids])).map(toLog);
}

/** Logs that have waited since a time to be told of. */
export async function logsWaiting(on: Queryable, since: string): Promise<EventLog[]> {
  return (await on.query(WAITING, [since])).map(toLog);
}

/** Logs by the ids of their institutions, after one. */
export async function pageOfLogs(on: Queryable, after_id: string): Promise<EventLog[]> {
  return (await on.query(AFTER, [after_id])).map(toLog);
}

/** Writes what has become of logs. */
export async function writeLogs(tx: Queryable, logs: readonly EventLog[]): Promise<void> {
  if (logs.length === 0) return;
  const rows = logs.map((log) => ({
    ...log,
    size: BigInt(log.size),
    told_size: BigInt(log.told_size),
  }));
  await tx.execute(SET_LOGS, SET_LOGS.values({ logs: rows }));
}

/** Where an event stands in a log. */
export interface LogEntry {
  readonly institution_id: string;
  readonly place: number;
  readonly event_id: string;
}

export async function insertEntries(tx: Queryable, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry, place: BigInt(entry.place) }));
  await tx.execute(INSERT_ENTRIES, INSERT_ENTRIES.values({ entries: rows }));
}

/** An event of an account, of whom it was recorded, and its place in the log, undefined while it has none. */
export async function findLogged(
  on: Queryable,
  account: AccountKey,
  event_id: string,
): Promise<{ record: EventRecord; subject_id: string; place: number | undefined } | undefined> {
  const row = await on.maybe(EVENT, [account.subject_id, account.account_id, event_id]);
  if (row === undefined) return undefined;
  const place = row.place === undefined ? undefined : Number(row.place);
  return { record: toRecord(row), subject_id: row.subject_id, place };
}

/** Entries of a log from one place to before another, in order, with what they speak of. */
export async function readEntries(
  on: Queryable,
  institution_id: string,
  from: number,
  to: number,
): Promise<{ place: number; event: LoggedEvent | undefined }[]> {
  const rows = await on.query(ENTRIES, [institution_id, BigInt(from), BigInt(to)]);
  return rows.map((row) => ({
    place: Number(row.place),
    event:
      row.id === undefined
        ? undefined
        : {
            institution_id: row.institution_id,
            subject_id: row.subject_id,
            account_id: row.account_id,
            record: toRecord(row),
          },
  }));
}
