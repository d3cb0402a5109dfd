// Reporting's messages as the domain's facts. Instants become UTC days here: the model knows no
// finer time.

import type { AccountChanged, InquiryRecorded } from '@credit/proto/events/v1/events';
import type { GetSubjectFileResponse, InquiryFact } from '@credit/proto/reporting/v1/reporting';
import type {
  AccountProjection,
  CreditEvent,
  Episode,
  FileAlert,
  FileStatement,
  Subject,
  SubjectType as WireSubjectType,
} from '@credit/proto/reporting/v1/types';
import {
  type AccountFacts,
  dayOfInstant,
  type EpisodeFacts,
  type InquiryFacts,
  type ModelFile,
  type UnderlyingStatus,
} from './domain/model';
import type { PersonWord } from './domain/person-word';
import type {
  AccountChange,
  InquiryChange,
  ProjectedAccount,
  Trigger,
  WholeSubject,
} from './domain/subject-file';
import type { Look, RecordedEvent } from './reports/domain/report-content';
import type { ReportSubject } from './reports/domain/report-parts';

export function accountChange({ account, credit_event_id }: AccountChanged): AccountChange {
  if (account === undefined) throw new Error('An account_changed event has no account.');
  return {
    type: 'ACCOUNT',
    subject_id: account.subject_id,
    subject_type: known(account.subject_type),
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
    subject_type: known(subject_type),
    subject_version: inquiry.subject_version,
    inquiry: inquiryFacts(inquiry),
  };
}

export function wholeSubject(file: GetSubjectFileResponse): WholeSubject {
  return {
    subject_id: file.subject_id,
    subject_type: known(file.subject_type),
    subject_version: file.subject_version,
    left_version: file.left_version,
    accounts: file.accounts.map(projectedAccount),
    inquiries: file.inquiries.map(inquiryFacts),
    last_change: lastChange(file),
  };
}

/** What a snapshot that is made of the whole file is traced back to. */
function lastChange(file: GetSubjectFileResponse): Trigger {
  const { inquiries, subject_version, last_event_id } = file;
  const last = inquiries.find((inquiry) => inquiry.subject_version === subject_version);
  return last === undefined
    ? { type: 'EVENT', id: last_event_id }
    : { type: 'INQUIRY', id: last.inquiry_id };
}

/** What the model reads of a file that has no version. */
export function fileFacts(file: {
  readonly subject_type: WireSubjectType;
  readonly accounts: readonly AccountProjection[];
  readonly inquiries: readonly InquiryFact[];
}): ModelFile {
  return {
    subject_type: known(file.subject_type),
    accounts: file.accounts.map((account) => projectedAccount(account).facts),
    inquiries: file.inquiries.map(inquiryFacts),
  };
}

/** By account id. */
export function changedAccounts(
  accounts: readonly AccountProjection[],
): ReadonlyMap<string, AccountFacts> {
  return new Map(accounts.map((account) => [account.account_id, projectedAccount(account).facts]));
}

export function lookOf(inquiry: InquiryFact): Look {
  return {
    inquiry_id: inquiry.inquiry_id,
    institution_id: inquiry.institution_id,
    purpose: inquiry.purpose,
    inquiry_type: inquiry.inquiry_type,
    duplicate: inquiry.duplicate,
    voided: inquiry.voided_at !== undefined,
    created_at: requiredTime(inquiry.created_at, 'created_at'),
  };
}

/** What the person has put on the file for whoever reads it. */
export function personWord({
  alerts,
  statements,
}: {
  readonly alerts: readonly FileAlert[];
  readonly statements: readonly FileStatement[];
}): PersonWord {
  return {
    alerts: alerts.map(({ kind, placed_at, ends_at }) => ({
      kind: known(kind),
      placed_at: requiredTime(placed_at, 'placed_at'),
      ends_at: requiredTime(ends_at, 'ends_at'),
    })),
    statements: statements.map(({ record_kind, set_at, occurred_at, ...statement }) => ({
      ...statement,
      record_kind: known(record_kind),
      occurred_at,
      set_at: requiredTime(set_at, 'set_at'),
    })),
  };
}

export function recordedEvent(event: CreditEvent): RecordedEvent {
  return {
    event_id: event.id,
    event_type: event.event_type,
    occurred_at: requiredTime(event.occurred_at, 'occurred_at'),
    reported_at: requiredTime(event.reported_at, 'reported_at'),
    sequence: event.sequence,
    amount: event.amount_minor,
    balance_after: event.balance_after_minor,
    default_severity: event.default_severity,
    source_reference: event.source_reference,
    supersedes_event_id: event.supersedes_event_id,
    superseded_by_event_id: event.superseded_by_event_id,
    correction_reason: event.correction_reason,
    corrected_event_type: event.corrected_event_type,
    effect: event.effect,
    resulting_status: event.resulting_status,
  };
}

export function reportSubject(subject: Subject): ReportSubject {
  return {
    id: subject.id,
    type: known(subject.type),
    display_name: subject.display_name,
    game_uuid: subject.game_uuid,
    current_username: subject.current_username,
    legal_name: subject.legal_name,
    trading_name: subject.trading_name,
    registration_number: subject.registration_number,
    organisation_kind: subject.organisation_kind,
    founded_at: subject.founded_at,
  };
}

function requiredTime(timestamp: string | undefined, field: string): string {
  if (timestamp === undefined) throw new Error(`A message from reporting lacks its ${field}.`);
  return timestamp;
}

function projectedAccount(account: AccountProjection): ProjectedAccount {
  const furnisher_disputed_since_day = day(account.furnisher_disputed_since);
  const closed_day = day(account.closed_at);
  const is_settled =
    account.underlying_status === 'PAID' || account.underlying_status === 'CANCELLED';
  return {
    version: account.version,
    facts: {
      account_id: account.account_id,
      institution_id: account.institution_id,
      account_type: known(account.account_type),
      currency: account.currency,
      original_principal_minor: account.original_principal_minor,
      credit_limit_minor: account.credit_limit_minor,
      balance_minor: account.balance_minor,
      status: underlyingStatus(account),
      disputed: account.disputed,
      furnisher_disputed_since_day,
      // A flag that nobody is named for suspends, as flags did before they had names.
      network_review:
        account.network_review ?? (account.disputed && furnisher_disputed_since_day === undefined),
      opened_day: requiredDay(account.opened_at, 'opened_at'),
      closed_day,
      // Nothing but its closing, flags and corrections can follow a pay-off.
      settled_day: is_settled ? (closed_day ?? day(account.last_event_at)) : undefined,
      episodes: account.episodes.map(episodeFacts),
      payment_months: account.payment_months,
      payment_count: account.payment_count ?? account.payment_months.length,
      late_months: account.late_months,
      payment_days: account.payment_days.map(({ day, amount_minor, days_past_due }) => ({
        day,
        amount_minor,
        days_past_due,
      })),
      voided: account.voided ?? false,
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
      episode.default_severity === undefined ? undefined : known(episode.default_severity),
    default_cured_day: day(episode.default_cured_at),
    written_off_day: day(episode.written_off_at),
  };
}

function inquiryFacts(inquiry: InquiryFact): InquiryFacts {
  return {
    inquiry_id: inquiry.inquiry_id,
    purpose: known(inquiry.purpose),
    inquiry_type: known(inquiry.inquiry_type),
    duplicate: inquiry.duplicate,
    voided: inquiry.voided_at !== undefined,
    day: requiredDay(inquiry.created_at, 'created_at'),
  };
}

function underlyingStatus({ underlying_status, account_id }: AccountProjection): UnderlyingStatus {
  const status = known(underlying_status);
  // A dispute is a flag of its own; under it there is always a standing.
  if (status === 'DISPUTED') throw new Error(`The account ${account_id} has no standing.`);
  return status;
}

function known<Value extends string>(value: Value): Exclude<Value, 'UNSPECIFIED'> {
  if (value === 'UNSPECIFIED') throw new Error('A message from reporting lacks a value.');
  return value as Exclude<Value, 'UNSPECIFIED'>;
}

function day(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : dayOfInstant(Date.parse(timestamp));
}

function requiredDay(timestamp: string | undefined, field: string): number {
  const found = day(timestamp);
  if (found === undefined) throw new Error(`A message from reporting lacks its ${field}.`);
  return found;
}
