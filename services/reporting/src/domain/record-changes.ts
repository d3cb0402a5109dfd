// What a correction has changed of a fact, in words that people read.

import { outcomeOf, type Slot } from './correction';
import { appliedType, type EventRecord } from './event';

/** A field that is another now; undefined where there is nothing any more, or was nothing before. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Fields = Readonly<Record<string, string | undefined>>;

/**
 * What a correction made of the fact behind an event, whatever came after it. What disputes leave out
 * for a time changes no fact.
 */
export function changesBy(
  records: readonly EventRecord[],
  event_id: string,
  correction_id: string,
): FieldChange[] {
  const correction = records.find(({ id }) => id === correction_id);
  if (correction === undefined) return [];
  const until = (sequence: number) => outcomeOf(records.slice(0, sequence)).slots.get(event_id);
  const was = until(correction.sequence - 1);
  const is = until(correction.sequence);
  if (was === undefined || is === undefined) return [];
  const [before, after] = [fieldsOf(was), fieldsOf(is)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) =>
    before[field] === after[field] ? [] : [{ field, before: before[field], after: after[field] }],
  );
}

function fieldsOf(slot: Slot): Fields {
  return slot.root.event_type === 'ACCOUNT_OPENED' ? openingOf(slot) : eventOf(slot);
}

function eventOf({ place, standing }: Slot): Fields {
  if (standing === undefined) return {};
  return {
    event_type: appliedType(standing),
    occurred_at: timeText(place.occurred_at_ms),
    amount: moneyText(standing.amount_minor),
    balance_after: moneyText(standing.balance_after_minor),
    default_severity: standing.default_severity,
  };
}

function openingOf({ balance_minor, corrected_terms: terms, root, standing }: Slot): Fields {
  if (standing === undefined) return { voided: 'true' };
  return {
    voided: 'false',
    opened_at: timeText(terms.opened_at_ms ?? root.occurred_at_ms),
    original_principal: moneyText(terms.original_principal_minor ?? root.amount_minor),
    balance_after: moneyText(balance_minor),
    account_type: terms.account_type,
    currency: terms.currency,
    interest_rate_bps: terms.interest_rate_bps?.toString(),
    interest_type: terms.interest_type,
    maturity_at: timeText(terms.maturity_at_ms),
    payment_frequency: terms.payment_frequency,
  };
}

function timeText(at_ms: number | undefined): string | undefined {
  return at_ms === undefined ? undefined : new Date(at_ms).toISOString();
}

/** Major units with two places. */
function moneyText(minor: bigint | undefined): string | undefined {
  if (minor === undefined) return undefined;
  const digits = minor.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
