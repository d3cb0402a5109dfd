// What the outcome of a dispute is about: the fact behind the contested event, as it stands now,
// whatever chain of corrections its furnisher has laid over it since or before.

import type { Place } from './account';
import { correctableOf, isReplacing, outcomeOf } from './correction';
import { appliedType, type EventRecord } from './event';
import { gravityOf, type Settlement } from './reinsertion';
import type { EventType } from './vocabulary';

/** The fact behind a contested event. */
export interface DisputedFact {
  readonly contested: EventRecord;
  readonly contested_place: Place;
  /** The event that the chain is about. */
  readonly root: EventRecord;
  /** What stands in its place now; undefined when it is void. */
  readonly standing?: EventRecord | undefined;
  readonly place: Place;
  /** What a further correction has to name. */
  readonly correctable: EventRecord;
}

export function disputedFact(
  records: readonly EventRecord[],
  contested: EventRecord,
): DisputedFact {
  const { slots, places } = outcomeOf(records);
  const slot = slots.get(contested.id);
  if (slot === undefined) throw new Error(`Event ${contested.id} is on no record.`);
  return {
    contested,
    contested_place: places.get(contested.sequence) ?? contested,
    root: slot.root,
    standing: slot.standing,
    place: slot.place,
    correctable: correctableOf(slot),
  };
}

/**
 * The correction that has put right what was disputed, if there is one: its furnisher's since then,
 * or that of an earlier outcome.
 */
export function answeringCorrection(
  fact: DisputedFact,
  wanted: {
    readonly filed_since_ms: number;
    readonly replacement?: object | undefined;
    readonly reason?: string | undefined;
  },
): EventRecord | undefined {
  const { standing, root, contested } = fact;
  const filed = standing ?? fact.correctable;
  const isAnswer =
    wanted.replacement === undefined &&
    filed.event_type === 'CORRECTION' &&
    filed !== contested &&
    (filed.by_network
      ? // An earlier outcome took it away for good, whenever that was.
        standing === undefined
      : filed.reported_at_ms >= wanted.filed_since_ms &&
        (standing === undefined || mends(fact, standing, wanted.reason)));
  return isAnswer && filed !== root ? filed : undefined;
}

/** True when a replacement puts right what the reason is about, and makes nothing worse. */
function mends(fact: DisputedFact, standing: EventRecord, reason: string | undefined): boolean {
  const { contested, contested_place, root } = fact;
  if (root.event_type === 'ACCOUNT_OPENED') {
    return reason === 'INCORRECT_DATES'
      ? standing.corrected_terms?.opened_at_ms !== undefined
      : reason === 'INCORRECT_BALANCE' && standing.balance_after_minor !== undefined;
  }
  const was = gravityOf(appliedType(contested));
  const is = gravityOf(appliedType(standing));
  const isWorse =
    is > was ||
    (is === was && severityOf(standing) > severityOf(contested)) ||
    (is > 0 && fact.place.occurred_at_ms > contested_place.occurred_at_ms);
  if (isWorse) return false;
  switch (reason) {
    case 'PAYMENT_REPORTED_LATE':
    case 'ALREADY_PAID':
      return is === 0;
    case 'INCORRECT_STATUS':
      return is < was || severityOf(standing) < severityOf(contested);
    case 'INCORRECT_BALANCE':
      return (
        standing.balance_after_minor !== contested.balance_after_minor ||
        standing.amount_minor !== contested.amount_minor
      );
    case 'INCORRECT_DATES':
      return fact.place.occurred_at_ms !== contested_place.occurred_at_ms;
    default:
      return false;
  }
}

const SEVERITIES = ['MINOR', 'MODERATE', 'SEVERE', 'CRITICAL'];

function severityOf({ default_severity }: EventRecord): number {
  return SEVERITIES.indexOf(default_severity ?? '');
}

const NETWORK_REFERENCE = /^dispute:([0-9a-f-]{36})$/;

/** What outcomes have settled about an account, out of its records alone. */
export function settlementsOf(records: readonly EventRecord[]): Settlement[] {
  return records.flatMap((record) => {
    const dispute_id = NETWORK_REFERENCE.exec(record.source_reference ?? '')?.[1];
    const contested = records.find(({ id }) => id === record.supersedes_event_id);
    if (!record.by_network || dispute_id === undefined || contested === undefined) return [];
    const before = records.slice(0, record.sequence - 1);
    const wanted = { dispute_id, replacement: isReplacing(record) ? record : undefined };
    return [
      settlementOf(disputedFact(before, contested), wanted, record.reported_at_ms, undefined),
    ];
  });
}

/** What the outcome settles. */
export function settlementOf(
  { contested, root, standing, place }: DisputedFact,
  wanted: {
    readonly dispute_id: string;
    readonly replacement?: { readonly corrected_event_type?: EventType | undefined } | undefined;
  },
  settled_at_ms: number,
  linked: EventRecord | undefined,
): Settlement {
  const ofOpening = root.event_type === 'ACCOUNT_OPENED';
  // What it was taken off or put right as: all that the furnisher has called it.
  const types = ofOpening
    ? [root.event_type]
    : [root, contested, ...(linked === undefined && standing !== undefined ? [standing] : [])].map(
        appliedType,
      );
  const replaced = ofOpening
    ? wanted.replacement && root.event_type
    : wanted.replacement?.corrected_event_type;
  const linkedTo = linked && standing && (ofOpening ? root.event_type : appliedType(standing));
  return {
    dispute_id: wanted.dispute_id,
    root_event_id: root.id,
    event_types: [...new Set(types.filter((type) => type !== 'CORRECTION'))],
    occurred_at_ms: place.occurred_at_ms,
    amount_minor: contested.amount_minor,
    balance_after_minor: contested.balance_after_minor,
    left: linkedTo ?? replaced,
    settled_at_ms,
    linked_event_id: linked?.id,
    reinserted_event_id: undefined,
  };
}
