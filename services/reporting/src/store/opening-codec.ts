// Opening facts, terms and settlements as JSON: money as text, and null for what is absent.

import type { EventRecord } from '../domain/event';
import type { Settlement } from '../domain/reinsertion';
import { type CorrectedTerms, type OpeningDates, type Terms, termsOf } from '../domain/terms';

/** A record's dates or changed terms; it never has both. */
interface StoredOpeningFacts {
  readonly dates?: unknown;
  readonly terms?: unknown;
}

export function encodeOpeningFacts(record: EventRecord): string | undefined {
  const { corrected_terms, opening_dates } = record;
  if (corrected_terms !== undefined) return encode({ terms: corrected_terms });
  return opening_dates && encode({ dates: opening_dates });
}

export function decodeOpeningFacts(
  stored: unknown,
): Pick<EventRecord, 'corrected_terms' | 'opening_dates'> {
  const { terms, dates } = (stored ?? {}) as StoredOpeningFacts;
  return {
    corrected_terms: decode<CorrectedTerms>(terms),
    opening_dates: decode<OpeningDates>(dates),
  };
}

export function encodeTerms(terms: Terms | undefined): string | undefined {
  return terms && encode(termsOf(terms));
}

export function decodeTerms(stored: unknown): Terms | undefined {
  return decode<Terms>(stored);
}

export function encodeSettlements(settlements: readonly Settlement[]): string | undefined {
  return settlements.length === 0 ? undefined : encode(settlements);
}

export function decodeSettlements(stored: unknown): Settlement[] {
  return ((stored ?? []) as unknown[]).flatMap((one) => decode<Settlement>(one) ?? []);
}

function encode(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : (member ?? null),
  );
}

/** Keeps the order of what is stored: written again, it is the same text. */
function decode<Value extends object>(stored: unknown): Value | undefined {
  if (stored === undefined) return undefined;
  const members = Object.entries(stored as object).map(([name, value]) => [
    name,
    name.endsWith('_minor') && typeof value === 'string' ? BigInt(value) : (value ?? undefined),
  ]);
  // Sound: nothing else is written into these columns.
  return Object.fromEntries(members) as Value;
}
