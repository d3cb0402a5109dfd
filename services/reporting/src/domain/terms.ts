// The opening facts of an account that a correction of its ACCOUNT_OPENED may change.

import { yearsBefore } from './calendar';
import {
  type AccountType,
  type InterestType,
  MAX_AMOUNT_MINOR,
  type PaymentFrequency,
  type Wrong,
} from './vocabulary';

/** What an account was opened on. */
export interface Terms {
  readonly account_type: AccountType;
  readonly currency: string;
  readonly original_principal_minor: bigint;
  readonly interest_rate_bps?: number | undefined;
  readonly interest_type?: InterestType | undefined;
  readonly opened_at_ms: number;
  readonly maturity_at_ms?: number | undefined;
  readonly payment_frequency?: PaymentFrequency | undefined;
}

/** Those of them that a correction changes; it takes none away. */
export type CorrectedTerms = Partial<Terms>;

/** When the trouble of an account that is created in an adverse status began. */
export interface OpeningDates {
  readonly first_delinquency_at_ms: number | undefined;
  readonly status_since_ms: number | undefined;
}

const CURRENCY = /^[A-Z]{3}$/;
const MAX_INTEREST_RATE_BPS = 100_000;
const FUTURE_TOLERANCE_MS = 5 * 60_000;
/** Mortgages are long; what is older than anybody is a slip of the keyboard. */
const OLDEST_OPENING_YEARS = 100;

/** What is wrong with terms on their own. */
export function checkTerms(terms: CorrectedTerms, now_ms: number, wrong: Wrong): void {
  if (Object.keys(terms).length === 0) wrong('', 'must change something');
  const {
    currency,
    original_principal_minor: principal_minor,
    interest_rate_bps,
    opened_at_ms,
  } = terms;
  if (currency !== undefined && !CURRENCY.test(currency)) {
    wrong('currency', 'must be three capital letters');
  }
  if (principal_minor !== undefined) checkAmount('original_principal', principal_minor, wrong);
  const rate_bps = interest_rate_bps ?? 0;
  if (rate_bps < 0 || rate_bps > MAX_INTEREST_RATE_BPS) {
    wrong('interest_rate_bps', `must be between 0 and ${MAX_INTEREST_RATE_BPS}`);
  }
  if (opened_at_ms !== undefined) {
    if (opened_at_ms > now_ms + FUTURE_TOLERANCE_MS)
      wrong('opened_at', 'must not be in the future');
    if (opened_at_ms < yearsBefore(now_ms, OLDEST_OPENING_YEARS)) {
      wrong('opened_at', `must not be over ${OLDEST_OPENING_YEARS} years ago`);
    }
  }
  if ((terms.maturity_at_ms ?? Infinity) < (opened_at_ms ?? -Infinity)) {
    wrong('maturity_at', 'must not be before opened_at');
  }
}

export function checkAmount(path: string, minor: bigint, wrong: Wrong): void {
  if (minor < 0n || minor > MAX_AMOUNT_MINOR) {
    wrong(path, 'must be between 0 and 999,999,999,999.99');
  }
}

/** The terms with those changed that a correction names. */
export function withTerms(terms: Terms, changed: CorrectedTerms): Terms {
  return { ...terms, ...changed };
}

/** The terms alone, each of them named. */
export function termsOf(facts: Terms): Terms {
  return {
    account_type: facts.account_type,
    currency: facts.currency,
    original_principal_minor: facts.original_principal_minor,
    interest_rate_bps: facts.interest_rate_bps,
    interest_type: facts.interest_type,
    opened_at_ms: facts.opened_at_ms,
    maturity_at_ms: facts.maturity_at_ms,
    payment_frequency: facts.payment_frequency,
  };
}

export function isSameChange(
  a: CorrectedTerms | undefined,
  b: CorrectedTerms | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Terms>;
  return [...names].every((name) => a[name] === b[name]);
}
