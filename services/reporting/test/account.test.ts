import {
  bucketOf,
  daysPastDue,
  episodeDaysPastDue,
  firstDelinquencyAt,
  furnisherDisputedSince,
} from '../src/domain/account';
import { UNDERLYING_STATUSES } from '../src/domain/vocabulary';
import { Book, DAY_MS, event, NOW_MS, onDay } from './builders';

describe('balances', () => {
  test('move with balance_after only, never with an amount', () => {
    const book = new Book();
    book.report(event('PAYMENT_MADE', 1, { amount_minor: 5_000n }));
    expect(book.state.balance_minor).toBe(100_000n);
    book.report(event('PAYMENT_MADE', 2, { amount_minor: 5_000n, balance_after_minor: 95_000n }));
    expect(book.state.balance_minor).toBe(95_000n);
  });

  test('of an older event give way to those of later ones', () => {
    const book = new Book();
    book.report(event('BALANCE_UPDATED', 10, { balance_after_minor: 70_000n }));
    book.report(event('BALANCE_UPDATED', 5, { balance_after_minor: 90_000n }));
    expect(book.state.balance_minor).toBe(70_000n);
    book.report(event('PAYMENT_DUE', 20));
    book.report(event('BALANCE_UPDATED', 15, { balance_after_minor: 60_000n }));
    expect(book.state.balance_minor).toBe(60_000n);
  });

  test('are 0 once the account is paid, and stay so', () => {
    const book = new Book();
    book.report(event('ACCOUNT_PAID', 3));
    expect(book.state).toMatchObject({ underlying_status: 'PAID', balance_minor: 0n });
    expect(() => book.report(event('ACCOUNT_UPDATED', 4, { balance_after_minor: 1n }))).toThrow(
      'no balance',
    );
    book.report(event('ACCOUNT_UPDATED', 4, { balance_after_minor: 0n }));
  });

  test('an earlier payment fills in without touching the pay-off', () => {
    const book = new Book();
    book.report(event('ACCOUNT_PAID', 30));
    book.report(event('PAYMENT_MADE', 10, { amount_minor: 1n, balance_after_minor: 4n }));
    expect(book.state).toMatchObject({ underlying_status: 'PAID', balance_minor: 0n });
  });
});

describe('limits', () => {
  test('are those of the last LIMIT_CHANGED in time', () => {
    const book = new Book();
    expect(book.state.credit_limit_minor).toBeUndefined();
    book.report(event('LIMIT_CHANGED', 10, { amount_minor: 50_000n }));
    book.report(event('LIMIT_CHANGED', 5, { amount_minor: 70_000n }));
    expect(book.state.credit_limit_minor).toBe(50_000n);
  });
});

describe('days past due', () => {
  test('count from the first late payment, which a partial payment does not move', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('PARTIAL_PAYMENT', 12, { amount_minor: 1n }));
    book.report(event('PAYMENT_LATE', 15));
    expect(daysPastDue(book.state, onDay(10))).toBe(0);
    expect(daysPastDue(book.state, onDay(22))).toBe(12);
    expect(firstDelinquencyAt(book.state)).toBe(onDay(10));
    expect(book.state.underlying_status).toBe('PAST_DUE');
  });

  test('count calendar days in UTC', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10, { occurred_at_ms: onDay(11) - 1 }));
    expect(daysPastDue(book.state, onDay(11))).toBe(1);
  });

  test('are at least 30 once a delinquency has started', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('DELINQUENCY_STARTED', 15));
    expect(daysPastDue(book.state, onDay(16))).toBe(30);
    expect(daysPastDue(book.state, onDay(75))).toBe(65);
  });

  test('freeze in the episode at its cure, and are 0 on the account from then on', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('DELINQUENCY_STARTED', 41));
    book.report(event('DELINQUENCY_CURED', 60));
    const [episode] = book.state.episodes;
    if (episode === undefined) throw new Error('no episode');
    expect(episodeDaysPastDue(episode, onDay(300))).toBe(50);
    expect(daysPastDue(book.state, onDay(300))).toBe(0);
    expect(firstDelinquencyAt(book.state)).toBe(onDay(10));
  });

  test.each([
    [0, 'CURRENT'],
    [1, 'EARLY'],
    [29, 'EARLY'],
    [30, 'DPD_30'],
    [59, 'DPD_30'],
    [60, 'DPD_60'],
    [90, 'DPD_90'],
    [119, 'DPD_90'],
    [120, 'DPD_120_PLUS'],
  ])('%i days are in bucket %s', (days, bucket) => {
    expect(bucketOf(days)).toBe(bucket);
  });
});

describe('episodes', () => {
  test('gather everything between the first late payment and the cure', () => {
    const book = new Book();
    book.report(event('PAYMENT_LATE', 10));
    book.report(event('DELINQUENCY_STARTED', 41));
    book.report(event('DEFAULT_REPORTED', 100, { default_severity: 'SEVERE' }));
    book.report(event('ACCOUNT_RESTRUCTURED', 120));
    book.report(event('DEFAULT_REPORTED', 150, { default_severity: 'MINOR' }));
    book.report(event('DEFAULT_CURED', 200));
    book.report(event('PAYMENT_LATE', 210));
    expect(book.state.episodes).toEqual([
      {
        started_at_ms: onDay(10),
        ended_at_ms: onDay(200),
        past_due_since_ms: onDay(10),
        delinquency_started_at_ms: onDay(41),
        restructured_at_ms: onDay(120),
        defaulted_at_ms: onDay(150),
        default_severity: 'SEVERE',
        default_cured_at_ms: onDay(200),
        written_off_at_ms: undefined,
      },
      expect.objectContaining({ started_at_ms: onDay(210), ended_at_ms: undefined }),
    ]);
  });

  test('say when a delinquency started last, and past due since the first time', () => {
    const book = new Book();
    book.report(event('DELINQUENCY_STARTED', 10));
    book.report(event('ACCOUNT_RESTRUCTURED', 60));
    book.report(event('DELINQUENCY_STARTED', 90));
    expect(book.state.episodes).toEqual([
      expect.objectContaining({
        past_due_since_ms: onDay(10),
        delinquency_started_at_ms: onDay(90),
        ended_at_ms: undefined,
      }),
    ]);
    expect(daysPastDue(book.state, onDay(91))).toBe(81);
  });

  test.each([
    ['DEFAULT_REPORTED', 'defaulted_at_ms'],
    ['ACCOUNT_RESTRUCTURED', 'restructured_at_ms'],
    ['ACCOUNT_WRITTEN_OFF', 'written_off_at_ms'],
  ] as const)('%s out of the blue begins one, and days count from it', (event_type, field) => {
    const book = new Book();
    book.report(event(event_type, 10));
    expect(book.state.episodes).toEqual([
      expect.objectContaining({
        started_at_ms: onDay(10),
        past_due_since_ms: undefined,
        [field]: onDay(10),
      }),
    ]);
    expect(daysPastDue(book.state, onDay(200))).toBe(190);
  });

  test('end when the account is paid', () => {
    const book = new Book();
    book.report(event('ACCOUNT_WRITTEN_OFF', 10));
    book.report(event('ACCOUNT_PAID', 20));
    expect(book.state.episodes[0]).toMatchObject({
      ended_at_ms: onDay(20),
      default_cured_at_ms: undefined,
    });
  });

  test('are bounded: of very many, the mildest leave first', () => {
    const book = new Book();
    book.report(event('ACCOUNT_RESTRUCTURED', 1));
    book.report(event('ACCOUNT_CURRENT', 2));
    for (let day = 3; day < 400; day += 2) {
      book.report(event('PAYMENT_LATE', day));
      book.report(event('ACCOUNT_CURRENT', day + 1));
    }
    expect(book.state.episodes).toHaveLength(100);
    expect(book.state.episodes[0]?.restructured_at_ms).toBe(onDay(1));
    expect(book.state.episodes.at(-1)?.started_at_ms).toBe(onDay(399));
  });
});

describe('months and payment days', () => {
  test('keep as far back as any score looks, and no further', () => {
    const book = new Book({ organisation: true });
    for (let month = 0; month < 140; month += 1) {
      book.report(event('PAYMENT_MADE', month * 31, { amount_minor: 1n }));
    }
    expect(book.state.payment_months.length).toBeGreaterThan(90);
    expect(book.state.payment_months.length).toBeLessThanOrEqual(96);
    const days = book.state.payment_days.map(({ day }) => day);
    expect((days.at(-1) ?? 0) - (days[0] ?? 0)).toBeGreaterThan(730);
    expect(days.length).toBeLessThan(30);
  });

  test('months hold one entry each', () => {
    const book = new Book();
    for (const day of [1, 2, 40, 41]) book.report(event('PAYMENT_MADE', day, { amount_minor: 1n }));
    book.report(event('PAYMENT_LATE', 45));
    const january_2025 = 2025 * 12;
    expect(book.state.payment_months).toEqual([january_2025, january_2025 + 1]);
    expect(book.state.late_months).toEqual([january_2025 + 2]);
    expect(book.state.payment_days).toEqual([]);
  });

  test('payment days of organisations carry the days past due at the payment', () => {
    const book = new Book({ organisation: true });
    book.report(event('PAYMENT_MADE', 1, { amount_minor: 10n }));
    book.report(event('PAYMENT_MADE', 1, { amount_minor: 5n }));
    book.report(event('PAYMENT_LATE', 5));
    book.report(event('PARTIAL_PAYMENT', 12, { amount_minor: 3n }));
    const opened_day = onDay(0) / DAY_MS;
    expect(book.state.payment_days).toEqual([
      { day: opened_day + 1, amount_minor: 15n, days_past_due: 0 },
      { day: opened_day + 12, amount_minor: 3n, days_past_due: 7 },
    ]);
  });
});

describe('creation', () => {
  const reported_at_ms = NOW_MS - DAY_MS;

  test.each(UNDERLYING_STATUSES)('as %s is the status that is shown', (status) => {
    const book = new Book({ status, balance_minor: 0n });
    expect(book.state.underlying_status).toBe(status);
    expect(book.record(1)).toMatchObject({ resulting_status: status, effect: 'EFFECTIVE' });
  });

  test('in an adverse status counts from its report, whenever the account was opened', () => {
    const book = new Book({ status: 'DELINQUENT' });
    expect(book.state.episodes).toEqual([
      expect.objectContaining({
        started_at_ms: reported_at_ms,
        past_due_since_ms: reported_at_ms,
        delinquency_started_at_ms: reported_at_ms,
      }),
    ]);
    expect(daysPastDue(book.state, reported_at_ms)).toBe(30);
    expect(new Book({ status: 'DEFAULTED' }).state.episodes).toEqual([
      expect.objectContaining({ defaulted_at_ms: reported_at_ms, default_severity: 'MODERATE' }),
    ]);
  });

  test('a cure from before the report ends the episode there: none of it is later', () => {
    const book = new Book({ status: 'DELINQUENT' });
    book.report(event('DELINQUENCY_CURED', 10));
    expect(book.state.episodes).toEqual([
      expect.objectContaining({
        started_at_ms: onDay(10),
        ended_at_ms: onDay(10),
        past_due_since_ms: onDay(10),
        delinquency_started_at_ms: onDay(10),
      }),
    ]);
  });

  test('an earlier late payment of the same trouble, reported later, is where it began', () => {
    const book = new Book({ status: 'DELINQUENT' });
    book.report(event('PAYMENT_LATE', 20));
    expect(daysPastDue(book.state, onDay(120))).toBe(100);
    expect(firstDelinquencyAt(book.state)).toBe(onDay(20));
    expect(book.state.underlying_status).toBe('DELINQUENT');
  });

  test('dates that its furnisher gives are where the trouble began and since when it is so', () => {
    const dates = { first_delinquency_at_ms: onDay(30), status_since_ms: onDay(90) };
    const book = new Book({ status: 'DEFAULTED', dates });
    expect(book.state.episodes[0]).toMatchObject({
      started_at_ms: onDay(30),
      defaulted_at_ms: onDay(90),
    });
    expect(book.state.status_since_ms).toBe(onDay(90));
    expect(daysPastDue(book.state, onDay(330))).toBe(300);
    // By those dates nothing was in trouble before.
    expect(() => book.report(event('DEFAULT_CURED', 20))).toThrow('the trouble began later');
    book.report(event('DEFAULT_CURED', 100));
    expect(book.state.episodes[0]).toMatchObject({ ended_at_ms: onDay(100) });
  });
});

describe('a furnisher’s own flag', () => {
  const since = (book: Book) => furnisherDisputedSince(book.state);

  test('renewed again and again has one time, until as long has passed without one', () => {
    const book = new Book();
    book.report(event('DISPUTE_OPENED', 10));
    book.report(event('DISPUTE_RESOLVED', 69));
    expect(since(book)).toBeUndefined();
    book.report(event('DISPUTE_OPENED', 70));
    expect(since(book)).toBe(onDay(10));
    book.report(event('DISPUTE_RESOLVED', 71));
    book.report(event('DISPUTE_OPENED', 131));
    expect(since(book)).toBe(onDay(131));
  });
});
