// The closed sets of values that accounts, events and inquiries are made of.

export const SUBJECT_TYPES = ['INDIVIDUAL', 'ORGANISATION'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const ORGANISATION_KINDS = ['COMPANY', 'PARTNERSHIP', 'GOVERNMENT', 'NON_PROFIT'] as const;
export type OrganisationKind = (typeof ORGANISATION_KINDS)[number];

export const ACCOUNT_TYPES = [
  'TERM_LOAN',
  'MORTGAGE',
  'AUTO_LOAN',
  'STUDENT_LOAN',
  'TRADE_CREDIT',
  'LEASE',
  'OTHER',
  'CREDIT_LINE',
  'CREDIT_CARD',
  'OVERDRAFT',
] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const INTEREST_TYPES = ['FIXED', 'VARIABLE', 'NONE'] as const;
export type InterestType = (typeof INTEREST_TYPES)[number];

export const PAYMENT_FREQUENCIES = [
  'WEEKLY',
  'BIWEEKLY',
  'MONTHLY',
  'QUARTERLY',
  'ANNUALLY',
  'AT_MATURITY',
  'ON_DEMAND',
] as const;
export type PaymentFrequency = (typeof PAYMENT_FREQUENCIES)[number];

/** The standing under a dispute flag. */
export const UNDERLYING_STATUSES = [
  'CURRENT',
  'PAST_DUE',
  'DELINQUENT',
  'DEFAULTED',
  'RESTRUCTURED',
  'WRITTEN_OFF',
  'PAID',
  'CANCELLED',
] as const;
export type UnderlyingStatus = (typeof UNDERLYING_STATUSES)[number];

/** What is shown: DISPUTED covers the standing while a dispute flag is open. */
export type AccountStatus = UnderlyingStatus | 'DISPUTED';

const ADVERSE: ReadonlySet<AccountStatus> = new Set([
  'PAST_DUE',
  'DELINQUENT',
  'DEFAULTED',
  'RESTRUCTURED',
  'WRITTEN_OFF',
]);

/** True for a status that is in a spell of trouble. */
export function isAdverse(status: AccountStatus): boolean {
  return ADVERSE.has(status);
}

export const EVENT_TYPES = [
  'ACCOUNT_OPENED',
  'ACCOUNT_UPDATED',
  'PAYMENT_DUE',
  'PAYMENT_MADE',
  'PARTIAL_PAYMENT',
  'PAYMENT_LATE',
  'ACCOUNT_CURRENT',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'DEFAULT_REPORTED',
  'DEFAULT_CURED',
  'ACCOUNT_RESTRUCTURED',
  'ACCOUNT_WRITTEN_OFF',
  'ACCOUNT_PAID',
  'ACCOUNT_CLOSED',
  'BALANCE_UPDATED',
  'LIMIT_CHANGED',
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'CORRECTION',
  'EVENT_SUPPRESSED',
  'EVENT_RESTORED',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The network's marks of what a dispute leaves out of the file for a time. */
export type SuppressionType = Extract<EventType, 'EVENT_SUPPRESSED' | 'EVENT_RESTORED'>;

export function isSuppression(event_type: EventType): event_type is SuppressionType {
  return event_type === 'EVENT_SUPPRESSED' || event_type === 'EVENT_RESTORED';
}

/** The mildest first. */
export const DEFAULT_SEVERITIES = ['MINOR', 'MODERATE', 'SEVERE', 'CRITICAL'] as const;
export type DefaultSeverity = (typeof DEFAULT_SEVERITIES)[number];

export type Bucket = 'CURRENT' | 'EARLY' | 'DPD_30' | 'DPD_60' | 'DPD_90' | 'DPD_120_PLUS';

/** What an event does to its account now. */
export type EventEffect = 'EFFECTIVE' | 'SUPERSEDED' | 'IGNORED' | 'SUPPRESSED';

export const PURPOSES = [
  'NEW_CREDIT_APPLICATION',
  'CREDIT_LIMIT_INCREASE',
  'REFINANCING',
  'GUARANTOR_ASSESSMENT',
  'PREQUALIFICATION',
  'ACCOUNT_REVIEW',
  'COLLECTION',
  'IDENTITY_VERIFICATION',
  'FRAUD_PREVENTION',
  'COUNTERPARTY_CHECK',
  'SUBJECT_REQUEST',
] as const;
export type Purpose = (typeof PURPOSES)[number];

export type InquiryType = 'HARD' | 'SOFT';

/** 999,999,999,999.99 in minor units: no amount or balance is higher. */
export const MAX_AMOUNT_MINOR = 99_999_999_999_999n;

/** Notes that a field of what came in is wrong, and how. */
export type Wrong = (path: string, message: string) => void;
