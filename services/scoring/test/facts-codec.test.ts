import fc from 'fast-check';
import type { AccountFacts } from '../src/domain/model';
import { decodeFacts, encodeFacts } from '../src/store/facts-codec';
import { account, episode } from './model/facts-for-tests';

const day = fc.integer({ min: -20_000, max: 60_000 });
const amount = fc.bigInt({ min: 0n, max: 10n ** 20n });
const maybe_day = fc.option(day, { nil: undefined });
const facts = fc.record({
  account_id: fc.uuid(),
  institution_id: fc.uuid(),
  account_type: fc.constantFrom('TERM_LOAN' as const, 'OVERDRAFT' as const),
  currency: fc.constantFrom('DCR', 'EUR'),
  original_principal_minor: amount,
  credit_limit_minor: fc.option(amount, { nil: undefined }),
  balance_minor: amount,
  status: fc.constantFrom('CURRENT' as const, 'WRITTEN_OFF' as const),
  disputed: fc.boolean(),
  furnisher_disputed_since_day: maybe_day,
  network_review: fc.boolean(),
  opened_day: day,
  closed_day: maybe_day,
  settled_day: maybe_day,
  episodes: fc.array(
    fc.record({
      started_day: day,
      ended_day: maybe_day,
      past_due_since_day: maybe_day,
      delinquency_started_day: maybe_day,
      restructured_day: maybe_day,
      defaulted_day: maybe_day,
      default_severity: fc.constantFrom('SEVERE' as const, undefined),
      default_cured_day: maybe_day,
      written_off_day: maybe_day,
    }),
    { maxLength: 4 },
  ),
  payment_months: fc.array(fc.integer({ min: 24_000, max: 24_030 }), { maxLength: 40 }),
  payment_count: fc.nat(10_000),
  voided: fc.boolean(),
  late_months: fc.array(fc.integer({ min: 24_000, max: 24_030 }), { maxLength: 10 }),
  payment_days: fc.array(fc.record({ day, amount_minor: amount, days_past_due: fc.nat(400) }), {
    maxLength: 4,
  }),
});

test('facts come back as they were stored, the largest amounts and any months included', () => {
  fc.assert(
    fc.property(facts, (some) => {
      expect(decodeFacts(JSON.parse(encodeFacts(some)))).toEqual(some);
    }),
  );
});

test('rows that were written by name are read as well', () => {
  const some = account({
    episodes: [episode({ past_due_since_day: 20_000 })],
    payment_months: [24_000, 24_001],
    payment_days: [{ day: 20_100, amount_minor: 2n ** 70n, days_past_due: 3 }],
  });
  const by_name = JSON.stringify(
    { ...some, payment_days: [[20_100, String(2n ** 70n), 3]] },
    (_key, value) => (typeof value === 'bigint' ? String(value) : (value ?? null)),
  );
  expect(decodeFacts(JSON.parse(by_name))).toEqual({ ...some, payment_count: 2 });
});

test('rows of before 1.1.0 are read as what they meant', () => {
  const rowOfBefore = (text: string): string => JSON.stringify(JSON.parse(text).slice(0, 15));
  const read = (some: AccountFacts) => decodeFacts(JSON.parse(rowOfBefore(encodeFacts(some))));
  const plain = account({ payment_months: [24_000, 24_001], payment_count: 7 });
  expect(read(plain)).toEqual({ ...plain, payment_count: 2 });
  // Whose flag it is was not told: it goes on suspending until the account is told of again.
  const flagged = account({ disputed: true, furnisher_disputed_since_day: 20_000 });
  expect(read(flagged)).toMatchObject({
    disputed: true,
    network_review: true,
    furnisher_disputed_since_day: undefined,
  });
  expect(read(account({ status: 'CANCELLED', closed_day: 20_100 })).settled_day).toBe(20_100);
  expect(read(account({ status: 'WRITTEN_OFF', closed_day: 20_100 })).settled_day).toBeUndefined();
});

test('years of regular payments take no more room than a month of them', () => {
  const months = Array.from({ length: 96 }, (_, index) => 24_000 + index);
  const years = encodeFacts(account({ payment_months: months })).length;
  expect(years - encodeFacts(account({ payment_months: [24_000] })).length).toBeLessThan(4);
});
