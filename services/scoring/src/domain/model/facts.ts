// What the model reads. Days count from 1970-01-01 UTC, months are
// year * 12 + month - 1, money is in minor units.

export type SubjectType = 'INDIVIDUAL' | 'ORGANISATION';

export type AccountType =
  | 'TERM_LOAN'
  | 'MORTGAGE'
  | 'AUTO_LOAN'
  | 'STUDENT_LOAN'
  | 'TRADE_CREDIT'
  | 'LEASE'
  | 'OTHER'
  | 'CREDIT_LINE'
  | 'CREDIT_CARD'
  | 'OVERDRAFT';

/** The standing under a dispute flag. */
export type UnderlyingStatus =
  | 'CURRENT'
  | 'PAID'
  | 'PAST_DUE'
  | 'DELINQUENT'
  | 'DEFAULTED'
  | 'RESTRUCTURED'
  | 'WRITTEN_OFF'
  | 'CANCELLED';

export type ShownStatus = UnderlyingStatus | 'DISPUTED';

export type DefaultSeverity = 'MINOR' | 'MODERATE' | 'SEVERE' | 'CRITICAL';

/** Days-past-due buckets, the best first. */
export const BUCKETS = ['CURRENT', 'EARLY', 'DPD_30', 'DPD_60', 'DPD_90', 'DPD_120_PLUS'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** One spell of trouble on an account, from its first adverse fact to its cure or pay-off. */
export interface EpisodeFacts {
  readonly started_day: number;
  /** Undefined while the spell lasts. */
  readonly ended_day: number | undefined;
  readonly past_due_since_day: number | undefined;
  readonly delinquency_started_day: number | undefined;
  readonly restructured_day: number | undefined;
  readonly defaulted_day: number | undefined;
  readonly default_severity: DefaultSeverity | undefined;
  readonly default_cured_day: number | undefined;
  readonly written_off_day: number | undefined;
}

export interface PaymentDayFacts {
  readonly day: number;
  readonly amount_minor: bigint;
  readonly days_past_due: number;
}

export interface AccountFacts {
  readonly account_id: string;
  readonly institution_id: string;
  readonly account_type: AccountType;
  readonly currency: string;
  readonly original_principal_minor: bigint;
  /** Undefined when no limit was ever reported: the original principal stands in. */
  readonly credit_limit_minor: bigint | undefined;
  readonly balance_minor: bigint;
  readonly status: UnderlyingStatus;
  /** Shown as such. */
  readonly disputed: boolean;
  /** Since when the furnisher's own flag is open; undefined when there is none. */
  readonly furnisher_disputed_since_day: number | undefined;
  /** A review of the network is open. */
  readonly network_review: boolean;
  readonly opened_day: number;
  readonly closed_day: number | undefined;
  /** Since when it is closed with nothing owed, or paid off; undefined while it is neither. */
  readonly settled_day: number | undefined;
  readonly episodes: readonly EpisodeFacts[];
  /** Months with a payment. */
  readonly payment_months: readonly number[];
  /** Payments over its life. */
  readonly payment_count: number;
  /** Months with a late payment. */
  readonly late_months: readonly number[];
  /** Organisations only. */
  readonly payment_days: readonly PaymentDayFacts[];
  /** Taken off the file: no version of the model is given it. */
  readonly voided: boolean;
}

export interface InquiryFacts {
  readonly inquiry_id: string;
  readonly purpose: string;
  readonly inquiry_type: 'HARD' | 'SOFT';
  /** Repeats an earlier inquiry and has no effect. */
  readonly duplicate: boolean;
  /** Nobody had authorised it: no version of the model is given it. */
  readonly voided: boolean;
  readonly day: number;
}

export interface ModelInput {
  readonly subject_type: SubjectType;
  readonly as_of_day: number;
  readonly accounts: readonly AccountFacts[];
  readonly inquiries: readonly InquiryFacts[];
}

/** A file with all that is on record, whether it counts or not. */
export type ModelFile = Pick<ModelInput, 'subject_type' | 'accounts' | 'inquiries'>;

/** What counts of a file: the input of every version. */
export function modelInput(file: ModelFile, as_of_day: number): ModelInput {
  return {
    subject_type: file.subject_type,
    as_of_day,
    accounts: unvoided(file.accounts),
    inquiries: unvoided(file.inquiries),
  };
}

// Mostly there is nothing to leave out, and this is done for everybody.
function unvoided<Item extends { readonly voided: boolean }>(items: readonly Item[]) {
  return items.some(({ voided }) => voided) ? items.filter(({ voided }) => !voided) : items;
}

export function isRevolving(type: AccountType): boolean {
  return type === 'CREDIT_LINE' || type === 'CREDIT_CARD' || type === 'OVERDRAFT';
}

export function creditLimit(account: AccountFacts): bigint {
  return account.credit_limit_minor ?? account.original_principal_minor;
}
