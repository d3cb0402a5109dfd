// When a credit event is told to the network: once per effective default or delinquency, never
// for what is only replayed, voided or repeated.

import { type AccountState, bucketOf, type Episode, episodeDaysPastDue } from './account';
import { byId, placeOf, type RecordsById, rootOf } from './correction';
import { appliedType, type EventRecord, type NoticeKind } from './event';
import type {
  AccountStatus,
  Bucket,
  DefaultSeverity,
  EventType,
  UnderlyingStatus,
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
export function noticeOfType(event_type: EventType): NoticeKind | null {
  if (event_type === 'DEFAULT_REPORTED') return 'DEFAULT';
  return event_type === 'DELINQUENCY_STARTED' ? 'DELINQUENCY' : null;
}

/** What the creation of an account in this status is told as, if at all. */
export function noticeOfOpening(status: UnderlyingStatus): NoticeKind | null {
  if (status === 'DEFAULTED') return 'DEFAULT';
  return status === 'DELINQUENT' ? 'DELINQUENCY' : null;
}

/**
 * What a replacing correction is told as: nothing if its event or its episode was told before,
 * for the receivers know of that trouble already.
 */
export function noticeOfCorrection(
  correction: EventRecord,
  records: readonly EventRecord[],
  state: AccountState,
): NoticeKind | null {
  const kind = noticeOfType(appliedType(correction));
  if (kind === null) return null;
  const ids = byId(records);
  const root = rootOf(correction, ids);
  const episode = episodeAt(state, placeOf(correction, root).occurred_at_ms);
  const told = records.some(
    (record) =>
      record.notice === kind &&
      (rootOf(record, ids) === root || (episode !== null && covers(episode, timeOf(record, ids)))),
  );
  return told ? null : kind;
}

/** The notice of a record that is to be told, by the state that its account has come to. */
export function noticeFor(
  record: EventRecord,
  records: readonly EventRecord[] | null,
  state: AccountState,
): Notice | null {
  if (record.notice === null || record.resulting_status === null) return null;
  const ids = byId(records ?? [record]);
  const occurred_at_ms = placeOf(record, rootOf(record, ids)).occurred_at_ms;
  const episode = episodeAt(state, timeOf(record, ids));
  const days = episode === null ? 0 : episodeDaysPastDue(episode, record.reported_at_ms);
  return {
    kind: record.notice,
    credit_event_id: record.id,
    status: record.resulting_status,
    default_severity: record.default_severity ?? 'MODERATE',
    bucket: bucketOf(days),
    occurred_at_ms,
    reported_at_ms: record.reported_at_ms,
  };
}

/** When its fact counts from. The network knows no date of an adverse opening but its report. */
function timeOf(record: EventRecord, ids: RecordsById): number {
  return record.event_type === 'ACCOUNT_OPENED'
    ? record.reported_at_ms
    : placeOf(record, rootOf(record, ids)).occurred_at_ms;
}

function covers(episode: Episode, at_ms: number): boolean {
  return (
    episode.started_at_ms <= at_ms && (episode.ended_at_ms === null || at_ms <= episode.ended_at_ms)
  );
}

function episodeAt(state: AccountState, at_ms: number): Episode | null {
  return state.episodes.findLast((episode) => covers(episode, at_ms)) ?? null;
}
