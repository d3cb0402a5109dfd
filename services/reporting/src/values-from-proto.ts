// Values of the protos as the domain has them.

import { specified } from '@credit/platform/values';
import type * as types from '@credit/proto/reporting/v1/types';
import type { CorrectedTerms } from './domain/terms';

/** The time; undefined when it is missing or none. */
export function msOf(timestamp: string | undefined): number | undefined {
  const at_ms = Date.parse(timestamp ?? '');
  return Number.isNaN(at_ms) ? undefined : at_ms;
}

/** The opening facts that are present. */
export function correctedTerms(
  given: types.CorrectedAccount | undefined,
): CorrectedTerms | undefined {
  if (given === undefined) return undefined;
  const terms: CorrectedTerms = {
    account_type: specified(given.account_type),
    currency: given.currency,
    original_principal_minor: given.original_principal_minor,
    interest_rate_bps: given.interest_rate_bps,
    interest_type: specified(given.interest_type),
    opened_at_ms: msOf(given.opened_at),
    maturity_at_ms: msOf(given.maturity_at),
    payment_frequency: specified(given.payment_frequency),
  };
  // What is absent here changes nothing; it must not take a term away.
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
