// Opening facts, terms and settlements as JSON: money as text.

import type { EventRecord } from '../domain/event';
import type { Settlement } from '../domain/reinsertion';
import type { CorrectedTerms, OpeningDates, Terms } from '../domain/terms';

type Textual<Value> = {
  readonly [Name in keyof Value]: Value[Name] extends bigint
    ? string
    : Value[Name] extends bigint | null
      ? string | null
      : Value[Name];
};

/** A record's dates or changed terms; it never has both. */
export type StoredOpeningFacts =
  | { readonly dates: OpeningDates }
  | { readonly terms: Textual<CorrectedTerms> };
export type StoredTerms = Textual<Terms>;
export type StoredSettlement = Textual<Settlement>;

export function encodeOpeningFacts(record: EventRecord): string | null {
  if (record.corrected_terms !== null)
    return JSON.stringify({ terms: record.corrected_terms }, text);
  return record.opening_dates && JSON.stringify({ dates: record.opening_dates });
}

export function decodeOpeningFacts(
  stored: StoredOpeningFacts | null,
): Pick<EventRecord, 'corrected_terms' | 'opening_dates'> {
  if (stored !== null && 'terms' in stored) {
    const { original_principal_minor: principal, ...terms } = stored.terms;
    return {
      corrected_terms: {
        ...terms,
        ...(principal !== undefined && { original_principal_minor: BigInt(principal) }),
      },
      opening_dates: null,
    };
  }
  return {
    corrected_terms: null,
    opening_dates: stored?.dates ?? null,
  };
}

export function encodeTerms(terms: Terms | null): string | null {
  return terms === null ? null : JSON.stringify(terms, text);
}

export function decodeTerms(stored: StoredTerms | null): Terms | null {
  if (stored === null) return null;
  return { ...stored, original_principal_minor: BigInt(stored.original_principal_minor) };
}

export function encodeSettlements(settlements: readonly Settlement[]): string | null {
  return settlements.length === 0 ? null : JSON.stringify(settlements, text);
}

export function decodeSettlements(stored: readonly StoredSettlement[] | null): Settlement[] {
  return (stored ?? []).map(({ amount_minor, balance_after_minor, ...settlement }) => ({
    ...settlement,
    amount_minor: amount_minor === null ? null : BigInt(amount_minor),
    balance_after_minor: balance_after_minor === null ? null : BigInt(balance_after_minor),
  }));
}

function text(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
