// Everything that one batch changes, in one statement.

import { batchStatement, column, columns, type Transaction } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import {
  KEYED_OPENING,
  KEYED_STATE,
  NEW_ACCOUNT,
  OPENING,
  STATE,
  toFactsRow,
  toStateRow,
} from './accounts';
import { amendEvents, EVENT, type OwnedRecord, toEventRow } from './events';
import { bumpHeads, HEAD, toHeadRows } from './heads';
import { NEW_INQUIRY, toInquiryRow } from './inquiries';
import { toText } from './time';
import { TOTALS } from './totals';

function insertEvents(rows: string): string {
  const names = EVENT.names();
  return `INSERT INTO credit_events (${names}) SELECT ${names} FROM unnest(${rows}) AS new (${names})`;
}

function updateStates(rows: string): string {
  return `UPDATE accounts SET ${STATE.assignments('new')}
     FROM unnest(${rows}) AS new (${KEYED_STATE.names()})
     WHERE accounts.subject_id = new.subject_id AND accounts.id = new.id`;
}

const REPORTED = columns({
  institution_id: column('uuid'),
  events: column('integer'),
  timely_events: column('integer'),
  correction_halves: column('integer'),
});

const WRITE_EVENTS = batchStatement(
  'changes_write_events',
  {
    now: 'timestamptz',
    heads: HEAD,
    states: KEYED_STATE,
    events: EVENT,
    event_count: 'integer',
    reported: REPORTED,
  },
  (sql) => `WITH heads AS (${bumpHeads(sql.heads)}),
   totals AS (${TOTALS.adding(sql.now, { events: sql.event_count })}),
   states AS (${updateStates(sql.states)}),
   days AS (
     INSERT INTO reporting_days AS known (day, slot, ${REPORTED.names()})
     SELECT ${sql.now} AT TIME ZONE 'UTC', pg_backend_pid() % 16, ${REPORTED.names()}
     FROM unnest(${sql.reported}) AS new (${REPORTED.names()})
     ORDER BY institution_id
     ON CONFLICT (institution_id, day, slot) DO UPDATE
       SET events = known.events + excluded.events,
           timely_events = known.timely_events + excluded.timely_events,
           correction_halves = known.correction_halves + excluded.correction_halves
   )
   ${insertEvents(sql.events)}`,
);

/** What an institution reported in a batch, for the health of its reporting. */
export interface Reported {
  readonly institution_id: string;
  events: number;
  timely_events: number;
  correction_halves: number;
}

/** What a batch of events changes. */
export interface EventChanges {
  readonly now_ms: number;
  /** New versions by subject. */
  readonly heads: ReadonlyMap<string, number>;
  readonly accounts: readonly Account[];
  readonly recorded: readonly OwnedRecord[];
  readonly amended: readonly OwnedRecord[];
  /** One entry an institution. */
  readonly reported: readonly Reported[];
}

export function writeEvents(tx: Transaction, changes: EventChanges): void {
  if (changes.recorded.length === 0) return;
  const values = WRITE_EVENTS.values({
    now: toText(changes.now_ms),
    heads: toHeadRows(changes.heads),
    states: changes.accounts.map(toStateRow),
    events: changes.recorded.map(toEventRow),
    event_count: changes.recorded.length,
    reported: changes.reported,
  });
  tx.write(WRITE_EVENTS, values);
  amendEvents(tx, changes.amended);
}

const WRITE_ACCOUNTS = batchStatement(
  'changes_write_accounts',
  {
    now: 'timestamptz',
    heads: HEAD,
    accounts: NEW_ACCOUNT,
    account_count: 'integer',
    events: EVENT,
  },
  (sql) => `WITH heads AS (${bumpHeads(sql.heads)}),
   totals AS (${TOTALS.adding(sql.now, { accounts: sql.account_count, events: sql.account_count })}),
   opened AS (
     INSERT INTO accounts (${NEW_ACCOUNT.names()}) SELECT * FROM unnest(${sql.accounts})
   )
   ${insertEvents(sql.events)}`,
);

/** What a batch of new accounts changes. */
export interface AccountChanges {
  readonly now_ms: number;
  readonly heads: ReadonlyMap<string, number>;
  readonly accounts: readonly Account[];
  readonly recorded: readonly OwnedRecord[];
}

export function writeAccounts(tx: Transaction, changes: AccountChanges): void {
  const { accounts } = changes;
  if (accounts.length === 0) return;
  const values = WRITE_ACCOUNTS.values({
    now: toText(changes.now_ms),
    heads: toHeadRows(changes.heads),
    accounts: accounts.map((account) => ({ ...toFactsRow(account), ...toStateRow(account) })),
    account_count: accounts.length,
    events: changes.recorded.map(toEventRow),
  });
  tx.write(WRITE_ACCOUNTS, values);
}

const WRITE_STATES = batchStatement(
  'changes_write_states',
  { heads: HEAD, states: KEYED_STATE },
  (sql) => `WITH heads AS (${bumpHeads(sql.heads)}) ${updateStates(sql.states)}`,
);

/** Writes states that come of no new event. */
export function writeStates(
  tx: Transaction,
  heads: ReadonlyMap<string, number>,
  accounts: readonly Account[],
): void {
  if (accounts.length === 0) return;
  const states = accounts.map(toStateRow);
  tx.write(WRITE_STATES, WRITE_STATES.values({ heads: toHeadRows(heads), states }));
}

const DIRECTORY = columns({
  account_id: column('uuid'),
  voided: column('boolean'),
  external_account_id: column('text'),
});

const WRITE_OPENINGS = batchStatement(
  'changes_write_openings',
  { names: DIRECTORY, openings: KEYED_OPENING },
  // The directory keeps what a void account was called, and its name is free.
  (sql) => `WITH directory AS (
     UPDATE account_directory AS directory
     SET external_account_id = CASE WHEN new.voided THEN NULL ELSE new.external_account_id END,
         former_external_account_id = CASE WHEN new.voided THEN new.external_account_id END
     FROM unnest(${sql.names}) AS new (${DIRECTORY.names()})
     WHERE directory.account_id = new.account_id
       AND (directory.external_account_id IS NULL) <> new.voided
   )
   UPDATE accounts SET ${OPENING.assignments('new')}
   FROM unnest(${sql.openings}) AS new (${KEYED_OPENING.names()})
   WHERE accounts.subject_id = new.subject_id AND accounts.id = new.id`,
);

/** Writes what corrections of openings and outcomes of disputes change: rare, and apart from events. */
export function writeOpenings(tx: Transaction, accounts: readonly Account[]): void {
  if (accounts.length === 0) return;
  const openings = accounts.map(toFactsRow);
  const names = openings.map((opening) => ({ ...opening, account_id: opening.id }));
  tx.write(WRITE_OPENINGS, WRITE_OPENINGS.values({ names, openings }));
}

const WRITE_INQUIRIES = batchStatement(
  'changes_write_inquiries',
  { now: 'timestamptz', heads: HEAD, inquiries: NEW_INQUIRY, inquiry_count: 'integer' },
  (sql) => `WITH heads AS (${bumpHeads(sql.heads)}),
   totals AS (${TOTALS.adding(sql.now, { inquiries: sql.inquiry_count })})
   INSERT INTO inquiries (${NEW_INQUIRY.names()}) SELECT * FROM unnest(${sql.inquiries})`,
);

/** What a batch of inquiries changes. */
export interface InquiryChanges {
  readonly now_ms: number;
  readonly heads: ReadonlyMap<string, number>;
  readonly inquiries: readonly Inquiry[];
}

export function writeInquiries(tx: Transaction, changes: InquiryChanges): void {
  const { inquiries } = changes;
  if (inquiries.length === 0) return;
  const values = WRITE_INQUIRIES.values({
    now: toText(changes.now_ms),
    heads: toHeadRows(changes.heads),
    inquiries: inquiries.map(toInquiryRow),
    inquiry_count: inquiries.length,
  });
  tx.write(WRITE_INQUIRIES, values);
}

const ADD_SUBJECTS = batchStatement(
  'totals_add_subjects',
  { now: 'timestamptz', count: 'integer' },
  (sql) => TOTALS.adding(sql.now, { subjects: `${sql.count}` }),
);

/** Counts new subjects: last in its transaction, for others wait for the row. */
export function countSubjects(tx: Transaction, now_ms: number, count: number): void {
  tx.write(ADD_SUBJECTS, ADD_SUBJECTS.values({ now: toText(now_ms), count }));
}
