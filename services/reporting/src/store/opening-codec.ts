// Opening facts, terms and settlements as JSON: money as text, and null for what is absent.

import type { EventRecord } from '../domain/event';
import type { Settlement } from '../domain/reinsertion';
import { type CorrectedTerms, type OpeningDates, type Terms, termsOf } from '../domain/terms';

type Stored<Value> = {
  readonly [Name in keyof Value]: StoredValue<NonNullable<Value[Name]>> | Absent<Value[Name]>;
};
type StoredValue<Value> = Value extends bigint ? string : Value;
type Absent<Value> = undefined extends Value ? null : never;

/** A record's dates or changed terms; it never has both. */
export type StoredOpeningFacts =
  | { readonly dates: Stored<OpeningDates> }
  | { readonly terms: Stored<Required<CorrectedTerms>> };
export type StoredTerms = Stored<Terms>;
export type StoredSettlement = Stored<Settlement>;

export function encodeOpeningFacts(record: EventRecord): string | undefined {
  const { corrected_terms, opening_dates } = record;
  if (corrected_terms !== undefined) return encode({ terms: corrected_terms });
  return opening_dates && encode({ dates: opening_dates });
}

export function decodeOpeningFacts(
  stored: StoredOpeningFacts | undefined,
): Pick<EventRecord, 'corrected_terms' | 'opening_dates'> {
  if (stored === undefined) return { corrected_terms: undefined, opening_dates: undefined };
  return 'terms' in stored
    ? { corrected_terms: decode(stored.terms), opening_dates: undefined }
    : { corrected_terms: undefined, opening_dates: decode(stored.dates) };
}

export function encodeTerms(terms: Terms | undefined): string | undefined {
  return terms && encode(termsOf(terms));
}

export function decodeTerms(stored: StoredTerms | undefined): Terms | undefined {
  return stored && decode(stored);
}

export function encodeSettlements(settlements: readonly Settlement[]): string | undefined {
  return settlements.length === 0 ? undefined : encode(settlements);
}

export function decodeSettlements(stored: readonly StoredSettlement[] = []): Settlement[] {
  return stored.map(decode<Settlement>);
}

function encode(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : (member ?? null),
  );
}

/** Keeps the order of what is stored: written again, it is the same text. */
function decode<Value extends object>(stored: Stored<Value>): Value {
  const members = Object.entries(stored).map(([name, value]) => [
    name,
    name.endsWith('_minor') && typeof value === 'string' ? BigInt(value) : (value ?? undefined),
  ]);
  // Sound: the inverse of `encode`.
  return Object.fromEntries(members) as Value;
}
