// A credit event as it is reported and as it stays on record, and what can be said of its shape
// before any account is looked at: 422 for shape, range and missing fields.

import type { ErrorDetail } from '@credit/platform/errors';
import { checkText, isUuid, TEXTS } from '@credit/platform/values';
import { yearsBefore } from './calendar';
import { type CorrectedTerms, checkTerms, isSameChange, type OpeningDates } from './terms';
import {
  type AccountStatus,
  type DefaultSeverity,
  type EventEffect,
  type EventType,
  isSuppression,
  MAX_AMOUNT_MINOR,
  type Wrong,
} from './vocabulary';

/** An event before it is recorded. */
export interface NewEvent {
  readonly event_type: EventType;
  readonly occurred_at_ms: number;
  readonly amount_minor?: bigint | undefined;
  readonly balance_after_minor?: bigint | undefined;
  readonly source_reference?: string | undefined;
  readonly default_severity?: DefaultSeverity | undefined;
  readonly supersedes_event_id?: string | undefined;
  readonly correction_reason?: string | undefined;
  readonly corrected_event_type?: EventType | undefined;
  readonly corrected_occurred_at_ms?: number | undefined;
  /** Of a CORRECTION of ACCOUNT_OPENED: the opening facts that it changes. */
  readonly corrected_terms?: CorrectedTerms | undefined;
  /** What was verified and how, of a fact that the outcome of a dispute took away before. */
  readonly certification?: string | undefined;
  /** Said by the network and not by the furnisher. */
  readonly by_network: boolean;
}

/** An event as it came in: what is required may be missing too. */
export type EventDraft = Omit<NewEvent, 'event_type' | 'occurred_at_ms'> & {
  readonly event_type?: EventType | undefined;
  readonly occurred_at_ms?: number | undefined;
};

/** The kind of network event that a credit event has caused. */
export type NoticeKind = 'DEFAULT' | 'DELINQUENCY';

/** An event on record. The fields from `superseded_by_event_id` on follow from the timeline. */
export interface EventRecord extends NewEvent {
  readonly id: string;
  /** Position in the account's record, from 1, without a gap. */
  readonly sequence: number;
  readonly reported_at_ms: number;
  /** Set for good when the event is recorded. */
  readonly notice?: NoticeKind | undefined;
  /** Of an ACCOUNT_OPENED: what its furnisher said of when the trouble began. */
  readonly opening_dates?: OpeningDates | undefined;
  readonly superseded_by_event_id?: string | undefined;
  readonly effect: EventEffect;
  /**
   * The shown status right after the event; undefined when the event does not count. An ACCOUNT_OPENED
   * keeps the status that the account was created in, whatever becomes of it.
   */
  readonly resulting_status?: AccountStatus | undefined;
}

const FUTURE_TOLERANCE_MS = 5 * 60_000;
const OLDEST_YEARS = 7;
/** What the network records under: nobody else can take such a reference before it does. */
const NETWORK_PREFIXES = ['dispute:', 'review:'] as const;
const NEEDS_AMOUNT: ReadonlySet<EventType> = new Set([
  'PAYMENT_MADE',
  'PARTIAL_PAYMENT',
  'LIMIT_CHANGED',
]);
/** The opening and dispute flags stay as they are; a CORRECTION replaces facts, not itself. */
const NO_REPLACEMENT: ReadonlySet<EventType> = new Set([
  'ACCOUNT_OPENED',
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'CORRECTION',
  'EVENT_SUPPRESSED',
  'EVENT_RESTORED',
]);
const NOT_CORRECTABLE: ReadonlySet<EventType> = new Set([
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'EVENT_SUPPRESSED',
  'EVENT_RESTORED',
]);

export function isCorrectable(event_type: EventType): boolean {
  return !NOT_CORRECTABLE.has(event_type);
}

/** The type that counts: a replacing CORRECTION stands for the event that it puts in place. */
export function appliedType(event: Pick<NewEvent, 'event_type' | 'corrected_event_type'>) {
  return event.corrected_event_type ?? event.event_type;
}

/** The event with its defaults, or everything that is wrong with its shape. */
export function checkEvent(draft: EventDraft, now_ms: number): NewEvent | ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => details.push({ path, message });
  const { event_type, occurred_at_ms } = draft;
  if (event_type === undefined) wrong('event_type', 'is required');
  else if (isSuppression(event_type) && !draft.by_network) {
    wrong('event_type', 'is for the network only');
  }
  if (occurred_at_ms === undefined) wrong('occurred_at', 'is required');
  else checkTime('occurred_at', occurred_at_ms, now_ms, wrong);
  checkAmount('amount', draft.amount_minor, wrong);
  checkAmount('balance_after', draft.balance_after_minor, wrong);
  checkText('source_reference', draft.source_reference, TEXTS.source_reference, wrong);
  if (!draft.by_network && isNetworkReference(draft.source_reference)) {
    wrong('source_reference', `must not begin with ${NETWORK_PREFIXES.join(' or ')}`);
  }
  checkText('correction_reason', draft.correction_reason, TEXTS.correction_reason, wrong);
  checkText('certification', draft.certification, TEXTS.certification, wrong);
  if (event_type === 'CORRECTION') checkCorrection(draft, now_ms, wrong);
  else if (event_type !== undefined && !isSuppression(event_type)) checkNoCorrection(draft, wrong);
  const applied = draft.corrected_event_type ?? event_type;
  if (applied !== undefined) checkFieldsOf(applied, draft, wrong);
  if (details.length > 0 || event_type === undefined || occurred_at_ms === undefined)
    return details;
  const severity = applied === 'DEFAULT_REPORTED' ? 'MODERATE' : undefined;
  const default_severity = draft.default_severity ?? severity;
  // Nearly every event is what its draft says, and is not copied: both are there, as was just seen.
  return default_severity === draft.default_severity
    ? (draft as NewEvent)
    : { ...draft, event_type, occurred_at_ms, default_severity };
}

/** What is wrong with an event's times once its account is known. */
export function checkAgainstOpening(event: NewEvent, opened_at_ms: number): ErrorDetail[] {
  const message = 'must not be before opened_at';
  const details: ErrorDetail[] = [];
  if (event.occurred_at_ms < opened_at_ms) details.push({ path: 'occurred_at', message });
  if (
    event.corrected_occurred_at_ms !== undefined &&
    event.corrected_occurred_at_ms < opened_at_ms
  ) {
    details.push({ path: 'corrected_occurred_at', message });
  }
  return details;
}

/** True when a source reference was used for this very event before. */
export function saysTheSame(event: NewEvent, known: NewEvent): boolean {
  return (
    event.event_type === known.event_type &&
    event.occurred_at_ms === known.occurred_at_ms &&
    event.amount_minor === known.amount_minor &&
    event.balance_after_minor === known.balance_after_minor &&
    event.default_severity === known.default_severity &&
    event.supersedes_event_id === known.supersedes_event_id &&
    event.correction_reason === known.correction_reason &&
    event.corrected_event_type === known.corrected_event_type &&
    event.corrected_occurred_at_ms === known.corrected_occurred_at_ms &&
    isSameChange(event.corrected_terms, known.corrected_terms) &&
    event.certification === known.certification &&
    event.by_network === known.by_network
  );
}

function checkTime(path: string, at_ms: number, now_ms: number, wrong: Wrong): void {
  if (at_ms > now_ms + FUTURE_TOLERANCE_MS) wrong(path, 'must not be in the future');
  if (at_ms < yearsBefore(now_ms, OLDEST_YEARS)) wrong(path, 'must not be over 7 years ago');
}

function checkAmount(path: string, minor: bigint | undefined, wrong: Wrong): void {
  if (minor !== undefined && (minor < 0n || minor > MAX_AMOUNT_MINOR)) {
    wrong(path, 'must be between 0 and 999,999,999,999.99');
  }
}

function isNetworkReference(reference: string | undefined): boolean {
  return NETWORK_PREFIXES.some((prefix) => reference?.startsWith(prefix));
}

function checkCorrection(draft: EventDraft, now_ms: number, wrong: Wrong): void {
  if (draft.supersedes_event_id === undefined) {
    wrong('supersedes_event_id', 'is required for CORRECTION');
  } else if (!isUuid(draft.supersedes_event_id)) {
    wrong('supersedes_event_id', 'must be a UUID');
  }
  if (draft.correction_reason === undefined)
    wrong('correction_reason', 'is required for CORRECTION');
  if (draft.corrected_event_type !== undefined && NO_REPLACEMENT.has(draft.corrected_event_type)) {
    wrong('corrected_event_type', 'cannot replace an event');
  }
  if (draft.corrected_terms !== undefined) {
    if (draft.corrected_event_type !== undefined) {
      wrong('corrected_account', 'cannot go with corrected_event_type');
    }
    checkTerms(draft.corrected_terms, now_ms, (path, message) =>
      wrong(path === '' ? 'corrected_account' : `corrected_account.${path}`, message),
    );
  }
  if (draft.corrected_occurred_at_ms === undefined) return;
  if (draft.corrected_event_type === undefined) {
    wrong('corrected_event_type', 'is required with corrected_occurred_at');
  }
  checkTime('corrected_occurred_at', draft.corrected_occurred_at_ms, now_ms, wrong);
}

function checkNoCorrection(draft: EventDraft, wrong: Wrong): void {
  const check = (path: string, value: unknown) => {
    if (value !== undefined) wrong(path, 'is for CORRECTION only');
  };
  check('supersedes_event_id', draft.supersedes_event_id);
  check('correction_reason', draft.correction_reason);
  check('corrected_event_type', draft.corrected_event_type);
  check('corrected_occurred_at', draft.corrected_occurred_at_ms);
  check('corrected_account', draft.corrected_terms);
}

function checkFieldsOf(applied: EventType, draft: EventDraft, wrong: Wrong): void {
  if (NEEDS_AMOUNT.has(applied) && draft.amount_minor === undefined) {
    wrong('amount', `is required for ${applied}`);
  }
  if (applied === 'BALANCE_UPDATED' && draft.balance_after_minor === undefined) {
    wrong('balance_after', 'is required for BALANCE_UPDATED');
  }
  if (applied === 'ACCOUNT_PAID' && (draft.balance_after_minor ?? 0n) !== 0n) {
    wrong('balance_after', 'must be 0 for ACCOUNT_PAID');
  }
  if (applied !== 'DEFAULT_REPORTED' && draft.default_severity !== undefined) {
    wrong('default_severity', 'is for DEFAULT_REPORTED only');
  }
}
