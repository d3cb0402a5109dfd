import type { AccountStatus, EventType, UnderlyingStatus } from '../src/domain/vocabulary';

// The table once more, written the other way round: per status, what each event leads to. What
// is not listed is impossible.
type Reach = Partial<Record<EventType, AccountStatus>>;

const overlay = (): Reach => ({ DISPUTE_OPENED: 'DISPUTED' });

const performing = (status: UnderlyingStatus): Reach => ({
  ...overlay(),
  ACCOUNT_UPDATED: status,
  PAYMENT_DUE: status,
  PAYMENT_MADE: status,
  PARTIAL_PAYMENT: status,
  PAYMENT_LATE: status,
  BALANCE_UPDATED: status,
  LIMIT_CHANGED: status,
  ACCOUNT_RESTRUCTURED: 'RESTRUCTURED',
  ACCOUNT_WRITTEN_OFF: 'WRITTEN_OFF',
  ACCOUNT_PAID: 'PAID',
  CORRECTION: status,
});

/** Of each status, what every possible event shows on the account. */
export const EXPECTED_STATUSES: Record<UnderlyingStatus, Reach> = {
  CURRENT: {
    ...performing('CURRENT'),
    PAYMENT_LATE: 'PAST_DUE',
    ACCOUNT_CURRENT: 'CURRENT',
    DELINQUENCY_STARTED: 'DELINQUENT',
    DEFAULT_REPORTED: 'DEFAULTED',
    ACCOUNT_CLOSED: 'CANCELLED',
  },
  PAST_DUE: {
    ...performing('PAST_DUE'),
    ACCOUNT_CURRENT: 'CURRENT',
    DELINQUENCY_STARTED: 'DELINQUENT',
    DEFAULT_REPORTED: 'DEFAULTED',
  },
  DELINQUENT: {
    ...performing('DELINQUENT'),
    ACCOUNT_CURRENT: 'CURRENT',
    DELINQUENCY_CURED: 'CURRENT',
    DEFAULT_REPORTED: 'DEFAULTED',
  },
  DEFAULTED: { ...performing('DEFAULTED'), DEFAULT_CURED: 'CURRENT' },
  RESTRUCTURED: {
    ...performing('RESTRUCTURED'),
    PAYMENT_LATE: 'PAST_DUE',
    ACCOUNT_CURRENT: 'CURRENT',
    DELINQUENCY_STARTED: 'DELINQUENT',
    DEFAULT_REPORTED: 'DEFAULTED',
    ACCOUNT_CLOSED: 'CANCELLED',
  },
  WRITTEN_OFF: {
    ...overlay(),
    ACCOUNT_UPDATED: 'WRITTEN_OFF',
    PAYMENT_MADE: 'WRITTEN_OFF',
    PARTIAL_PAYMENT: 'WRITTEN_OFF',
    BALANCE_UPDATED: 'WRITTEN_OFF',
    ACCOUNT_PAID: 'PAID',
    ACCOUNT_CLOSED: 'WRITTEN_OFF',
    CORRECTION: 'WRITTEN_OFF',
  },
  PAID: {
    ...overlay(),
    ACCOUNT_UPDATED: 'PAID',
    ACCOUNT_CLOSED: 'PAID',
    CORRECTION: 'PAID',
  },
  CANCELLED: { ...overlay(), CORRECTION: 'CANCELLED' },
};
