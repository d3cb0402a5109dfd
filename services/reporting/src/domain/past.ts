// An account as it stood at a past time, out of its records.

import { type AccountState, apply, beginEpisode, isRefusal, skip } from './account';
import type { EventRecord } from './event';
import { type Account, withTimeline } from './ledger';
import { replay } from './timeline';

/** The two times that a look back is about. */
export interface PastMoment {
  /** What had happened by then counts, and what was told by then, which cannot have come later. */
  readonly as_of_ms: number;
  /** What was recorded by then is known. */
  readonly known_at_ms: number;
}

/** The records that were there at a time: a beginning of the record, since it only grows. */
export function knownAt(records: readonly EventRecord[], known_at_ms: number): EventRecord[] {
  const unknown = records.findIndex((record) => record.reported_at_ms > known_at_ms);
  return unknown < 0 ? [...records] : records.slice(0, unknown);
}

/** The records as they read at a time: effects and successors as they were then. */
export function recordsAt(
  records: readonly EventRecord[],
  organisation: boolean,
  known_at_ms: number,
): readonly EventRecord[] {
  const known = knownAt(records, known_at_ms);
  if (known.length === records.length || known.length === 0) return known;
  return replay(known, organisation).history?.records ?? known;
}

/** The account on the terms that were known at a time: corrections of the opening came later. */
export function accountKnownAt(
  account: Account,
  records: readonly EventRecord[],
  { known_at_ms }: PastMoment,
): Account {
  if (account.original_terms === undefined) return account;
  return withTimeline(account, replay(knownAt(records, known_at_ms), account.state.organisation));
}

/** The account's state at a past moment; undefined when it was not open or not known then. */
export function stateAt(
  records: readonly EventRecord[],
  organisation: boolean,
  { as_of_ms, known_at_ms }: PastMoment,
): AccountState | undefined {
  const known = knownAt(records, known_at_ms);
  const [created] = known;
  if (created === undefined) return undefined;
  const { history } = replay(known, organisation);
  const [opening] = history?.entries ?? [];
  const first = history?.states[0];
  if (history === undefined || opening === undefined || first === undefined) {
    throw new Error('A replay without its history.');
  }
  // Corrections may have moved the opening.
  if (!countsAt(opening, created, as_of_ms)) return undefined;
  let state = openingAt(first, as_of_ms);
  for (const entry of history.entries.slice(1)) {
    const record = history.records[entry.record_sequence - 1];
    if (record === undefined || !countsAt(entry, record, as_of_ms)) continue;
    const next = apply(state, entry);
    state = isRefusal(next) ? skip(state, entry) : next;
  }
  return state;
}

/** What an account was created in had not come about before its time. */
function openingAt(first: AccountState, as_of_ms: number): AccountState {
  if (first.voided || first.status_since_ms <= as_of_ms) return first;
  const started_at_ms = first.episodes[0]?.started_at_ms ?? Infinity;
  const unsettled = { ...first, closed_at_ms: undefined };
  return started_at_ms <= as_of_ms
    ? {
        ...unsettled,
        underlying_status: 'PAST_DUE',
        status_since_ms: started_at_ms,
        episodes: [{ ...beginEpisode(started_at_ms), past_due_since_ms: started_at_ms }],
      }
    : {
        ...unsettled,
        underlying_status: 'CURRENT',
        status_since_ms: first.head.occurred_at_ms,
        opened_in_trouble_ms: undefined,
        episodes: [],
      };
}

/** A furnisher's clock may run ahead by minutes: what it has told has happened. */
function countsAt(
  place: { readonly occurred_at_ms: number },
  record: EventRecord,
  as_of_ms: number,
): boolean {
  return Math.min(place.occurred_at_ms, record.reported_at_ms) <= as_of_ms;
}
