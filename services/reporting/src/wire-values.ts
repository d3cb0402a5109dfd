// Values of the protos as the domain has them.

import { specified } from '@credit/platform/values';
import type * as types from '@credit/proto/reporting/v1/types';
import type { CorrectedTerms } from './domain/terms';

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
  const account_type = specified(given.account_type) ?? null;
  const interest_type = specified(given.interest_type) ?? null;
  const payment_frequency = specified(given.payment_frequency) ?? null;
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
