import { createHash } from 'node:crypto';
import type { Json } from './client';
import type { Loan } from './loans';

// What is posted for a loan. All of it follows from the row and the demo's first
// day, so that a second run posts the same bodies under the same keys.

const DAY_MS = 86_400_000;
const CARD_LIMIT = 10_000;
const MAX_RECENT_INSTALMENTS = 4;
/** Purposes that make HARD inquiries: each counts apart in the score. */
const INQUIRY_PURPOSES = [
  'CREDIT_LIMIT_INCREASE',
  'REFINANCING',
  'GUARANTOR_ASSESSMENT',
  'NEW_CREDIT_APPLICATION',
] as const;

/** Midnight UTC, `days` before the demo's first day. */
export function daysBefore(first_day: string, days: number): string {
  return new Date(Date.parse(`${first_day}T00:00:00.000Z`) - days * DAY_MS).toISOString();
}

/** A UUID that follows from the row: the same borrower in every run. */
export function borrowerUuid(row: number): string {
  const hex = createHash('sha256').update(`demo borrower ${row}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** The borrower as a subject. */
export function borrower(loan: Loan): Json {
  return {
    type: 'INDIVIDUAL',
    game_uuid: borrowerUuid(loan.row),
    current_username: `borrower_${loan.row}`,
  };
}

/** The accounts that the borrower's bank reports: a card, and instalment loans. */
export function fileAccounts(loan: Loan, subject_id: string, first_day: string): Json[] {
  const card = {
    subject_id,
    external_account_id: `card-${loan.row}`,
    account_type: 'CREDIT_CARD',
    original_principal: CARD_LIMIT,
    current_balance: (CARD_LIMIT * loan.revolving_use_per_mille) / 1000,
    interest_rate_bps: 1_899,
    interest_type: 'VARIABLE',
    payment_frequency: 'MONTHLY',
    opened_at: daysBefore(first_day, 2_000),
  };
  return [card, ...instalmentAccounts(loan, subject_id, first_day)];
}

/** The instalment loans: those of the last year, spread over it, and all older ones as one. */
function instalmentAccounts(loan: Loan, subject_id: string, first_day: string): Json[] {
  const recent = Math.min(loan.instalments_opened_12m, MAX_RECENT_INSTALMENTS);
  const ages_days = Array.from({ length: recent }, (_, index) =>
    Math.round((365 * (index + 0.5)) / recent),
  );
  if (loan.instalment_accounts > recent) ages_days.push(1_500);
  return ages_days.map((age_days, index) => ({
    subject_id,
    external_account_id: `instalment-${loan.row}-${index}`,
    account_type: 'AUTO_LOAN',
    original_principal: Math.floor(loan.instalment_limit / ages_days.length),
    current_balance: Math.floor(loan.instalment_balance / ages_days.length),
    interest_rate_bps: 749,
    interest_type: 'FIXED',
    payment_frequency: 'MONTHLY',
    opened_at: daysBefore(first_day, age_days),
    maturity_at: daysBefore(first_day, -900),
  }));
}

/** What happened on the card before the application: payments, and spells of lateness. */
export function fileEvents(loan: Loan, card_id: string, first_day: string): Json[] {
  const event = (event_type: string, days: number, rest: Json = {}) => ({
    credit_account_id: card_id,
    event_type,
    occurred_at: daysBefore(first_day, days),
    source_reference: `card-${loan.row}-${event_type}-${days}`,
    ...rest,
  });
  const events: Json[] = [];
  for (let month = 1; month <= 4; month += 1) {
    events.push(event('PAYMENT_MADE', 30 * month + 11, { amount: 100 }));
  }
  for (let spell = 0; spell < Math.min(loan.delinquencies_2y, 6); spell += 1) {
    const days = 150 + spell * 90;
    events.push(event('PAYMENT_LATE', days, { amount: 100 }));
    events.push(event('ACCOUNT_CURRENT', days - 40));
  }
  if (loan.delinquent_now > 0) events.push(event('PAYMENT_LATE', 35, { amount: 100 }));
  return events;
}

/** The purposes under which others have lately looked at the borrower's file. */
export function earlierInquiries(loan: Loan): readonly string[] {
  return INQUIRY_PURPOSES.slice(0, Math.min(loan.inquiries_12m, INQUIRY_PURPOSES.length));
}

/** The loan itself. */
export function loanAccount(loan: Loan, subject_id: string, first_day: string): Json {
  return {
    subject_id,
    external_account_id: `loan-${loan.row}`,
    account_type: 'TERM_LOAN',
    original_principal: loan.amount,
    interest_rate_bps: loan.rate_bps,
    interest_type: 'FIXED',
    payment_frequency: 'MONTHLY',
    opened_at: daysBefore(first_day, 120),
    maturity_at: daysBefore(first_day, 120 - Math.round(loan.term_months * 30.44)),
    metadata: { demo_row: loan.row },
  };
}

/** How the loan went: two payments, then a third one or the way into default. */
export function loanEvents(loan: Loan, account_id: string, first_day: string): Json[] {
  const instalment = Math.ceil(loan.amount / loan.term_months);
  const event = (event_type: string, days: number, rest: Json = {}) => ({
    credit_account_id: account_id,
    event_type,
    occurred_at: daysBefore(first_day, days),
    source_reference: `loan-${loan.row}-${event_type}-${days}`,
    ...rest,
  });
  const payment = (days: number, number: number) =>
    event('PAYMENT_MADE', days, {
      amount: instalment,
      balance_after: Math.max(0, loan.amount - instalment * number),
    });
  const paid = [payment(90, 1), payment(70, 2)];
  if (!loan.bad) return [...paid, payment(30, 3)];
  return [
    ...paid,
    event('PAYMENT_LATE', 50, { amount: instalment }),
    event('DELINQUENCY_STARTED', 20),
    event('DEFAULT_REPORTED', 1, { default_severity: 'MODERATE' }),
  ];
}
