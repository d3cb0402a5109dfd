import { type Queryable, statement, type Transaction } from '@credit/platform/db';
import type { EventRecord, NoticeKind } from '../domain/event';
import type { AccountStatus, DefaultSeverity, EventEffect, EventType } from '../domain/vocabulary';
import { OPEN_DISPUTES_OF_EVENT } from './known-disputes';
import { decodeOpeningFacts, encodeOpeningFacts, type StoredOpeningFacts } from './opening-codec';
import { toMs, toText } from './time';

interface EventRow {
  account_id: string;
  sequence: number;
  id: string;
  event_type: EventType;
  occurred_at: string;
  reported_at: string;
  amount_minor: bigint | undefined;
  balance_after_minor: bigint | undefined;
  source_reference: string | undefined;
  default_severity: DefaultSeverity | undefined;
  supersedes_event_id: string | undefined;
  correction_reason: string | undefined;
  corrected_event_type: EventType | undefined;
  corrected_occurred_at: string | undefined;
  opening_facts: StoredOpeningFacts | undefined;
  certification: string | undefined;
  by_network: boolean;
  notice: NoticeKind | undefined;
  superseded_by_event_id: string | undefined;
  effect: EventEffect;
  resulting_status: AccountStatus | undefined;
}

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

const COLUMNS = `events.account_id, events.sequence, events.id, events.event_type,
  events.occurred_at, events.reported_at, events.amount_minor, events.balance_after_minor,
  events.source_reference, events.default_severity, events.supersedes_event_id,
  events.correction_reason, events.corrected_event_type, events.corrected_occurred_at,
  events.opening_facts, events.certification, events.by_network, events.notice, events.superseded_by_event_id, events.effect,
  events.resulting_status`;

function toRecord(row: EventRow): EventRecord {
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
     SELECT ${COLUMNS} FROM credit_events AS events
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
     SELECT ${COLUMNS} FROM credit_events AS events
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
  `SELECT ${COLUMNS}, ${OPEN_DISPUTES_OF_EVENT} FROM credit_events AS events
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
  return (await on.query(PAGE, values)).map(({ open_dispute_count, ...row }) => ({
    record: toRecord(row),
    open_dispute_count,
  }));
}

const AMEND = statement(
  'credit_events_amend',
  `UPDATE credit_events AS events
   SET superseded_by_event_id = new.superseded_by_event_id, effect = new.effect,
       resulting_status = new.resulting_status
   FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::uuid[], $5::text[], $6::text[])
     AS new (subject_id, account_id, sequence, superseded_by_event_id, effect, resulting_status)
   WHERE (events.subject_id, events.account_id, events.sequence)
       = (new.subject_id, new.account_id, new.sequence)`,
);

/** Writes what follows from the timeline into events on record. */
export function amendEvents(tx: Transaction, amended: readonly OwnedRecord[]): void {
  if (amended.length === 0) return;
  const columns = [
    amended.map((event) => event.subject_id),
    amended.map((event) => event.account_id),
    amended.map((event) => event.record.sequence),
    amended.map((event) => event.record.superseded_by_event_id),
    amended.map((event) => event.record.effect),
    amended.map((event) => event.record.resulting_status),
  ];
  // Each must be on record.
  tx.write(AMEND, columns, amended.length);
}

/** Events as columns for unnest. */
export function eventColumns(events: readonly OwnedRecord[]): unknown[][] {
  const records = events.map((event) => event.record);
  return [
    events.map((event) => event.subject_id),
    events.map((event) => event.account_id),
    records.map((record) => record.sequence),
    records.map((record) => record.id),
    records.map((record) => record.event_type),
    records.map((record) => toText(record.occurred_at_ms)),
    records.map((record) => toText(record.reported_at_ms)),
    records.map((record) => record.amount_minor),
    records.map((record) => record.balance_after_minor),
    records.map((record) => record.source_reference),
    records.map((record) => record.default_severity),
    records.map((record) => record.supersedes_event_id),
    records.map((record) => record.correction_reason),
    records.map((record) => record.corrected_event_type),
    records.map((record) => toText(record.corrected_occurred_at_ms)),
    records.map(encodeOpeningFacts),
    records.map((record) => record.certification),
    records.map((record) => record.by_network),
    records.map((record) => record.notice),
    records.map((record) => record.superseded_by_event_id),
    records.map((record) => record.effect),
    records.map((record) => record.resulting_status),
  ];
}

export { COLUMNS as EVENT_COLUMNS, type EventRow, toRecord };
