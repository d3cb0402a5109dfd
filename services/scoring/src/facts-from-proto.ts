// Reporting's messages as the domain's facts. Instants become UTC days here: the model knows no
// finer time.

import type { AccountChanged, InquiryRecorded } from '@credit/proto/events/v1/events';
import type { GetSubjectFileResponse, InquiryFact } from '@credit/proto/reporting/v1/reporting';
import type {
  AccountProjection,
  Episode,
  SubjectType as WireSubjectType,
} from '@credit/proto/reporting/v1/types';
import {
  type AccountType,
  dayOfInstant,
  type EpisodeFacts,
  type InquiryFacts,
  type SubjectType,
  type UnderlyingStatus,
} from './domain/model';
import type {
  AccountChange,
  InquiryChange,
  ProjectedAccount,
  Trigger,
  WholeSubject,
} from './domain/subject-file';

export function accountChange({ account, credit_event_id }: AccountChanged): AccountChange {
  if (account === undefined) throw new Error('An account_changed event has no account.');
  return {
    type: 'ACCOUNT',
    subject_id: account.subject_id,
    subject_type: subjectType(account.subject_type),
    subject_version: account.subject_version,
    account: projectedAccount(account),
    credit_event_id,
  };
}

export function inquiryChange(recorded: InquiryRecorded): InquiryChange {
  const { inquiry, subject_id, subject_type } = recorded;
  if (inquiry === undefined) throw new Error('An inquiry_recorded event has no inquiry.');
  return {
    type: 'INQUIRY',
    subject_id,
    subject_type: subjectType(subject_type),
    subject_version: inquiry.subject_version,
    inquiry: inquiryFacts(inquiry),
  };
}

export function wholeSubject(file: GetSubjectFileResponse): WholeSubject {
  return {
    subject_id: file.subject_id,
    subject_type: subjectType(file.subject_type),
    subject_version: file.subject_version,
    accounts: file.accounts.map(projectedAccount),
    inquiries: file.inquiries.map(inquiryFacts),
    last_change: lastChange(file),
  };
}

/** The file does not say which credit event was the last, only that it was one. */
function lastChange({ inquiries, subject_version }: GetSubjectFileResponse): Trigger {
  const last = inquiries.find((inquiry) => inquiry.subject_version === subject_version);
  return last === undefined
    ? { type: 'EVENT', id: null }
    : { type: 'INQUIRY', id: last.inquiry_id };
}

function projectedAccount(account: AccountProjection): ProjectedAccount {
  return {
    version: account.version,
    facts: {
      account_id: account.account_id,
      institution_id: account.institution_id,
      account_type: accountType(account),
      currency: account.currency,
      original_principal_minor: account.original_principal_minor,
      credit_limit_minor: account.credit_limit_minor ?? null,
      balance_minor: account.balance_minor,
      status: underlyingStatus(account),
      disputed: account.disputed,
      opened_day: requiredDay(account.opened_at, 'opened_at'),
      closed_day: day(account.closed_at),
      episodes: account.episodes.map(episodeFacts),
      payment_months: account.payment_months,
      late_months: account.late_months,
      payment_days: account.payment_days.map(({ day, amount_minor, days_past_due }) => ({
        day,
        amount_minor,
        days_past_due,
      })),
    },
  };
}

function episodeFacts(episode: Episode): EpisodeFacts {
  return {
    started_day: requiredDay(episode.started_at, 'started_at'),
    ended_day: day(episode.ended_at),
    past_due_since_day: day(episode.past_due_since),
    delinquency_started_day: day(episode.delinquency_started_at),
    restructured_day: day(episode.restructured_at),
    defaulted_day: day(episode.defaulted_at),
    default_severity:
      episode.default_severity === undefined
        ? null
        : known(bare('DEFAULT_SEVERITY', episode.default_severity)),
    default_cured_day: day(episode.default_cured_at),
    written_off_day: day(episode.written_off_at),
  };
}

function inquiryFacts(inquiry: InquiryFact): InquiryFacts {
  return {
    inquiry_id: inquiry.inquiry_id,
    purpose: known(bare('PURPOSE', inquiry.purpose)),
    inquiry_type: known(bare('INQUIRY_TYPE', inquiry.inquiry_type)),
    duplicate: inquiry.duplicate,
    day: requiredDay(inquiry.created_at, 'created_at'),
  };
}

function subjectType(type: WireSubjectType): SubjectType {
  return known(bare('SUBJECT_TYPE', type));
}

function accountType({ account_type }: AccountProjection): AccountType {
  return known(bare('ACCOUNT_TYPE', account_type));
}

function underlyingStatus({ underlying_status, account_id }: AccountProjection): UnderlyingStatus {
  const status = known(bare('ACCOUNT_STATUS', underlying_status));
  // A dispute is a flag of its own; under it there is always a standing.
  if (status === 'DISPUTED') throw new Error(`The account ${account_id} has no standing.`);
  return status;
}

type Bare<Prefix extends string, Value extends string> = Value extends `${Prefix}_${infer Rest}`
  ? Rest
  : never;

/** The domain's name of an enum's value: `PAID` of `ACCOUNT_STATUS_PAID`. */
function bare<Prefix extends string, Value extends `${Prefix}_${string}`>(
  prefix: Prefix,
  value: Value,
): Bare<Prefix, Value> {
  return value.slice(prefix.length + 1) as Bare<Prefix, Value>;
}

function known<Value extends string>(value: Value): Exclude<Value, 'UNSPECIFIED'> {
  if (value === 'UNSPECIFIED') throw new Error('A message from reporting lacks a value.');
  return value as Exclude<Value, 'UNSPECIFIED'>;
}

function day(timestamp: string | undefined): number | null {
  return timestamp === undefined ? null : dayOfInstant(Date.parse(timestamp));
}

function requiredDay(timestamp: string | undefined, field: string): number {
  const found = day(timestamp);
  if (found === null) throw new Error(`A message from reporting lacks its ${field}.`);
  return found;
}
