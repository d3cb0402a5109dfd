// Reads that go through a subject or through all of them, for what is derived elsewhere.

import { type Queryable, statement } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import type { AccountType, EventEffect, EventType } from '../domain/vocabulary';
import { ACCOUNT, type AccountRow, toAccount } from './accounts';
import { INQUIRY, type InquiryRow, toInquiry } from './inquiries';
import { toMs } from './time';

/** Before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface SubjectVersion {
  readonly subject_id: string;
  readonly version: number;
}

const HEADS = statement<SubjectVersion>(
  'subject_heads_page',
  `SELECT subject_id, version FROM subject_heads
   WHERE subject_id > $1 ORDER BY subject_id LIMIT $2`,
);

export function pageOfHeads(
  on: Queryable,
  after_subject_id: string,
  limit: number,
): Promise<SubjectVersion[]> {
  return on.query(HEADS, [after_subject_id, limit]);
}

const ACCOUNTS = statement<AccountRow>(
  'accounts_of_subject_page',
  `SELECT ${ACCOUNT.names('accounts')} FROM accounts
   WHERE subject_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
);

/** A subject's accounts by id, whoever reported them. */
export async function pageOfSubjectAccounts(
  on: Queryable,
  subject_id: string,
  after_id: string,
  limit: number,
): Promise<Account[]> {
  return (await on.query(ACCOUNTS, [subject_id, after_id, limit])).map(toAccount);
}

/** A credit event without amounts and words. */
export interface SubjectChange {
  readonly credit_event_id: string;
  readonly account_id: string;
  readonly account_type: AccountType;
  readonly event_type: EventType;
  readonly effect: EventEffect;
  readonly occurred_at_ms: number;
  readonly reported_at_ms: number;
  readonly institution_id: string;
}

interface ChangeRow {
  credit_event_id: string;
  account_id: string;
  account_type: AccountType;
  event_type: EventType;
  effect: EventEffect;
  occurred_at: string;
  reported_at: string;
  institution_id: string;
}

const CHANGES = statement<ChangeRow>(
  'credit_events_between',
  `SELECT events.id AS credit_event_id, events.account_id, accounts.account_type, events.event_type, events.effect,
     events.occurred_at, events.reported_at, accounts.institution_id
   FROM credit_events AS events
   JOIN accounts ON accounts.subject_id = events.subject_id AND accounts.id = events.account_id
   WHERE events.subject_id = $1 AND events.id > $2 AND events.id <= $3
     -- Of what was taken off the file, that alone is told.
     AND (NOT accounts.voided OR events.event_type = 'CORRECTION')
     -- Nor is an account that a dispute leaves out for a time.
     AND accounts.state ->> 'suppression' IS DISTINCT FROM 'ACCOUNT'
   ORDER BY events.id LIMIT $4`,
);

/** A span of ids of one subject, which are in order of time. */
export interface IdSpan {
  readonly subject_id: string;
  readonly after_id: string;
  readonly until_id: string;
}

export async function changesBetween(
  on: Queryable,
  { subject_id, after_id, until_id }: IdSpan,
  limit: number,
): Promise<SubjectChange[]> {
  const rows = await on.query(CHANGES, [subject_id, after_id, until_id, limit]);
  return rows.map(({ occurred_at, reported_at, ...row }) => ({
    ...row,
    occurred_at_ms: toMs(occurred_at),
    reported_at_ms: toMs(reported_at),
  }));
}

const INQUIRIES = statement<InquiryRow>(
  'inquiries_between',
  `SELECT ${INQUIRY.names('inquiries')} FROM inquiries
   WHERE subject_id = $1 AND id > $2 AND id <= $3
     AND inquiry_type = 'HARD' AND duplicate_of IS NULL AND voided_at IS NULL
   ORDER BY id LIMIT $4`,
);

/** Hard inquiries that repeat no other and count. */
export async function hardInquiriesBetween(
  on: Queryable,
  { subject_id, after_id, until_id }: IdSpan,
  limit: number,
): Promise<Inquiry[]> {
  return (await on.query(INQUIRIES, [subject_id, after_id, until_id, limit])).map(toInquiry);
}

const OWN = statement<{ id: string }>(
  'subject_records_own',
  // Events have no institution of their own, their accounts have.
  `SELECT events.id
   FROM credit_events AS events
   JOIN accounts ON accounts.subject_id = events.subject_id AND accounts.id = events.account_id
   WHERE events.subject_id = $1 AND events.id = ANY ($2::uuid[]) AND accounts.institution_id = $3
   UNION ALL
   SELECT inquiries.id FROM inquiries
   WHERE subject_id = $1 AND id = ANY ($2::uuid[]) AND institution_id = $3`,
);

/** Those of a subject's events and inquiries that an institution made. */
export async function ownRecords(
  on: Queryable,
  subject_id: string,
  record_ids: readonly string[],
  institution_id: string,
): Promise<string[]> {
  return (await on.query(OWN, [subject_id, record_ids, institution_id])).map(({ id }) => id);
}
