// What reporting says to others, in the terms of the protos: answers and events.

import type { EventPayload } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import {
  type ContestedRecord as ContestedRecordMessage,
  type GetAccountSummaryResponse,
  type GetReportingHealthResponse,
  type GetSubjectFileAtResponse,
  type HealthAccount,
  type InquiryFact,
  type PreviewEventResponse,
  type ResolvedSubject,
  SubjectOutcome,
} from '@credit/proto/reporting/v1/reporting';
import type {
  FileRights as FileRightsMessage,
  Thaw as ThawMessage,
} from '@credit/proto/reporting/v1/rights';
import type * as wire from '@credit/proto/reporting/v1/types';
import { type Resolved, shown, subjectIdOf } from './commands/resolve-subjects';
import {
  bucketOf,
  daysPastDue,
  type Episode,
  firstDelinquencyAt,
  furnisherDisputedSince,
  isDisputed,
  isOffFile,
  shownStatus,
} from './domain/account';
import type { EventRecord } from './domain/event';
import type { FileAlert, FileRights, FileStatement, Thaw } from './domain/file-entries';
import type { Inquiry, InquiryRefusal } from './domain/inquiry';
import { type Account, statusOf } from './domain/ledger';
import type { FileCorrection, Notice, NoticeEnd } from './domain/network-event';
import type { Settlement } from './domain/reinsertion';
import { displayName, likenessText, type Subject } from './domain/subject';
import type { CorrectedTerms } from './domain/terms';
import type { StandingAfter } from './domain/timeline';
import type { AccountSummary } from './queries/account-summary';
import type { ContestedRecord } from './queries/contested-record';
import type { LowAccounts, ReportingHealth } from './queries/reporting-health';
import type { SubjectFile } from './store/subject-file';

function timestampOrNone(at_ms: number | undefined): string | undefined {
  return at_ms === undefined ? undefined : toTimestamp(at_ms);
}

export function subjectMessage({ founded_at_ms, ...subject }: Subject): wire.Subject {
  return {
    ...subject,
    display_name: displayName(subject),
    founded_at: timestampOrNone(founded_at_ms),
  };
}

/** What became of one of several subjects. */
export function resolvedMessage(resolved: Resolved): ResolvedSubject {
  switch (resolved.kind) {
    case 'created':
    case 'existing': {
      const outcome = resolved.kind === 'created' ? 'CREATED' : 'EXISTING';
      return { outcome: SubjectOutcome[outcome], subject_id: subjectIdOf(resolved), matches: [] };
    }
    case 'needs_review': {
      const matches = shown(resolved.likenesses).map((likeness) => ({
        subject_id: likeness.subject_id,
        field: likeness.field,
        message: likenessText(likeness),
      }));
      return { outcome: SubjectOutcome.NEEDS_REVIEW, subject_id: undefined, matches };
    }
    default:
      return resolved satisfies never;
  }
}

/** The institution's accounts in figures. */
export function summaryMessage({ totals, groups }: AccountSummary): GetAccountSummaryResponse {
  return {
    account_count: totals.accounts,
    voided_count: totals.voided,
    disputed_count: totals.disputed,
    last_reported_at: totals.updated_at,
    groups: groups.map(({ accounts, ...group }) => ({ ...group, account_count: accounts })),
    groups_left_off: totals.groups - groups.length,
  };
}

/** An account, with the disputes about it that have no outcome; none where nobody asked. */
type AccountAsRead = Account & { readonly open_dispute_count?: number };

/** The account as its institution sees it at a time. */
export function accountMessage(account: AccountAsRead, now_ms: number): wire.Account {
  const { facts, state, open_dispute_count = 0 } = account;
  const days_past_due = daysPastDue(state, now_ms);
  return {
    id: facts.id,
    institution_id: facts.institution_id,
    subject_id: facts.subject_id,
    external_account_id: facts.external_account_id,
    account_type: facts.account_type,
    currency: facts.currency,
    original_principal_minor: facts.original_principal_minor,
    current_balance_minor: state.balance_minor,
    interest_rate_bps: facts.interest_rate_bps,
    interest_type: facts.interest_type,
    opened_at: toTimestamp(facts.opened_at_ms),
    maturity_at: timestampOrNone(facts.maturity_at_ms),
    payment_frequency: facts.payment_frequency,
    status: statusOf(account),
    metadata_json: facts.metadata_json,
    closed_at: timestampOrNone(state.closed_at_ms),
    first_delinquency_at: timestampOrNone(firstDelinquencyAt(state)),
    days_past_due,
    bucket: bucketOf(days_past_due),
    version: account.version,
    created_at: toTimestamp(facts.created_at_ms),
    updated_at: toTimestamp(account.updated_at_ms),
    voided: state.voided,
    status_since: toTimestamp(state.status_since_ms),
    open_dispute_count,
    suppressed: state.suppression === 'ACCOUNT',
  };
}

/** Without what its furnisher keeps with it for itself. */
export function contestedAccount(
  account: Parameters<typeof accountMessage>[0],
  now_ms: number,
): wire.Account {
  return { ...accountMessage(account, now_ms), metadata_json: '' };
}

/** What a dispute contests. */
export function contestedRecordMessage(
  { accounts, contested, events, shown, ...same }: ContestedRecord,
  now_ms: number,
): ContestedRecordMessage {
  const eventOf = (event: Omit<EventOfAccount, 'subject_id' | 'account_id'>) =>
    shown === undefined ? [] : [eventMessage({ ...shown, ...event })];
  return {
    ...same,
    accounts: accounts.map((account) => contestedAccount(account, now_ms)),
    account_id: shown?.account_id,
    events: events.flatMap(eventOf),
    contested_events: contested.flatMap(eventOf),
  };
}

/** An event with the ids of its account and subject. */
export interface EventOfAccount {
  readonly subject_id: string;
  readonly account_id: string;
  readonly record: EventRecord;
  /** Disputes about it without an outcome; none about one that is only just recorded. */
  readonly open_dispute_count?: number;
}

export function eventMessage(event: EventOfAccount): wire.CreditEvent {
  const { subject_id, account_id, record, open_dispute_count = 0 } = event;
  return {
    id: record.id,
    credit_account_id: account_id,
    subject_id,
    event_type: record.event_type,
    occurred_at: toTimestamp(record.occurred_at_ms),
    reported_at: toTimestamp(record.reported_at_ms),
    sequence: record.sequence,
    amount_minor: record.amount_minor,
    balance_after_minor: record.balance_after_minor,
    source_reference: record.source_reference,
    default_severity: record.default_severity,
    supersedes_event_id: record.supersedes_event_id,
    superseded_by_event_id: record.superseded_by_event_id,
    correction_reason: record.correction_reason,
    corrected_event_type: record.corrected_event_type,
    corrected_occurred_at: timestampOrNone(record.corrected_occurred_at_ms),
    effect: record.effect,
    resulting_status: record.effect === 'EFFECTIVE' ? record.resulting_status : undefined,
    corrected_account: record.corrected_terms && correctedAccount(record.corrected_terms),
    certification: record.certification,
    by_network: record.by_network,
    open_dispute_count,
  };
}

/** How the account stood right after an event. */
export function standingMessage({ state, occurred_at_ms }: StandingAfter): wire.EventStanding {
  const days_past_due = daysPastDue(state, occurred_at_ms);
  return {
    balance_minor: state.balance_minor,
    status: shownStatus(state),
    days_past_due,
    bucket: bucketOf(days_past_due),
    credit_limit_minor: state.credit_limit_minor,
  };
}

/** What an event does to its account. */
export interface EventPreview {
  readonly event: EventOfAccount;
  readonly before: AccountAsRead;
  readonly after: AccountAsRead;
  /** Earlier events of which something else follows, as they are after it; the latest first. */
  readonly changed_events: readonly EventRecord[];
}

const CHANGED_EVENTS_SHOWN = 100;

/** What an event would do, with ids as `shownId` has them. */
export function previewMessage(
  { event, before, after, changed_events }: EventPreview,
  now_ms: number,
  shownId: (id: string) => string,
): PreviewEventResponse {
  const { subject_id, account_id } = event;
  const shown = (message: wire.CreditEvent): wire.CreditEvent => ({
    ...message,
    id: shownId(message.id),
    superseded_by_event_id:
      message.superseded_by_event_id && shownId(message.superseded_by_event_id),
  });
  return {
    event: shown(eventMessage(event)),
    before: accountMessage(before, now_ms),
    after: accountMessage(after, now_ms),
    changed_events: changed_events
      .slice(0, CHANGED_EVENTS_SHOWN)
      .map((record) => shown(eventMessage({ subject_id, account_id, record }))),
    changed_events_left_off: Math.max(0, changed_events.length - CHANGED_EVENTS_SHOWN),
  };
}

function correctedAccount(terms: CorrectedTerms): wire.CorrectedAccount {
  const { opened_at_ms, maturity_at_ms, ...same } = terms;
  return {
    ...same,
    opened_at: timestampOrNone(opened_at_ms),
    maturity_at: timestampOrNone(maturity_at_ms),
  };
}

export function inquiryMessage(
  inquiry: Omit<Inquiry, 'subject_version'> & { readonly refusal?: InquiryRefusal },
): wire.Inquiry {
  return {
    id: inquiry.id,
    subject_id: inquiry.subject_id,
    institution_id: inquiry.institution_id,
    purpose: inquiry.purpose,
    inquiry_type: inquiry.inquiry_type,
    duplicate_of: inquiry.duplicate_of,
    created_at: toTimestamp(inquiry.created_at_ms),
    voided_at: timestampOrNone(inquiry.voided_at_ms),
    refusal: inquiry.refusal,
  };
}

/** For the institution itself and for the person, who alone are told of the consent that it named. */
export function ownInquiryMessage(inquiry: Parameters<typeof inquiryMessage>[0]): wire.Inquiry {
  return { ...inquiryMessage(inquiry), consent_reference: inquiry.consent_reference };
}

/** What stands on a file by the person's own word. */
export function rightsMessage(rights: FileRights): FileRightsMessage {
  return {
    frozen_since: timestampOrNone(rights.frozen_since_ms),
    thaws: rights.thaws.map(thawMessage),
    ...shownRights(rights),
  };
}

/** What of it whoever reads the file is shown: never whether it is frozen, and for whom it is not. */
export function shownRights({ alerts, statements }: FileRights) {
  return { alerts: alerts.map(alertMessage), statements: statements.map(statementMessage) };
}

export function thawMessage({ from_ms, until_ms, ...thaw }: Thaw): ThawMessage {
  return { ...thaw, starts_at: toTimestamp(from_ms), ends_at: timestampOrNone(until_ms) };
}

export function alertMessage({ placed_at_ms, until_ms, ...alert }: FileAlert): wire.FileAlert {
  return { ...alert, placed_at: toTimestamp(placed_at_ms), ends_at: toTimestamp(until_ms) };
}

export function statementMessage({
  occurred_at_ms,
  set_at_ms,
  ...statement
}: FileStatement): wire.FileStatement {
  return {
    ...statement,
    occurred_at: timestampOrNone(occurred_at_ms),
    set_at: toTimestamp(set_at_ms),
  };
}

export function inquiryFact(inquiry: Inquiry): InquiryFact {
  return {
    inquiry_id: inquiry.id,
    institution_id: inquiry.institution_id,
    purpose: inquiry.purpose,
    inquiry_type: inquiry.inquiry_type,
    duplicate: inquiry.duplicate_of !== undefined,
    created_at: toTimestamp(inquiry.created_at_ms),
    subject_version: inquiry.subject_version,
    voided_at: timestampOrNone(inquiry.voided_at_ms),
  };
}

/** What the score needs of the subject. */
export function fileMessage(
  file: Pick<SubjectFile, 'subject_id' | 'subject_type' | 'accounts' | 'inquiries'>,
): Omit<GetSubjectFileAtResponse, 'alerts' | 'statements'> {
  return {
    subject_id: file.subject_id,
    subject_type: file.subject_type,
    accounts: file.accounts.map(projectionMessage),
    inquiries: file.inquiries.map(inquiryFact),
  };
}

/** What the score needs of the account. */
export function projectionMessage(account: Account): wire.AccountProjection {
  const { facts, state } = account;
  return {
    account_id: facts.id,
    subject_id: facts.subject_id,
    subject_type: facts.subject_type,
    institution_id: facts.institution_id,
    account_type: facts.account_type,
    currency: facts.currency,
    original_principal_minor: facts.original_principal_minor,
    credit_limit_minor: state.credit_limit_minor,
    balance_minor: state.balance_minor,
    underlying_status: state.underlying_status,
    disputed: isDisputed(state),
    opened_at: toTimestamp(facts.opened_at_ms),
    closed_at: timestampOrNone(state.closed_at_ms),
    episodes: state.episodes.map(episodeMessage),
    payment_months: [...state.payment_months],
    late_months: [...state.late_months],
    payment_days: [...state.payment_days],
    version: account.version,
    subject_version: account.subject_version,
    last_event_at: toTimestamp(state.head.occurred_at_ms),
    created_at: toTimestamp(facts.created_at_ms),
    voided: isOffFile(state),
    furnisher_disputed_since: timestampOrNone(furnisherDisputedSince(state)),
    network_review: state.network_review,
    payment_count: state.payment_count,
  };
}

function episodeMessage(episode: Episode): wire.Episode {
  return {
    started_at: toTimestamp(episode.started_at_ms),
    ended_at: timestampOrNone(episode.ended_at_ms),
    // Days past due count from the first adverse fact, whatever its type.
    past_due_since: toTimestamp(episode.started_at_ms),
    delinquency_started_at: timestampOrNone(episode.delinquency_started_at_ms),
    restructured_at: timestampOrNone(episode.restructured_at_ms),
    defaulted_at: timestampOrNone(episode.defaulted_at_ms),
    default_severity: episode.default_severity,
    default_cured_at: timestampOrNone(episode.default_cured_at_ms),
    written_off_at: timestampOrNone(episode.written_off_at_ms),
  };
}

export function healthMessage(health: ReportingHealth): GetReportingHealthResponse {
  const byCode = Map.groupBy(health.found, ({ code }) => code);
  const { found: _found, ...same } = health;
  return {
    ...same,
    metrics: [...health.metrics],
    findings: [...byCode].map(([code, found]) => ({
      code,
      account_count: found[0]?.account_count ?? 0n,
      accounts: found.map(({ account_id, external_account_id }) => ({
        account_id,
        external_account_id,
      })),
    })),
  };
}

export function lowAccountMessage(account: LowAccounts['accounts'][number]): HealthAccount {
  const { account_id, external_account_id, text, news_at, missing } = account;
  return { account_id, external_account_id, text, news_at, missing: [...missing] };
}

export function accountChanged(account: Account, credit_event_id: string): EventPayload {
  return {
    $case: 'account_changed',
    value: { account: projectionMessage(account), credit_event_id },
  };
}

export function inquiryRecorded(inquiry: Inquiry, subject: Pick<Subject, 'type'>): EventPayload {
  return {
    $case: 'inquiry_recorded',
    value: {
      subject_id: inquiry.subject_id,
      subject_type: subject.type,
      inquiry: inquiryFact(inquiry),
    },
  };
}

/** What the network is told of a default or delinquency, with who may hear of it. */
export function noticePayload(
  notice: Notice,
  account: Account,
  receiver_institution_ids: readonly string[],
): EventPayload {
  const { facts } = account;
  const told = {
    subject_id: facts.subject_id,
    credit_event_id: notice.credit_event_id,
    account_type: facts.account_type,
    status: notice.status,
    occurred_at: toTimestamp(notice.occurred_at_ms),
    reported_at: toTimestamp(notice.reported_at_ms),
    receiver_institution_ids: [...receiver_institution_ids],
    account_id: facts.id,
    external_account_id: facts.external_account_id,
    reporting_institution_id: facts.institution_id,
  };
  switch (notice.kind) {
    case 'DEFAULT':
      return {
        $case: 'default_reported',
        value: {
          ...told,
          default_severity: notice.default_severity,
        },
      };
    case 'DELINQUENCY':
      return {
        $case: 'delinquency_reported',
        value: { ...told, bucket: notice.bucket },
      };
    default:
      return unknownValue(notice.kind);
  }
}

/** What those who were told of a fact are told of its end or its correction. */
export function noticeEndPayload(
  end: NoticeEnd,
  { facts }: Account,
  receiver_institution_ids: readonly string[],
): EventPayload {
  const told = {
    subject_id: facts.subject_id,
    credit_event_id: end.credit_event_id,
    correction_event_id: end.correction_event_id,
    kind: end.kind,
    account_type: facts.account_type,
    status: end.status,
    occurred_at: toTimestamp(end.occurred_at_ms),
    reported_at: toTimestamp(end.reported_at_ms),
    receiver_institution_ids: [...receiver_institution_ids],
    account_id: facts.id,
    external_account_id: facts.external_account_id,
    reporting_institution_id: facts.institution_id,
  };
  if (end.type === 'VOIDED') return { $case: 'fact_voided', value: told };
  const default_severity = end.kind === 'DEFAULT' ? end.default_severity : undefined;
  return { $case: 'record_corrected', value: { ...told, default_severity } };
}

/** What those who looked at a file are told of a correction. */
export function fileCorrectionPayload(
  correction: FileCorrection,
  { facts }: Account,
  receiver_institution_ids: readonly string[],
): EventPayload {
  const { occurred_at_ms, reported_at_ms, ...told } = correction;
  return {
    $case: 'record_corrected',
    value: {
      ...told,
      kind: 'RECORD',
      subject_id: facts.subject_id,
      account_type: facts.account_type,
      occurred_at: toTimestamp(occurred_at_ms),
      reported_at: toTimestamp(reported_at_ms),
      receiver_institution_ids: [...receiver_institution_ids],
      account_id: facts.id,
      external_account_id: facts.external_account_id,
      reporting_institution_id: facts.institution_id,
    },
  };
}

/** For disputes, each once: a certified event reports again what their outcomes had taken away. */
export function factsReinserted(
  { facts }: Account,
  ended: readonly Settlement[],
  record: EventRecord,
): EventPayload[] {
  // The same debt under another number has inherited what one dispute has settled.
  const dispute_ids = new Set(ended.map(({ dispute_id }) => dispute_id));
  return [...dispute_ids].map((dispute_id) => ({
    $case: 'fact_reinserted',
    value: {
      dispute_id,
      subject_id: facts.subject_id,
      account_id: facts.id,
      institution_id: facts.institution_id,
      credit_event_id: record.id,
      certification: record.certification ?? '',
      reported_at: toTimestamp(record.reported_at_ms),
    },
  }));
}

function unknownValue(value: never): never {
  throw new Error(`Unknown value ${String(value)}.`);
}
