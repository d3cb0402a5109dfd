import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { EventRecord, NoticeKind } from '../domain/event';
import type { AccountStatus, DefaultSeverity, EventEffect, EventType } from '../domain/vocabulary';
import { OPEN_DISPUTES_OF_EVENT } from './known-disputes';
import { decodeOpeningFacts, encodeOpeningFacts } from './opening-codec';
import { toMs, toText } from './time';

const RECORD = columns({
  account_id: column('uuid'),
  sequence: column('integer'),
  id: column('uuid'),
  event_type: column<'text', EventType>('text'),
  occurred_at: column('timestamptz'),
  reported_at: column('timestamptz'),
  amount_minor: nullable(column('bigint')),
  balance_after_minor: nullable(column('bigint')),
  source_reference: nullable(column('text')),
  default_severity: nullable(column<'text', DefaultSeverity>('text')),
  supersedes_event_id: nullable(column('uuid')),
  correction_reason: nullable(column('text')),
  corrected_event_type: nullable(column<'text', EventType>('text')),
  corrected_occurred_at: nullable(column('timestamptz')),
  opening_facts: nullable(column('json')),
  certification: nullable(column('text')),
  by_network: column('boolean'),
  notice: nullable(column<'text', NoticeKind>('text')),
  superseded_by_event_id: nullable(column('uuid')),
  effect: column<'text', EventEffect>('text'),
  resulting_status: nullable(column<'text', AccountStatus>('text')),
});
export type EventRow = RowOf<typeof RECORD>;

/** A new event. */
export const EVENT = columns({ subject_id: column('uuid') }).with(RECORD);
/** What follows from the timeline and can change, with the event's key. */
const AMENDED = EVENT.pick(
  'subject_id',
  'account_id',
  'sequence',
  'superseded_by_event_id',
  'effect',
  'resulting_status',
);

/** An event and whose it is. */
export interface OwnedRecord {
  readonly subject_id: string;
  readonly account_id: string;
  readonly record: EventRecord;
}

/** Names an account by its key. */
export interface AccountKey {
  readonly subject_id: string;
  readonly account_id: string;
}

export const EVENT_COLUMNS = RECORD.names('events');

export function toRecord(row: EventRow): EventRecord {
  return {
    id: row.id,
    sequence: row.sequence,
    event_type: row.event_type,
    occurred_at_ms: toMs(row.occurred_at),
    reported_at_ms: toMs(row.reported_at),
    amount_minor: row.amount_minor,
    balance_after_minor: row.balance_after_minor,
    source_reference: row.source_reference,
    default_severity: row.default_severity,
    supersedes_event_id: row.supersedes_event_id,
    correction_reason: row.correction_reason,
    corrected_event_type: row.corrected_event_type,
    corrected_occurred_at_ms: toMs(row.corrected_occurred_at),
    ...decodeOpeningFacts(row.opening_facts),
    certification: row.certification,
    by_network: row.by_network,
    notice: row.notice,
    superseded_by_event_id: row.superseded_by_event_id,
    effect: row.effect,
    resulting_status: row.resulting_status,
  };
}

// LATERAL with OFFSET 0 keeps the planner from joining whole partitions: it looks every wanted row
// up in the one partition that can hold it.
const BY_REFERENCE = statement<EventRow>(
  'credit_events_by_reference',
  `SELECT events.*
   FROM unnest($1::uuid[], $2::uuid[], $3::text[])
     AS wanted (subject_id, account_id, source_reference)
   CROSS JOIN LATERAL (
     SELECT ${EVENT_COLUMNS} FROM credit_events AS events
     WHERE events.subject_id = wanted.subject_id AND events.account_id = wanted.account_id
       AND events.source_reference = wanted.source_reference
     OFFSET 0
   ) AS events`,
);

/** Events that used one of these source references in its account. */
export async function eventsByReference(
  on: Queryable,
  wanted: readonly (AccountKey & { source_reference: string })[],
): Promise<{ account_id: string; record: EventRecord }[]> {
  const rows = await on.query(BY_REFERENCE, [
    wanted.map((reference) => reference.subject_id),
    wanted.map((reference) => reference.account_id),
    wanted.map((reference) => reference.source_reference),
  ]);
  return rows.map((row) => ({ account_id: row.account_id, record: toRecord(row) }));
}

const HISTORIES = statement<EventRow>(
  'credit_events_histories',
  `SELECT events.*
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, account_id)
   CROSS JOIN LATERAL (
     SELECT ${EVENT_COLUMNS} FROM credit_events AS events
     WHERE events.subject_id = wanted.subject_id AND events.account_id = wanted.account_id
     ORDER BY events.sequence
     OFFSET 0
   ) AS events`,
);

/** All records of the accounts, each account's by sequence. */
export async function historiesOf(
  on: Queryable,
  accounts: readonly AccountKey[],
): Promise<Map<string, EventRecord[]>> {
  const rows = await on.query(HISTORIES, [
    accounts.map((account) => account.subject_id),
    accounts.map((account) => account.account_id),
  ]);
  const histories = new Map<string, EventRecord[]>();
  for (const row of rows) {
    const records = histories.get(row.account_id);
    if (records === undefined) histories.set(row.account_id, [toRecord(row)]);
    else records.push(toRecord(row));
  }
  return histories;
}

const ELSEWHERE = statement<{ id: string; institution_id: string }>(
  'credit_events_elsewhere',
  `SELECT events.id, directory.institution_id
   FROM credit_events AS events
   JOIN account_directory AS directory USING (account_id)
   WHERE events.id = ANY ($1::uuid[])`,
);

/** Which institution's events these are, whatever their account; unknown ones are left out. */
export async function institutionsOfEvents(
  on: Queryable,
  event_ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await on.query(ELSEWHERE, [event_ids]);
  return new Map(rows.map((row) => [row.id, row.institution_id]));
}

const PAGE = statement<EventRow & { open_dispute_count: number }>(
  'credit_events_page',
  `SELECT ${EVENT_COLUMNS}, ${OPEN_DISPUTES_OF_EVENT} FROM credit_events AS events
   WHERE subject_id = $1 AND account_id = $2 AND ($3::integer IS NULL OR sequence < $3)
   ORDER BY sequence DESC LIMIT $4`,
);

/** A record as its institution reads it. */
export interface ContestableRecord {
  readonly record: EventRecord;
  /** Disputes about it without an outcome. */
  readonly open_dispute_count: number;
}

/** An account's events, the last recorded first. */
export async function pageOfEvents(
  on: Queryable,
  account: AccountKey,
  before_sequence: number | undefined,
  limit: number,
): Promise<ContestableRecord[]> {
  const values = [account.subject_id, account.account_id, before_sequence, limit];
  return (await on.query(PAGE, values)).map(toContestable);
}

// Each account's newest events are read from the end of its own key, however long its record is.
const NEWEST = statement<EventRow & { open_dispute_count: number }>(
  'credit_events_newest',
  `SELECT events.*
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, account_id)
   CROSS JOIN LATERAL (
     SELECT ${EVENT_COLUMNS}, ${OPEN_DISPUTES_OF_EVENT} FROM credit_events AS events
     WHERE events.subject_id = wanted.subject_id AND events.account_id = wanted.account_id
     ORDER BY events.sequence DESC LIMIT $3
   ) AS events`,
);

/** The newest events of each account, the last recorded first. */
export async function newestEventsOf(
  on: Queryable,
  accounts: readonly AccountKey[],
  limit_each: number,
): Promise<Map<string, ContestableRecord[]>> {
  if (accounts.length === 0) return new Map();
  const rows = await on.query(NEWEST, [
    accounts.map((account) => account.subject_id),
    accounts.map((account) => account.account_id),
    limit_each,
  ]);
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  return new Map([...byAccount].map(([id, events]) => [id, events.map(toContestable)]));
}

const OF_ACCOUNT = statement<EventRow & { open_dispute_count: number }>(
  'credit_events_of_account',
  `SELECT ${EVENT_COLUMNS}, ${OPEN_DISPUTES_OF_EVENT} FROM credit_events AS events
   WHERE subject_id = $1 AND account_id = $2 AND sequence = ANY ($3::integer[])
   ORDER BY sequence`,
);

/** Named events of an account, the first recorded first. */
export async function eventsOfAccount(
  on: Queryable,
  account: AccountKey,
  sequences: readonly number[],
): Promise<ContestableRecord[]> {
  if (sequences.length === 0) return [];
  const values = [account.subject_id, account.account_id, sequences];
  return (await on.query(OF_ACCOUNT, values)).map(toContestable);
}

function toContestable({
  open_dispute_count,
  ...row
}: EventRow & { open_dispute_count: number }): ContestableRecord {
  return { record: toRecord(row), open_dispute_count };
}

const AMEND = batchStatement(
  'credit_events_amend',
  { amended: AMENDED },
  (sql) => `UPDATE credit_events AS events
   SET ${AMENDED.assignments('new', 'subject_id', 'account_id', 'sequence')}
   FROM unnest(${sql.amended}) AS new (${AMENDED.names()})
   WHERE (events.subject_id, events.account_id, events.sequence)
       = (new.subject_id, new.account_id, new.sequence)`,
);

/** Writes what follows from the timeline into events on record. */
export function amendEvents(tx: Transaction, amended: readonly OwnedRecord[]): void {
  if (amended.length === 0) return;
  const rows = amended.map(({ record, ...owner }) => ({ ...record, ...owner }));
  // Each must be on record.
  tx.write(AMEND, AMEND.values({ amended: rows }), amended.length);
}

/** {@link EVENT} of an event and its owner. Written out: it is hot, and spreads are slow. */
export function toEventRow({ subject_id, account_id, record }: OwnedRecord): RowOf<typeof EVENT> {
  return {
    subject_id,
    account_id,
    sequence: record.sequence,
    id: record.id,
    event_type: record.event_type,
    occurred_at: toText(record.occurred_at_ms),
    reported_at: toText(record.reported_at_ms),
    amount_minor: record.amount_minor,
    balance_after_minor: record.balance_after_minor,
    source_reference: record.source_reference,
    default_severity: record.default_severity,
    supersedes_event_id: record.supersedes_event_id,
    correction_reason: record.correction_reason,
    corrected_event_type: record.corrected_event_type,
    corrected_occurred_at: toText(record.corrected_occurred_at_ms),
    opening_facts: encodeOpeningFacts(record),
    certification: record.certification,
    by_network: record.by_network,
    notice: record.notice,
    superseded_by_event_id: record.superseded_by_event_id,
    effect: record.effect,
    resulting_status: record.resulting_status,
  };
}
