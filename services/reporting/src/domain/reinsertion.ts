// An outcome of a dispute lasts: what it took away cannot be reported again in other words, unless
// its furnisher certifies that it has verified the fact and how.

import { type AppError, conflict } from '@credit/platform/errors';
import { dayOf } from './calendar';
import { type Outcome, outcomeOf } from './correction';
import { appliedType, type EventRecord } from './event';
import type { Terms } from './terms';
import type { EventType } from './vocabulary';

/** What the outcome of a dispute has settled about an account. */
export interface Settlement {
  readonly dispute_id: string;
  /** The event behind what was disputed: its corrections are the network's from then on. */
  readonly root_event_id: string;
  /** The types under which the fact stood: ACCOUNT_OPENED for the account itself. */
  readonly event_types: readonly EventType[];
  readonly occurred_at_ms: number;
  readonly amount_minor: bigint | undefined;
  readonly balance_after_minor: bigint | undefined;
  /** What stands in its place; undefined when the fact is gone. */
  readonly left: EventType | undefined;
  readonly settled_at_ms: number;
  /** The furnisher's own correction that put it right; undefined when the network corrected. */
  readonly linked_event_id: string | undefined;
  /** The certified event that reported it again; from then on nothing is settled. */
  readonly reinserted_event_id: string | undefined;
}

/** A fact on the timeline, as far as comparing goes. */
export interface Fact {
  readonly event_type: EventType;
  readonly occurred_at_ms: number;
  readonly amount_minor?: bigint | undefined;
  readonly balance_after_minor?: bigint | undefined;
}

// Mild to grave.
const GRAVITY: Partial<Readonly<Record<EventType, number>>> = {
  PAYMENT_LATE: 1,
  DELINQUENCY_STARTED: 2,
  ACCOUNT_RESTRUCTURED: 3,
  DEFAULT_REPORTED: 4,
  ACCOUNT_WRITTEN_OFF: 5,
};
/** What says that the debtor was well between two times: the trouble after it is another one. */
const RECOVERIES: ReadonlySet<EventType> = new Set([
  'PAYMENT_MADE',
  'ACCOUNT_CURRENT',
  'DELINQUENCY_CURED',
  'DEFAULT_CURED',
  'ACCOUNT_PAID',
]);

export function gravityOf(event_type: EventType | undefined): number {
  return event_type === undefined ? 0 : (GRAVITY[event_type] ?? 0);
}

/** True when the fact says what the settlement has taken away, in the same words or others. */
export function repeats(settlement: Settlement, fact: Fact, standing: readonly Fact[]): boolean {
  if (settlement.reinserted_event_id !== undefined) return false;
  const sameKind = settlement.event_types.includes(fact.event_type);
  const removed = Math.max(...settlement.event_types.map(gravityOf));
  if (removed === 0) {
    // Of what is not adverse only the very same is the same: a balance may be right the next day.
    return (
      sameKind &&
      dayOf(fact.occurred_at_ms) === dayOf(settlement.occurred_at_ms) &&
      fact.amount_minor === settlement.amount_minor &&
      fact.balance_after_minor === settlement.balance_after_minor
    );
  }
  if (gravityOf(fact.event_type) === 0) return false;
  // It speaks of the time that the outcome was about.
  if (sameKind && fact.occurred_at_ms <= settlement.settled_at_ms) return true;
  const left = gravityOf(settlement.left);
  // The same trouble stands on, with other details: it may go on from there.
  if (left >= removed) return false;
  if (left > 0 && gravityOf(fact.event_type) < removed) return false;
  const from_ms = Math.min(settlement.occurred_at_ms, fact.occurred_at_ms);
  const until_ms = Math.max(settlement.occurred_at_ms, fact.occurred_at_ms);
  return !standing.some(
    ({ event_type, occurred_at_ms }) =>
      RECOVERIES.has(event_type) && occurred_at_ms > from_ms && occurred_at_ms <= until_ms,
  );
}

/** Those that nothing certified has put an end to. */
export function openAmong(settlements: readonly Settlement[]): readonly Settlement[] {
  return settlements.filter(({ reinserted_event_id }) => reinserted_event_id === undefined);
}

/** The settlements that a new record goes against. */
export function violated(
  settlements: readonly Settlement[],
  before: readonly EventRecord[],
  after: readonly EventRecord[],
  record: EventRecord,
): readonly Settlement[] {
  if (record.by_network) return [];
  const open = openAmong(settlements);
  if (open.length === 0) return [];
  const is = outcomeOf(after);
  const root = is.slots.get(record.id)?.root;
  const standing = factsOf(is, after);
  const known = sequencesOf(before);
  // However it came to stand: reported, put in another's place or brought back.
  const fresh = standing.filter(({ record_sequence }) => !known.has(record_sequence));
  return open.filter(
    (settlement) =>
      (settlement.root_event_id === root?.id && record.id !== root.id) ||
      fresh.some((fact) => repeats(settlement, fact, standing)),
  );
}

/**
 * Whether a furnisher's record says what a dispute leaves out, in the same words or others. To correct
 * what is left out is no such thing: that stays left out with it.
 */
export function saysWhatIsSuppressed(
  before: readonly EventRecord[],
  after: readonly EventRecord[],
  record: EventRecord,
): boolean {
  const is = outcomeOf(after);
  const left_out = [...is.suppressed].flatMap((root) => {
    const slot = is.slots.get(root.id);
    return slot?.standing === undefined || root.event_type === 'ACCOUNT_OPENED' ? [] : [slot];
  });
  if (left_out.length === 0) return false;
  const known = sequencesOf(before);
  const standing = factsOf(is, after);
  const fresh = standing.filter(({ record_sequence }) => !known.has(record_sequence));
  return left_out.some(({ root, standing: said = root, place }) => {
    const fact: Settlement = {
      dispute_id: '',
      root_event_id: root.id,
      event_types: [...new Set([appliedType(root), appliedType(said)])],
      occurred_at_ms: place.occurred_at_ms,
      amount_minor: said.amount_minor,
      balance_after_minor: said.balance_after_minor,
      left: undefined,
      settled_at_ms: record.reported_at_ms,
      linked_event_id: undefined,
      reinserted_event_id: undefined,
    };
    return fresh.some((one) => repeats(fact, one, standing));
  });
}

function sequencesOf(records: readonly EventRecord[]): ReadonlySet<number> {
  const facts = factsOf(outcomeOf(records), records);
  return new Set(facts.map(({ record_sequence }) => record_sequence));
}

/** What was settled, after a certified record has put an end to some of it. */
export function certifiedBy(
  record: EventRecord,
  ended: readonly Settlement[],
  settlements: readonly Settlement[],
): readonly Settlement[] {
  return settlements.map((known) =>
    ended.includes(known) ? { ...known, reinserted_event_id: record.id } : known,
  );
}

/** The facts that count. */
function factsOf(
  { slots, opening }: Outcome,
  records: readonly EventRecord[],
): (Fact & { record_sequence: number })[] {
  return [...new Set(slots.values())].flatMap(({ root, standing, place }) => {
    const derived = records[(standing?.sequence ?? 0) - 1];
    if (derived?.effect !== 'EFFECTIVE' || opening.record === undefined) return [];
    return [
      {
        event_type: root.event_type === 'ACCOUNT_OPENED' ? root.event_type : appliedType(derived),
        occurred_at_ms: place.occurred_at_ms,
        amount_minor: derived.amount_minor,
        balance_after_minor: derived.balance_after_minor,
        record_sequence: derived.sequence,
      },
    ];
  });
}

/** The same debt under another number: equal terms at the same institution and of the same subject. */
export function isSameDebt(a: Terms, b: Terms): boolean {
  return (
    a.account_type === b.account_type &&
    a.original_principal_minor === b.original_principal_minor &&
    dayOf(a.opened_at_ms) === dayOf(b.opened_at_ms)
  );
}

/**
 * What was settled that the same debt under another number would bring back: the account itself
 * when it was taken off the file, or its trouble when that is gone.
 */
export function broughtBack(
  settlements: readonly Settlement[],
  in_trouble: boolean,
): readonly Settlement[] {
  return openAmong(settlements).filter(({ event_types, left }) => {
    if (event_types.includes('ACCOUNT_OPENED')) return left === undefined;
    return in_trouble && Math.max(...event_types.map(gravityOf)) > gravityOf(left);
  });
}

/** 409 for what goes against an outcome without a certification. */
export function reinsertion(): AppError {
  return conflict(
    'The outcome of a dispute took this off the record; a certification must say what was ' +
      'verified and how.',
    { reason: 'REINSERTION' },
  );
}

/** 409 for what says again what a dispute leaves out of the file. */
export function suppressed(): AppError {
  return conflict('A dispute leaves this out of the file until it is decided.', {
    reason: 'SUPPRESSED',
  });
}
