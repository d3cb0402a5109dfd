// Values of the protos as the domain has them.

import * as types from '@credit/proto/reporting/v1/types';
import type { CorrectedTerms } from './domain/terms';

export type NameOf<Enum> = Exclude<keyof Enum & string, 'UNSPECIFIED'>;

const names = new WeakMap<object, ReadonlyMap<unknown, string>>();

/** The bare name of a proto enum's value; null when it is absent or unspecified. */
export function nameIn<Enum extends Record<string, unknown>>(
  of: Enum,
  value: Enum[keyof Enum] | undefined,
): NameOf<Enum> | null {
  let byValue = names.get(of);
  if (byValue === undefined) {
    const entries = Object.entries(of).filter(([name]) => name !== 'UNSPECIFIED');
    byValue = new Map(entries.map(([name, known]) => [known, name]));
    names.set(of, byValue);
  }
  // Sound because the map holds the names of this very enum.
  return (byValue.get(value) as NameOf<Enum> | undefined) ?? null;
}

export function msOrNull(timestamp: string | undefined): number | null {
  if (timestamp === undefined) return null;
  const at_ms = Date.parse(timestamp);
  return Number.isNaN(at_ms) ? null : at_ms;
}

/** The time, NaN when it is missing: commands and queries refuse that by name. */
export function msOf(timestamp: string | undefined): number {
  return msOrNull(timestamp) ?? Number.NaN;
}

/** The opening facts that are present; null when there are none at all. */
export function correctedTerms(given: types.CorrectedAccount | undefined): CorrectedTerms | null {
  if (given === undefined) return null;
  const account_type = nameIn(types.AccountType, given.account_type);
  const interest_type = nameIn(types.InterestType, given.interest_type);
  const payment_frequency = nameIn(types.PaymentFrequency, given.payment_frequency);
  const opened_at_ms = msOrNull(given.opened_at);
  const maturity_at_ms = msOrNull(given.maturity_at);
  return {
    ...(account_type !== null && { account_type }),
    ...(given.currency !== undefined && { currency: given.currency }),
    ...(given.original_principal_minor !== undefined && {
      original_principal_minor: given.original_principal_minor,
    }),
    ...(given.interest_rate_bps !== undefined && { interest_rate_bps: given.interest_rate_bps }),
    ...(interest_type !== null && { interest_type }),
    ...(opened_at_ms !== null && { opened_at_ms }),
    ...(maturity_at_ms !== null && { maturity_at_ms }),
    ...(payment_frequency !== null && { payment_frequency }),
  };
}
