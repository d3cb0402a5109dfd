// What a report says, whatever it is written in: the file frozen at one moment, as one institution
// may see it. Other institutions have names that hold within this one report only.

import {
  type AccountFacts,
  calculateProfile,
  creditLimit,
  dayOfInstant,
  type FactorPoints,
  type History,
  type InquiryFacts,
  instantOfDay,
  isRevolving,
  MODEL_VERSION,
  modelInput,
  type Reason,
  type Risk,
  SCORE_MAX,
  SCORE_MIN,
  type SubjectType,
  standingOf,
  untoldSpans,
} from '../../domain/model';
import { ALERT_INSTRUCTIONS, type PersonWord, toldStatements } from '../../domain/person-word';
import { type Commercial, commercialPart } from './commercial';
import type { NoticeParties, ReportFormat, ReportType } from './report';
import type { ReportSubject, TradeLine } from './report-parts';

/** A look at the file, with who looked. */
export interface Look {
  readonly inquiry_id: string;
  readonly institution_id: string;
  readonly purpose: string;
  readonly inquiry_type: string;
  readonly duplicate: boolean;
  /** Nobody had authorised it. */
  readonly voided: boolean;
  readonly created_at: string;
}

/** The file as it stood at the moment of the report. */
export interface PastFile extends PersonWord {
  readonly subject_type: SubjectType;
  readonly accounts: readonly AccountFacts[];
  readonly inquiries: readonly InquiryFacts[];
  readonly looks: readonly Look[];
}

/** A credit event; amounts in minor units. */
export interface RecordedEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: string;
  readonly reported_at: string;
  readonly sequence: number;
  readonly amount: bigint | undefined;
  readonly balance_after: bigint | undefined;
  readonly default_severity: string | undefined;
  readonly source_reference: string | undefined;
  readonly supersedes_event_id: string | undefined;
  readonly superseded_by_event_id: string | undefined;
  readonly correction_reason: string | undefined;
  readonly corrected_event_type: string | undefined;
  readonly effect: string;
  readonly resulting_status: string | undefined;
}

export interface RecordedAccount {
  readonly account_id: string;
  /** The requester's own ledger identifier; undefined for other institutions' accounts. */
  readonly external_account_id: string | undefined;
  readonly events: readonly RecordedEvent[];
}

export interface PastScore {
  readonly calculated_at: string;
  readonly score: number | undefined;
  readonly grade: string | undefined;
  readonly previous_score: number | undefined;
  readonly trigger_type: string;
}

/** All that a report is made of. */
export interface ReportMaterial {
  readonly report: {
    readonly id: string;
    readonly report_type: ReportType;
    readonly format: ReportFormat;
    readonly purpose: string;
    readonly inquiry_id: string;
    readonly institution_id: string;
    readonly as_of: string;
    readonly created_at: string;
    readonly parties: NoticeParties | undefined;
    readonly model_version: string | undefined;
  };
  readonly subject: ReportSubject;
  readonly file: PastFile;
  readonly accounts: readonly RecordedAccount[];
  /** Newest first. */
  readonly scores: readonly PastScore[];
}

export interface ReportEvent extends RecordedEvent {
  readonly account: string;
}

export interface ReportDispute {
  readonly account: string;
  readonly opened_at: string;
  /** Undefined while it lasts. */
  readonly resolved_at: string | undefined;
}

/** A warning that the person has placed on the file. */
export interface ReportAlert {
  readonly kind: string;
  readonly placed_at: string;
  readonly ends_at: string;
  readonly instruction: string;
}

/** What the person has to say about a record. */
export interface ReportStatement {
  readonly record_kind: string;
  /** Undefined in a SUMMARY, which names no accounts. */
  readonly account: string | undefined;
  /** Of an event in a report that lists events. */
  readonly event_id: string | undefined;
  readonly text: string;
  readonly set_at: string;
}

export interface ReportInquiry {
  readonly institution: string;
  readonly purpose: string;
  readonly created_at: string;
}

/** The content; a bigint is an amount in minor units. */
export interface ReportContent {
  readonly report: {
    readonly id: string;
    readonly report_type: ReportType;
    readonly purpose: string;
    readonly inquiry_id: string;
    readonly as_of: string;
    readonly model_version: string;
  };
  readonly subject: ReportSubject;
  readonly alerts: readonly ReportAlert[];
  readonly statements: readonly ReportStatement[];
  readonly credit: {
    readonly score: number | undefined;
    readonly score_range: { readonly min: number; readonly max: number };
    readonly grade: string | undefined;
    readonly band: string;
    readonly confidence: string;
    readonly factors: readonly FactorPoints[];
    readonly payment_index: number | undefined;
  };
  readonly risk: Omit<Risk, 'disputed_balance'> & {
    readonly disputed_balance: readonly { readonly currency: string; readonly amount: bigint }[];
  };
  readonly history: Omit<History, 'totals'> & {
    readonly totals: readonly {
      readonly currency: string;
      readonly balance: bigint;
      readonly limit: bigint;
    }[];
  };
  readonly reason_codes: readonly Reason[];
  readonly score_history: readonly PastScore[];
  /** In a COMMERCIAL report alone. */
  readonly commercial?: Commercial;
  /** Not in a SUMMARY, like all below but the notice. */
  readonly trade_lines?: readonly TradeLine[];
  readonly events?: readonly ReportEvent[];
  readonly disputes?: readonly ReportDispute[];
  readonly inquiries?: readonly ReportInquiry[];
  readonly notice: string;
}

const OWN_NAME = 'Your institution';

export function buildContent(material: ReportMaterial): ReportContent {
  const { report, subject, file, scores } = material;
  const as_of_day = dayOfInstant(Date.parse(report.as_of));
  // What the report was asked for with is not in it.
  const inquiries = file.inquiries.filter(({ inquiry_id }) => inquiry_id !== report.inquiry_id);
  const input = modelInput({ ...file, inquiries }, as_of_day);
  const { score, risk, history } = calculateProfile(input);
  const refs = refsOf(material, as_of_day);
  const detailed =
    report.report_type === 'SUMMARY' ? undefined : details(material, refs, as_of_day);
  return {
    report: {
      id: report.id,
      report_type: report.report_type,
      purpose: report.purpose,
      inquiry_id: report.inquiry_id,
      as_of: report.as_of,
      model_version: MODEL_VERSION,
    },
    subject,
    alerts: file.alerts.map((alert) => ({
      ...alert,
      instruction: ALERT_INSTRUCTIONS[alert.kind],
    })),
    statements: statementsOf(material, detailed === undefined ? undefined : refs, as_of_day),
    credit: {
      score: score.score,
      score_range: { min: SCORE_MIN, max: SCORE_MAX },
      grade: score.grade,
      band: score.band,
      confidence: score.confidence,
      factors: score.factors,
      payment_index: score.payment_index,
    },
    risk: {
      ...risk,
      disputed_balance: risk.disputed_balance.map(({ currency, amount_minor }) => ({
        currency,
        amount: amount_minor,
      })),
    },
    history: {
      ...history,
      totals: history.totals.map(({ currency, balance_minor, limit_minor }) => ({
        currency,
        balance: balance_minor,
        limit: limit_minor,
      })),
    },
    reason_codes: score.reasons,
    score_history: scores,
    ...(report.report_type === 'COMMERCIAL' && detailed !== undefined
      ? { commercial: commercialPart(subject, input.accounts, detailed.trade_lines, as_of_day) }
      : {}),
    ...detailed,
    notice: noticeFor(report.purpose, report.as_of),
  };
}

type Details = Required<Pick<ReportContent, 'trade_lines' | 'events' | 'disputes' | 'inquiries'>>;

/** The accounts that are shown, in their order, with what each is called within this report. */
function refsOf(
  { report, file }: ReportMaterial,
  as_of_day: number,
): ReadonlyMap<AccountFacts, string> {
  const ordered = file.accounts
    .filter((account) => isShown(account, report, as_of_day))
    .sort((a, b) => a.opened_day - b.opened_day || (a.account_id < b.account_id ? -1 : 1));
  return new Map(ordered.map((account, index) => [account, `A${index + 1}`]));
}

/** What the person has to say about what is told; without names of accounts where none are listed. */
function statementsOf(
  { file }: ReportMaterial,
  refs: ReadonlyMap<AccountFacts, string> | undefined,
  as_of_day: number,
): ReportStatement[] {
  const names = new Map([...(refs ?? [])].map(([{ account_id }, ref]) => [account_id, ref]));
  return toldStatements(file.statements, file.accounts, as_of_day).map((statement) => ({
    record_kind: statement.record_kind,
    account: names.get(statement.account_id),
    event_id:
      refs !== undefined && statement.record_kind === 'EVENT' ? statement.record_id : undefined,
    text: statement.text,
    set_at: statement.set_at,
  }));
}

function details(
  { report, file, accounts }: ReportMaterial,
  refs: ReadonlyMap<AccountFacts, string>,
  as_of_day: number,
): Details {
  const names = new Pseudonyms(report.institution_id);
  const records = new Map(accounts.map((account) => [account.account_id, account]));
  const trade_lines = [...refs].map(([account, ref]): TradeLine => {
    const own = account.institution_id === report.institution_id;
    const only = { subject_type: file.subject_type, accounts: [account], inquiries: [] };
    const alone = calculateProfile(modelInput(only, as_of_day));
    const { account_id } = account;
    return {
      ref,
      furnisher: names.of(account.institution_id),
      own,
      account_id: own ? account_id : undefined,
      external_account_id: own ? records.get(account_id)?.external_account_id : undefined,
      account_type: account.account_type,
      revolving: isRevolving(account.account_type),
      currency: account.currency,
      original_principal: account.original_principal_minor,
      credit_limit: isRevolving(account.account_type) ? creditLimit(account) : undefined,
      balance: account.balance_minor,
      status: shownStatus(account),
      days_past_due: alone.risk.max_days_past_due,
      bucket: alone.risk.bucket,
      opened_on: dateOf(account.opened_day),
      closed_on: account.closed_day === undefined ? undefined : dateOf(account.closed_day),
      on_time_24m: alone.history.on_time_24m,
      late_24m: alone.history.late_24m,
      payment_grid: alone.history.payment_grid,
    };
  });
  const events = [...refs].flatMap(([account, ref]) =>
    toldEvents(account, records.get(account.account_id)?.events ?? [], as_of_day).map((event) => ({
      account: ref,
      ...event,
    })),
  );
  const inquiries = file.looks
    .filter(
      ({ inquiry_id, inquiry_type, duplicate, voided }) =>
        inquiry_id !== report.inquiry_id && inquiry_type === 'HARD' && !duplicate && !voided,
    )
    .map(({ institution_id, purpose, created_at }) => ({
      institution: names.of(institution_id),
      purpose,
      created_at,
    }))
    .reverse();
  return { trade_lines, events, disputes: disputesOf(events), inquiries };
}

/**
 * An account that was taken off the file is shown to its furnisher and to the person alone; one
 * whose standing is the outcome of a spell of more than seven years ago to nobody.
 */
function isShown(
  account: AccountFacts,
  { institution_id, purpose }: ReportMaterial['report'],
  as_of_day: number,
): boolean {
  if (account.voided) {
    return account.institution_id === institution_id || purpose === 'SUBJECT_REQUEST';
  }
  return standingOf(account, as_of_day) !== undefined;
}

function shownStatus({ voided, disputed, status }: AccountFacts): string {
  if (voided) return 'VOIDED';
  return disputed ? 'DISPUTED' : status;
}

const OF_TROUBLE: ReadonlySet<string> = new Set([
  'PAYMENT_LATE',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'DEFAULT_REPORTED',
  'DEFAULT_CURED',
  'ACCOUNT_CURRENT',
  'ACCOUNT_RESTRUCTURED',
  'ACCOUNT_WRITTEN_OFF',
]);

/** Without what belongs to a spell that began more than seven years ago. */
function toldEvents(
  account: AccountFacts,
  events: readonly RecordedEvent[],
  as_of_day: number,
): readonly RecordedEvent[] {
  const spans = untoldSpans(account, as_of_day);
  if (spans.length === 0) return events;
  return events.flatMap((event) => {
    const day = dayOfInstant(Date.parse(event.occurred_at));
    const untold = spans.some(({ from_day, until_day }) => day >= from_day && day <= until_day);
    if (!untold) return [event];
    const { event_type, corrected_event_type } = event;
    if (OF_TROUBLE.has(event_type) || OF_TROUBLE.has(corrected_event_type ?? '')) return [];
    return [{ ...event, resulting_status: undefined }];
  });
}

/** Names of institutions within one report, in the order they come up. */
class Pseudonyms {
  private readonly names = new Map<string, string>();

  constructor(own_institution_id: string) {
    this.names.set(own_institution_id, OWN_NAME);
  }

  of(institution_id: string): string {
    const known = this.names.get(institution_id);
    if (known !== undefined) return known;
    const name = `Institution ${letters(this.names.size - 1)}`;
    this.names.set(institution_id, name);
    return name;
  }
}

/** A to Z, then AA, AB and so on. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

/** From a flag to the next lifting of one, account by account. */
function disputesOf(events: readonly ReportEvent[]): ReportDispute[] {
  const disputes: ReportDispute[] = [];
  const open = new Map<string, string>();
  for (const { account, event_type, effect, occurred_at, resulting_status } of events) {
    if (effect !== 'EFFECTIVE') continue;
    const opened_at = open.get(account);
    if (event_type === 'DISPUTE_OPENED' && opened_at === undefined) open.set(account, occurred_at);
    if (event_type !== 'DISPUTE_RESOLVED' || opened_at === undefined) continue;
    // One of two flags was lifted; the account is still disputed.
    if (resulting_status === 'DISPUTED') continue;
    disputes.push({ account, opened_at, resolved_at: occurred_at });
    open.delete(account);
  }
  for (const [account, opened_at] of open) {
    disputes.push({ account, opened_at, resolved_at: undefined });
  }
  return disputes;
}

function dateOf(day: number): string {
  return new Date(instantOfDay(day)).toISOString().slice(0, 10);
}

function noticeFor(purpose: string, as_of: string): string {
  return [
    `This report was requested for the purpose ${purpose} and may be used for that purpose only.`,
    `It shows what was on record at ${as_of}; the record may have changed since.`,
    'The score ranks subjects by how likely they are to fall seriously behind. It is no decision',
    'and no instruction to approve or refuse: whoever decides keeps the reasons for it.',
    'Anyone may contest a record; records under dispute are marked and their adverse facts are',
    'left out of the score. Other institutions appear under names that hold within this report',
    'only. Do not pass the report on, and delete it when its purpose is fulfilled.',
  ].join(' ');
}
