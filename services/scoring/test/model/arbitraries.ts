import fc from 'fast-check';
import { LIFE_EVENTS, type Life, type LifeEvent, live } from '../../research/simulation/timeline';
import type { AccountFacts, AccountType, InquiryFacts, ModelInput } from '../../src/domain/model';

/** 2026-03-15. */
export const AS_OF_DAY = 20_527;
const MOST_MINOR = 99_999_999_999_999n;

const account_type = fc.constantFrom<AccountType>(
  'TERM_LOAN',
  'MORTGAGE',
  'AUTO_LOAN',
  'TRADE_CREDIT',
  'CREDIT_LINE',
  'CREDIT_CARD',
  'OVERDRAFT',
);
const currency = fc.constantFrom('DCR', 'DCR', 'DCR', 'EUR', 'XAU');
const money = fc.oneof(
  fc.bigInt({ min: 0n, max: 1_000_000n }),
  fc.bigInt({ min: 0n, max: MOST_MINOR }),
  fc.constantFrom(0n, MOST_MINOR),
);
const severity = fc.constantFrom('MINOR', 'MODERATE', 'SEVERE', 'CRITICAL' as const);

// Weighted by repetition: lives with payments and lates between the rarer steps.
const step = fc.record({
  type: fc.constantFrom(
    ...LIFE_EVENTS.filter((type) => type !== 'DISPUTE_OPENED'),
    'PAYMENT_MADE' as const,
    'PAYMENT_MADE' as const,
    'PAYMENT_LATE' as const,
    'ACCOUNT_CURRENT' as const,
  ),
  gap_days: fc.oneof(fc.integer({ min: 0, max: 45 }), fc.integer({ min: 0, max: 400 })),
  amount_minor: money,
  severity,
});

/** A possible life: steps that the account's standing does not allow are dropped. */
export const life: fc.Arbitrary<Life> = fc
  .record({
    account_id: fc.uuid(),
    institution_id: fc.constantFrom('north', 'south', 'east'),
    account_type,
    currency,
    original_principal_minor: money,
    age_days: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 4000 })),
    organisation: fc.boolean(),
    steps: fc.array(step, { maxLength: 14 }),
    disputed: fc.boolean().chain((first) => fc.boolean().map((second) => first && second)),
  })
  .map(({ age_days, steps, disputed, ...rest }) => {
    const opened_day = AS_OF_DAY - age_days;
    let grown: Life = { ...rest, opened_day, events: [] };
    let day = opened_day;
    for (const { gap_days, ...event } of steps) {
      day = Math.min(AS_OF_DAY, day + gap_days);
      const next = { ...grown, events: [...grown.events, { ...event, day }] };
      if (live(next) !== undefined) grown = next;
    }
    return disputed ? withEvent(grown, { type: 'DISPUTE_OPENED', day }) : grown;
  });

/** Its place is after the events of its day. */
export function withEvent(before: Life, event: LifeEvent): Life {
  const events = before.events.filter(({ day }) => day <= event.day);
  const later = before.events.filter(({ day }) => day > event.day);
  return { ...before, events: [...events, event, ...later] };
}

export const inquiry: fc.Arbitrary<InquiryFacts> = fc.record({
  inquiry_id: fc.uuid(),
  purpose: fc.constantFrom('NEW_CREDIT_APPLICATION', 'REFINANCING', 'GUARANTOR_ASSESSMENT'),
  inquiry_type: fc.constantFrom('HARD', 'HARD', 'HARD', 'SOFT' as const),
  duplicate: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  voided: fc.constant(false),
  day: fc.integer({ min: 0, max: 500 }).map((age) => AS_OF_DAY - age),
});

export interface Subject {
  readonly subject_type: ModelInput['subject_type'];
  readonly lives: readonly Life[];
  readonly inquiries: readonly InquiryFacts[];
}

export const subject: fc.Arbitrary<Subject> = fc.record({
  subject_type: fc.constantFrom('INDIVIDUAL', 'ORGANISATION' as const),
  lives: fc.uniqueArray(life, { minLength: 1, maxLength: 5, selector: (one) => one.account_id }),
  inquiries: fc.uniqueArray(inquiry, { maxLength: 8, selector: (one) => one.inquiry_id }),
});

export function lived(life: Life): AccountFacts {
  const account = live(life);
  if (account === undefined) throw new Error('an impossible life');
  return account;
}

export function inputOf(subject: Subject, as_of_day = AS_OF_DAY): ModelInput {
  return {
    subject_type: subject.subject_type,
    as_of_day,
    accounts: subject.lives.map(lived),
    inquiries: subject.inquiries,
  };
}

export function replaceLife(subject: Subject, index: number, life: Life): Subject {
  return { ...subject, lives: subject.lives.map((one, at) => (at === index ? life : one)) };
}
