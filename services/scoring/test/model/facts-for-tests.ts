import {
  type AccountFacts,
  dayOfDate,
  type EpisodeFacts,
  type InquiryFacts,
  type ModelInput,
  monthOfDay,
} from '../../src/domain/model';

export const TODAY = dayOfDate(2026, 3, 15);
export const daysAgo = (days: number): number => TODAY - days;
export const monthsAgo = (months: number): number => monthOfDay(TODAY) - months;

/** A five-year-old loan, half repaid, that was never in trouble. */
export function account(facts: Partial<AccountFacts> = {}): AccountFacts {
  return {
    account_id: 'a1',
    institution_id: 'north',
    account_type: 'TERM_LOAN',
    currency: 'DCR',
    original_principal_minor: 1_000_000n,
    credit_limit_minor: undefined,
    balance_minor: 500_000n,
    status: 'CURRENT',
    disputed: false,
    furnisher_disputed_since_day: undefined,
    // Who says that it is disputed, and no more, means the network's review.
    network_review: facts.disputed ?? false,
    opened_day: dayOfDate(2021, 3, 1),
    closed_day: undefined,
    settled_day: undefined,
    episodes: [],
    payment_months: [],
    payment_count: 60,
    late_months: [],
    payment_days: [],
    voided: false,
    ...facts,
  };
}

export function card(facts: Partial<AccountFacts> = {}): AccountFacts {
  return account({ account_id: 'c1', account_type: 'CREDIT_CARD', ...facts });
}

export function episode(facts: Partial<EpisodeFacts> = {}): EpisodeFacts {
  return {
    started_day: daysAgo(40),
    ended_day: undefined,
    past_due_since_day: undefined,
    delinquency_started_day: undefined,
    restructured_day: undefined,
    defaulted_day: undefined,
    default_severity: undefined,
    default_cured_day: undefined,
    written_off_day: undefined,
    ...facts,
  };
}

export function inquiry(facts: Partial<InquiryFacts> = {}): InquiryFacts {
  return {
    inquiry_id: 'i1',
    purpose: 'NEW_CREDIT_APPLICATION',
    inquiry_type: 'HARD',
    duplicate: false,
    voided: false,
    day: daysAgo(10),
    ...facts,
  };
}

export function file(
  accounts: readonly AccountFacts[],
  rest: Partial<Omit<ModelInput, 'accounts'>> = {},
): ModelInput {
  return { subject_type: 'INDIVIDUAL', as_of_day: TODAY, inquiries: [], ...rest, accounts };
}
