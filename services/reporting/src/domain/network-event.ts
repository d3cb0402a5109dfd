// When a credit event is told to the network: once per effective default or delinquency, never
// for what is only replayed, voided or repeated.

import {
  type AccountState,
  bucketOf,
  type Episode,
  episodeDaysPastDue,
  type Place,
  shownStatus,
} from './account';
import { type Outcome, outcomeOf } from './correction';
import { appliedType, type EventRecord, type NoticeKind } from './event';
import {
  type AccountStatus,
  type Bucket,
  type DefaultSeverity,
  type EventType,
  isAdverse,
  type UnderlyingStatus,
} from './vocabulary';

/** What the network is told; ids of subject and account come from the account. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly credit_event_id: string;
  readonly status: AccountStatus;
  readonly default_severity: DefaultSeverity;
  readonly bucket: Bucket;
  readonly occurred_at_ms: number;
  readonly reported_at_ms: number;
}

/** What an event of this type is told as, if at all. */
export function noticeOfType(event_type: EventType): NoticeKind | undefined {
  if (event_type === 'DEFAULT_REPORTED') return 'DEFAULT';
  return event_type === 'DELINQUENCY_STARTED' ? 'DELINQUENCY' : undefined;
}

/** What the creation of an account in this status is told as, if at all. */
export function noticeOfOpening(status: UnderlyingStatus): NoticeKind | undefined {
  if (status === 'DEFAULTED') return 'DEFAULT';
  return status === 'DELINQUENT' ? 'DELINQUENCY' : undefined;
}

/**
 * What a replacing correction is told as: nothing if its event or its episode was told before,
 * for the receivers know of that trouble already.
 */
export function noticeOfCorrection(
  correction: EventRecord,
  records: readonly EventRecord[],
  state: AccountState,
): NoticeKind | undefined {
  const kind = noticeOfType(appliedType(correction));
  if (kind === undefined) return undefined;
  const outcome = outcomeOf(records);
  const episode = episodeAt(state, timeOf(correction, outcome));
  const told = records.some(
    (record) =>
      record.notice === kind &&
      (rootIn(outcome, record) === rootIn(outcome, correction) ||
        (episode !== undefined && covers(episode, timeOf(record, outcome)))),
  );
  return told ? undefined : kind;
}

/** The notice of a record that is to be told, by the state that its account has come to. */
export function noticeFor(
  record: EventRecord,
  records: readonly EventRecord[] | undefined,
  state: AccountState,
): Notice | undefined {
  if (record.notice === undefined || record.resulting_status === undefined) return undefined;
  const outcome = records === undefined ? undefined : outcomeOf(records);
  const episode = episodeAt(state, timeOf(record, outcome));
  const days = episode === undefined ? 0 : episodeDaysPastDue(episode, record.reported_at_ms);
  return {
    kind: record.notice,
    credit_event_id: record.id,
    status: record.resulting_status,
    default_severity: record.default_severity ?? 'MODERATE',
    bucket: bucketOf(days),
    occurred_at_ms: placeIn(outcome, record).occurred_at_ms,
    reported_at_ms: record.reported_at_ms,
  };
}

/** What those who were told of a fact are told of its end, or of what a correction made of it. */
export interface NoticeEnd {
  readonly type: 'VOIDED' | 'CORRECTED';
  readonly kind: NoticeKind;
  /** The event that they were told of, and when. */
  readonly credit_event_id: string;
  readonly told_at_ms: number;
  /** What ended or changed it. */
  readonly correction_event_id: string;
  readonly status: AccountStatus;
  readonly default_severity?: DefaultSeverity | undefined;
  readonly occurred_at_ms: number;
  readonly reported_at_ms: number;
}

/**
 * What a new record has made of the facts that were told: those that are gone, those that changed,
 * and those that are back, for their receivers have heard that they were gone.
 */
export function noticeEnds(
  before: readonly EventRecord[],
  after: readonly EventRecord[],
  record: EventRecord,
  state: AccountState,
): NoticeEnd[] {
  const told = before.filter(({ notice }) => notice !== undefined);
  if (told.length === 0) return [];
  const was = outcomeOf(before);
  const is = outcomeOf(after);
  const retyped =
    was.opening.corrected_terms.account_type !== is.opening.corrected_terms.account_type;
  return told.flatMap((known): NoticeEnd[] => {
    const kind = known.notice;
    const old = factOf(known, was, before);
    const now = factOf(known, is, after);
    if (kind === undefined || (old === undefined && now === undefined)) return [];
    const same =
      old !== undefined &&
      now !== undefined &&
      !retyped &&
      old.default_severity === now.default_severity &&
      old.occurred_at_ms === now.occurred_at_ms;
    if (same) return [];
    return [
      {
        type: now === undefined ? 'VOIDED' : 'CORRECTED',
        kind,
        credit_event_id: known.id,
        told_at_ms: known.reported_at_ms,
        correction_event_id: record.id,
        status: shownStatus(state),
        default_severity: now?.default_severity,
        occurred_at_ms: (now ?? old)?.occurred_at_ms ?? known.occurred_at_ms,
        reported_at_ms: record.reported_at_ms,
      },
    ];
  });
}

/** What those who looked at a file are told: what they may have seen is another now, or gone. */
export interface FileCorrection {
  readonly correction_event_id: string;
  /** The event that was corrected, as it was first reported. */
  readonly credit_event_id: string;
  readonly event_type: EventType;
  readonly change: CorrectionChange;
  readonly status: AccountStatus;
  readonly occurred_at_ms: number;
  readonly reported_at_ms: number;
}

export type CorrectionChange = 'REPLACED' | 'REMOVED' | 'ACCOUNT_REMOVED';

/** What speaks against whom it is reported of. */
const NEGATIVE: ReadonlySet<EventType> = new Set<EventType>([
  'PAYMENT_LATE',
  'DELINQUENCY_STARTED',
  'DEFAULT_REPORTED',
  'ACCOUNT_RESTRUCTURED',
  'ACCOUNT_WRITTEN_OFF',
]);

/**
 * What those who looked are told of a record, if anything: of each correction that an outcome made or
 * accepted, and of a furnisher's own where what it corrects spoke against the person, or where the
 * account goes. A furnisher that puts a sum right in its favour or nobody's tells nobody.
 */
export function fileCorrection(
  record: EventRecord,
  records: readonly EventRecord[],
  state: AccountState,
  of_dispute: boolean,
): FileCorrection | undefined {
  if (record.event_type !== 'CORRECTION') return undefined;
  const slot = outcomeOf(records).slots.get(record.id);
  const corrected = records.find(({ id }) => id === record.supersedes_event_id);
  if (slot === undefined || corrected === undefined) return undefined;
  const { root, place } = slot;
  const is_opening = root.event_type === 'ACCOUNT_OPENED';
  const account_gone = is_opening && state.voided;
  const spoke_against =
    NEGATIVE.has(root.event_type) ||
    NEGATIVE.has(appliedType(corrected)) ||
    (is_opening && root.resulting_status !== undefined && isAdverse(root.resulting_status));
  if (!of_dispute && !spoke_against && !account_gone) return undefined;
  const gone = account_gone ? 'ACCOUNT_REMOVED' : 'REMOVED';
  return {
    correction_event_id: record.id,
    credit_event_id: root.id,
    event_type: root.event_type,
    change: slot.standing === undefined ? gone : 'REPLACED',
    status: shownStatus(state),
    occurred_at_ms: place.occurred_at_ms,
    reported_at_ms: record.reported_at_ms,
  };
}

/** The told fact as it stands; undefined when it does not. */
function factOf(
  told: EventRecord,
  outcome: Outcome,
  records: readonly EventRecord[],
): Pick<NoticeEnd, 'default_severity' | 'occurred_at_ms'> | undefined {
  const slot = outcome.slots.get(told.id);
  const standing = records[(slot?.standing?.sequence ?? 0) - 1];
  // Of an account that is left out, nothing stands.
  if (outcome.opening.suppressed) return undefined;
  if (slot === undefined || standing?.effect !== 'EFFECTIVE') return undefined;
  if (slot.root.event_type === 'ACCOUNT_OPENED') {
    return {
      default_severity: slot.root.default_severity,
      occurred_at_ms: slot.root.occurred_at_ms,
    };
  }
  if (noticeOfType(appliedType(standing)) !== told.notice) return undefined;
  return {
    default_severity: standing.default_severity,
    occurred_at_ms: slot.place.occurred_at_ms,
  };
}

function rootIn(outcome: Outcome, record: EventRecord): EventRecord | undefined {
  return outcome.slots.get(record.id)?.root;
}

function placeIn(outcome: Outcome | undefined, record: EventRecord): Place {
  return outcome?.places.get(record.sequence) ?? record;
}

/** When its fact counts from. */
function timeOf(record: EventRecord, outcome: Outcome | undefined): number {
  if (record.event_type !== 'ACCOUNT_OPENED') return placeIn(outcome, record).occurred_at_ms;
  const dates = record.opening_dates;
  return dates?.status_since_ms ?? dates?.first_delinquency_at_ms ?? record.reported_at_ms;
}

function covers(episode: Episode, at_ms: number): boolean {
  return (
    episode.started_at_ms <= at_ms &&
    (episode.ended_at_ms === undefined || at_ms <= episode.ended_at_ms)
  );
}

function episodeAt(state: AccountState, at_ms: number): Episode | undefined {
  return state.episodes.findLast((episode) => covers(episode, at_ms));
}
