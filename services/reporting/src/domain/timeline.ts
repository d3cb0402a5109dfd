// An account's timeline: its records laid out in order of (occurred_at, sequence) and folded.
//
// The invariant that everything rests on: the stored state is what a tolerant replay of all
// records gives. An event at the head keeps it with one `apply`. A backdated event is checked at
// its own place and may make no later event impossible. A CORRECTION may: such events stay on
// record as IGNORED.

import { type AppError, conflict, invalid } from '@credit/platform/errors';
import {
  type AccountState,
  apply,
  type Entry,
  isOffFile,
  isRefusal,
  openAccount,
  type Place,
  type Suppression,
  shownStatus,
  skip,
} from './account';
import { checkTarget, outcomeOf, type StandingOpening } from './correction';
import { appliedType, type EventRecord, type NewEvent } from './event';
import {
  type NoticeEnd,
  noticeEnds,
  noticeOfCorrection,
  noticeOfOpening,
  noticeOfType,
} from './network-event';
import type { CorrectedTerms, OpeningDates } from './terms';
import { EVENT_TYPES, isSuppression, type UnderlyingStatus } from './vocabulary';

/** What furnishers report of an account as it goes; the others are of its records. */
const REPORTABLE = EVENT_TYPES.filter(
  (type) => type !== 'ACCOUNT_OPENED' && type !== 'CORRECTION' && !isSuppression(type),
);

/** An entry and the record whose content stands there. */
interface Placed extends Entry {
  readonly record_sequence: number;
}

/** All records of an account and the states between them, in order of the timeline. */
export interface History {
  /** By sequence. */
  readonly records: readonly EventRecord[];
  readonly entries: readonly Placed[];
  /** `states[i]` is the state after `entries[i]`. */
  readonly states: readonly AccountState[];
  /** What corrections of the opening have changed. */
  readonly corrected_terms: CorrectedTerms;
}

/** An account's standing, ready to take events. Never changed in place. */
export interface Timeline {
  readonly state: AccountState;
  /** Number of records; the last one's sequence. */
  readonly version: number;
  /** Only events that are not at the head need it. */
  readonly history?: History | undefined;
}

/** A recorded event and what it changed. */
export interface Appended {
  readonly timeline: Timeline;
  readonly record: EventRecord;
  /** Earlier records whose effect, successor or resulting status is another now. */
  readonly amended: readonly EventRecord[];
  /** What it has made of facts that were told. */
  readonly ends: readonly NoticeEnd[];
}

/** What the caller decides of a new record. */
export interface Stamp {
  readonly id: string;
  readonly now_ms: number;
}

/** What an account is opened with. */
export interface NewTimeline {
  readonly organisation: boolean;
  readonly status: UnderlyingStatus;
  readonly original_principal_minor: bigint;
  readonly balance_minor: bigint;
  readonly opened_at_ms: number;
  readonly dates?: OpeningDates | undefined;
  readonly certification?: string | undefined;
}

/** Begins a timeline with its ACCOUNT_OPENED event. */
export function openTimeline(
  opened: NewTimeline,
  stamp: Stamp,
): { timeline: Timeline; record: EventRecord } {
  const record: EventRecord = {
    id: stamp.id,
    sequence: 1,
    event_type: 'ACCOUNT_OPENED',
    occurred_at_ms: opened.opened_at_ms,
    reported_at_ms: stamp.now_ms,
    amount_minor: opened.original_principal_minor,
    balance_after_minor: opened.balance_minor,
    default_severity: opened.status === 'DEFAULTED' ? 'MODERATE' : undefined,
    certification: opened.certification,
    by_network: false,
    notice: noticeOfOpening(opened.status),
    opening_dates: opened.dates,
    effect: 'EFFECTIVE',
    resulting_status: opened.status,
  };
  const untouched = {
    record,
    corrected_terms: {},
    balance_minor: opened.balance_minor,
    suppressed: false,
  };
  const state = stateAtOpening(record, untouched, opened.organisation);
  return { timeline: { state, version: 1 }, record };
}

/** How an account stood after one of its events, and when that was. */
export interface StandingAfter {
  readonly state: AccountState;
  readonly occurred_at_ms: number;
}

/** The states after those records that count, by their sequence. */
export function standingsOf({ entries, states, records }: History): Map<number, StandingAfter> {
  const standings = new Map<number, StandingAfter>();
  for (const [index, { record_sequence, occurred_at_ms }] of entries.entries()) {
    const state = states[index];
    const counts = recordAt(records, record_sequence).effect === 'EFFECTIVE';
    if (state !== undefined && counts) standings.set(record_sequence, { state, occurred_at_ms });
  }
  return standings;
}

/** True when the event goes to the end of the timeline, so that no history is needed. */
export function isAtHead(state: Pick<AccountState, 'head'>, event: NewEvent): boolean {
  const isOfRecords = event.event_type === 'CORRECTION' || isSuppression(event.event_type);
  return !isOfRecords && event.occurred_at_ms >= state.head.occurred_at_ms;
}

/** A timeline out of its records alone. */
export function replay(records: readonly EventRecord[], organisation: boolean): Timeline {
  const history = rebuild(records, organisation);
  return { state: lastOf(history.states), version: records.length, history };
}

/**
 * Records an event. Throws 409 when it is impossible at its place or would make a later one
 * impossible, 404 when what it corrects is not among the records. A timeline without history
 * takes events at the head only.
 */
export function append(timeline: Timeline, event: NewEvent, stamp: Stamp): Appended {
  const draft: EventRecord = {
    ...event,
    id: stamp.id,
    sequence: timeline.version + 1,
    reported_at_ms: stamp.now_ms,
    // Nobody hears of what nobody sees, then or later.
    notice: isOffFile(timeline.state) ? undefined : noticeOfType(event.event_type),
    effect: 'EFFECTIVE',
  };
  if (isAtHead(timeline.state, event)) return appendAtHead(timeline, draft);
  if (timeline.history === undefined) throw new Error('This event needs the account history.');
  if (isSuppression(event.event_type)) return appendSuppression(timeline.history, draft);
  return event.event_type === 'CORRECTION'
    ? appendCorrection(timeline.history, draft)
    : appendBackdated(timeline.history, draft);
}

/** What is left out, or is back, may make others impossible or possible: nothing refuses it. */
function appendSuppression(history: History, draft: EventRecord): Appended {
  const { organisation } = firstOf(history.states);
  const replayed = rebuild([...history.records, draft], organisation);
  const record = recordAt(replayed.records, draft.sequence);
  const state = lastOf(replayed.states);
  return {
    timeline: { state, version: record.sequence, history: replayed },
    record,
    amended: changedAmong(history.records, replayed.records),
    ends: noticeEnds(history.records, replayed.records, record, state),
  };
}

function appendAtHead(timeline: Timeline, draft: EventRecord): Appended {
  const entry = ownEntry(draft);
  const state = apply(timeline.state, entry);
  if (isRefusal(state)) throw notAllowed(state.refused, timeline.state, entry);
  const record = { ...draft, resulting_status: shownStatus(state) };
  const history = timeline.history && {
    ...timeline.history,
    records: [...timeline.history.records, record],
    entries: [...timeline.history.entries, entry],
    states: [...timeline.history.states, state],
  };
  return { timeline: { state, version: record.sequence, history }, record, amended: [], ends: [] };
}

function appendBackdated(history: History, draft: EventRecord): Appended {
  const entry = ownEntry(draft);
  // Everything recorded earlier at the same time comes before it. The opening is at index 0.
  const index = history.entries.findLastIndex((known) => comparePlaces(known, entry) < 0) + 1;
  const before = history.states[index - 1];
  if (before === undefined) throw new Error('An event before the opening of its account.');
  let state = apply(before, entry);
  if (isRefusal(state)) throw notAllowed(state.refused, before, entry);
  const record = { ...draft, resulting_status: shownStatus(state) };
  const records = [...history.records, record];
  const states = [...history.states.slice(0, index), state];
  const amended: EventRecord[] = [];
  for (const later of history.entries.slice(index)) {
    const known = recordAt(records, later.record_sequence);
    const next: ReturnType<typeof apply> = apply(state, later);
    if (isRefusal(next) && known.effect !== 'IGNORED') {
      throw conflict(
        `The later ${later.event_type} of ${isoTime(later.occurred_at_ms)} would be impossible: ${next.refused}`,
        { reason: 'TRANSITION_NOT_ALLOWED' },
      );
    }
    state = isRefusal(next) ? skip(state, later) : next;
    states.push(state);
    const derived = isRefusal(next) ? ignored(known) : effective(known, state);
    if (derived !== known) {
      records[known.sequence - 1] = derived;
      amended.push(derived);
    }
  }
  const entries = history.entries.toSpliced(index, 0, entry);
  return {
    timeline: {
      state,
      version: record.sequence,
      history: { ...history, records, entries, states },
    },
    record,
    amended,
    // It may have made room for one that a correction had made impossible.
    ends: amended.length === 0 ? [] : noticeEnds(history.records, records, record, state),
  };
}

function appendCorrection(history: History, draft: EventRecord): Appended {
  checkTarget(history.records, draft);
  const organisation = firstOf(history.states).organisation;
  const replayed = rebuild([...history.records, draft], organisation);
  const record = recordAt(replayed.records, draft.sequence);
  if (record.effect === 'IGNORED') {
    throw conflict(refusalOf(record, replayed), { reason: 'TRANSITION_NOT_ALLOWED' });
  }
  checkOpening(replayed, draft);
  const state = lastOf(replayed.states);
  const isSeen = record.effect !== 'SUPPRESSED' && !isOffFile(state);
  const notice = isSeen ? noticeOfCorrection(record, replayed.records, state) : undefined;
  const told = { ...record, notice };
  const records = replayed.records.with(told.sequence - 1, told);
  return {
    timeline: { state, version: told.sequence, history: { ...replayed, records } },
    record: told,
    amended: changedAmong(history.records, records),
    ends: noticeEnds(history.records, records, told, state),
  };
}

/** Terms that a correction puts in place must leave room for what is on record. */
function checkOpening({ entries, records, states }: History, draft: EventRecord): void {
  const [opening, first] = entries;
  const opened_at_ms = opening?.occurred_at_ms ?? -Infinity;
  if (first !== undefined && first.occurred_at_ms < opened_at_ms) {
    throw conflict(
      `The ${first.event_type} of ${isoTime(first.occurred_at_ms)} would be before opened_at.`,
      { reason: 'TRANSITION_NOT_ALLOWED' },
    );
  }
  const dates = records[0]?.opening_dates;
  for (const at_ms of [dates?.first_delinquency_at_ms, dates?.status_since_ms]) {
    if (at_ms !== undefined && at_ms < opened_at_ms) {
      throw conflict(`The status at creation, of ${isoTime(at_ms)}, would be before opened_at.`, {
        reason: 'TRANSITION_NOT_ALLOWED',
      });
    }
  }
  if (firstOf(states).voided && (draft.balance_after_minor ?? 0n) !== 0n) {
    throw invalid('balance_after', 'must be 0 when the account is taken off the file');
  }
  const { underlying_status: status, balance_minor } = firstOf(states);
  if ((status === 'PAID' || status === 'CANCELLED') && balance_minor !== 0n) {
    throw invalid('balance_after', `must be 0: the account was ${status} when it was opened`);
  }
}

function refusalOf(record: EventRecord, history: History): string {
  const index = history.entries.findIndex((entry) => entry.record_sequence === record.sequence);
  const before = history.states[index - 1];
  const entry = history.entries[index];
  const result = before === undefined || entry === undefined ? undefined : apply(before, entry);
  return result !== undefined && isRefusal(result) ? result.refused : 'Impossible at its place.';
}

/** 409 that names what could be reported at the place instead. */
function notAllowed(message: string, before: AccountState, entry: Entry): AppError {
  const possible = REPORTABLE.filter((event_type) => {
    // Without amounts: whether there is any event of the type that could be.
    const probe = { ...entry, event_type, amount_minor: undefined, balance_after_minor: undefined };
    const settles = event_type === 'ACCOUNT_CLOSED' ? { balance_after_minor: 0n } : {};
    return !isRefusal(apply(before, { ...probe, ...settles }));
  });
  return conflict(message, { reason: 'TRANSITION_NOT_ALLOWED', allowed_event_types: possible });
}

// --- replaying

function rebuild(records: readonly EventRecord[], organisation: boolean): History {
  const { opening, slots, standing, superseded_by, suppressed } = outcomeOf(records);
  const created = firstRecord(records);
  const entries = standing.map(({ record, place }) => entryOf(record, place)).sort(comparePlaces);
  let state = stateAtOpening(created, opening, organisation, suppressionOf(opening, suppressed));
  entries.unshift(openingEntry(created, opening, state));
  const states = [state];
  const derived = records.map((record): EventRecord => {
    const by = superseded_by.get(record.sequence);
    return withDerived(record, {
      superseded_by_event_id: by?.id,
      effect: 'SUPERSEDED',
      // An opening keeps the status that the account was created in: every replay begins with it.
      resulting_status: record === created ? record.resulting_status : undefined,
    });
  });
  if (opening.record !== undefined) {
    const { sequence } = opening.record;
    const known = recordAt(derived, sequence);
    derived[sequence - 1] = withDerived(known, {
      superseded_by_event_id: known.superseded_by_event_id,
      effect: 'EFFECTIVE',
      resulting_status: created.resulting_status,
    });
  }
  for (const root of suppressed) {
    const left_out = slots.get(root.id)?.standing;
    if (left_out === undefined) continue;
    const known = recordAt(derived, left_out.sequence);
    derived[left_out.sequence - 1] = withDerived(known, { ...known, effect: 'SUPPRESSED' });
  }
  for (const entry of entries.slice(1)) {
    const next = apply(state, entry);
    state = isRefusal(next) ? skip(state, entry) : next;
    states.push(state);
    const known = recordAt(derived, entry.record_sequence);
    derived[known.sequence - 1] = isRefusal(next) ? ignored(known) : effective(known, state);
  }
  return { records: derived, entries, states, corrected_terms: opening.corrected_terms };
}

function firstRecord(records: readonly EventRecord[]): EventRecord {
  const [created] = records;
  if (created?.event_type !== 'ACCOUNT_OPENED') throw new Error('A timeline without an opening.');
  return created;
}

function stateAtOpening(
  created: EventRecord,
  opening: StandingOpening,
  organisation: boolean,
  suppression?: Suppression,
): AccountState {
  const status = created.resulting_status;
  if (status === undefined || status === 'DISPUTED')
    throw new Error('An opening without a status.');
  return openAccount({
    organisation,
    voided: opening.record === undefined,
    suppression,
    status,
    balance_minor: opening.balance_minor,
    opened_at_ms: opening.corrected_terms.opened_at_ms ?? created.occurred_at_ms,
    reported_at_ms: created.reported_at_ms,
    first_delinquency_at_ms: created.opening_dates?.first_delinquency_at_ms,
    status_since_ms: created.opening_dates?.status_since_ms,
  });
}

function suppressionOf(
  opening: StandingOpening,
  suppressed: ReadonlySet<EventRecord>,
): Suppression | undefined {
  if (opening.suppressed) return 'ACCOUNT';
  return suppressed.size > 0 ? 'EVENTS' : undefined;
}

/** Pinned first: nothing is on record from before it. */
function openingEntry(created: EventRecord, opening: StandingOpening, state: AccountState): Placed {
  return {
    ...entryOf(created, state.head),
    balance_after_minor: opening.balance_minor,
    record_sequence: (opening.record ?? created).sequence,
  };
}

function ownEntry(record: EventRecord): Placed {
  return entryOf(record, record);
}

function entryOf(record: EventRecord, place: Place): Placed {
  return {
    occurred_at_ms: place.occurred_at_ms,
    sequence: place.sequence,
    event_type: appliedType(record),
    amount_minor: record.amount_minor,
    balance_after_minor: record.balance_after_minor,
    default_severity: record.default_severity,
    by_network: record.by_network,
    record_sequence: record.sequence,
  };
}

function comparePlaces(a: Place, b: Place): number {
  return a.occurred_at_ms - b.occurred_at_ms || a.sequence - b.sequence;
}

// --- derived fields

type Derived = Pick<EventRecord, 'superseded_by_event_id' | 'effect' | 'resulting_status'>;

function isSameDerived(a: Derived, b: Derived): boolean {
  return (
    a.superseded_by_event_id === b.superseded_by_event_id &&
    a.effect === b.effect &&
    a.resulting_status === b.resulting_status
  );
}

/** The same object when nothing changes, so that callers can tell by identity. */
function withDerived(record: EventRecord, derived: Derived): EventRecord {
  return isSameDerived(record, derived) ? record : { ...record, ...derived };
}

function effective(record: EventRecord, state: AccountState): EventRecord {
  return withDerived(record, {
    superseded_by_event_id: record.superseded_by_event_id,
    effect: 'EFFECTIVE',
    resulting_status: shownStatus(state),
  });
}

function ignored(record: EventRecord): EventRecord {
  return withDerived(record, {
    superseded_by_event_id: record.superseded_by_event_id,
    effect: 'IGNORED',
    resulting_status: undefined,
  });
}

function recordAt(records: readonly EventRecord[], sequence: number): EventRecord {
  const record = records[sequence - 1];
  if (record?.sequence !== sequence) throw new Error(`Record ${sequence} is missing.`);
  return record;
}

function firstOf(states: readonly AccountState[]): AccountState {
  const first = states[0];
  if (first === undefined) throw new Error('A timeline without an opening.');
  return first;
}

function lastOf(states: readonly AccountState[]): AccountState {
  const last = states.at(-1);
  if (last === undefined) throw new Error('A timeline without an opening.');
  return last;
}

function isoTime(at_ms: number): string {
  return new Date(at_ms).toISOString();
}

/** Which of the records follow otherwise from the timeline than they say. */
export function amendedAmong(
  records: readonly EventRecord[],
  { history }: Timeline,
): readonly EventRecord[] {
  return changedAmong(records, history?.records ?? []);
}

/** Which of the records follow otherwise from the timeline now than they did before. */
export function changedAmong(
  before: readonly EventRecord[],
  now: readonly EventRecord[],
): readonly EventRecord[] {
  return now.filter((derived, index) => {
    const known = before[index];
    return known !== undefined && !isSameDerived(derived, known);
  });
}
