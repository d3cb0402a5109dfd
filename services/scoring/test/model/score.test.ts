import {
  type AccountFacts,
  calculateScore,
  dayOfDate,
  type ModelInput,
} from '../../src/domain/model';
import {
  account,
  card,
  daysAgo,
  episode,
  file,
  inquiry,
  monthsAgo,
  TODAY,
} from './facts-for-tests';

function points(input: ModelInput, factor: string): number {
  const found = calculateScore(input).factors.find(({ name }) => name === factor);
  if (found === undefined) throw new Error(`no factor ${factor}`);
  return found.points;
}

function codes(input: ModelInput): string[] {
  return calculateScore(input).reasons.map(({ code }) => code);
}

/** Points of 132 that one item of this penalty leaves. */
const afterPenalty = (per_mille: number): number => Math.floor((132 * (1000 - per_mille)) / 1000);

describe('derogatory items', () => {
  const withEpisodes = (...episodes: AccountFacts['episodes'][number][]) =>
    points(file([account({ episodes })]), 'DEROGATORY');

  test('a clean file keeps all points', () => {
    expect(withEpisodes()).toBe(132);
  });

  test.each([
    [5, 60],
    [29, 60],
    [30, 160],
    [60, 300],
    [90, 460],
    [119, 460],
    [120, 560],
  ])('%i days past due cost %i per mille', (days, per_mille) => {
    const started_day = daysAgo(days);
    expect(withEpisodes(episode({ started_day, past_due_since_day: started_day }))).toBe(
      afterPenalty(per_mille),
    );
  });

  test('a started delinquency counts as 30 days at least', () => {
    const started_day = daysAgo(3);
    const started = episode({
      started_day,
      past_due_since_day: started_day,
      delinquency_started_day: started_day,
    });
    expect(withEpisodes(started)).toBe(afterPenalty(160));
  });

  test.each([
    ['MINOR', 350],
    ['MODERATE', 600],
    ['SEVERE', 800],
    ['CRITICAL', 1000],
    [undefined, 600],
  ] as const)('a %s default costs %i per mille', (default_severity, per_mille) => {
    const day = daysAgo(10);
    expect(withEpisodes(episode({ started_day: day, defaulted_day: day, default_severity }))).toBe(
      afterPenalty(per_mille),
    );
  });

  test('a restructuring costs 180, a write-off 900', () => {
    const day = daysAgo(10);
    expect(withEpisodes(episode({ started_day: day, restructured_day: day }))).toBe(
      afterPenalty(180),
    );
    expect(withEpisodes(episode({ started_day: day, written_off_day: day }))).toBe(
      afterPenalty(900),
    );
  });

  test.each([
    [180, 1000],
    [365, 800],
    [730, 500],
    [1095, 375],
    [1460, 250],
    [2554, 0],
    [2556, 0],
  ])('after %i days %i per mille of it are left', (age, left) => {
    const day = daysAgo(age);
    const defaulted = episode({
      started_day: day,
      defaulted_day: day,
      default_severity: 'CRITICAL',
    });
    expect(withEpisodes(defaulted)).toBe(afterPenalty(left));
  });

  test('its age counts from the last adverse report and not from its cure', () => {
    const defaulted_day = daysAgo(365);
    const base = { started_day: daysAgo(500), past_due_since_day: daysAgo(500) };
    const critical = { defaulted_day, default_severity: 'CRITICAL' } as const;
    expect(withEpisodes(episode({ ...base, ...critical }))).toBe(afterPenalty(800));
    const cured = episode({ ...base, ...critical, ended_day: daysAgo(1) });
    expect(withEpisodes(cured)).toBe(afterPenalty(560));
  });

  test('a later late payment in the same spell renews it', () => {
    const started_day = daysAgo(800);
    const late = episode({ started_day, past_due_since_day: started_day });
    const once = file([account({ episodes: [late], late_months: [monthsAgo(26)] })]);
    const again = file([account({ episodes: [late], late_months: [monthsAgo(26), monthsAgo(1)] })]);
    expect(points(once, 'DEROGATORY')).toBeGreaterThan(points(again, 'DEROGATORY'));
    expect(points(again, 'DEROGATORY')).toBe(afterPenalty(560));
  });

  test('the second worst counts half, the third a quarter, the ninth nothing', () => {
    const day = daysAgo(10);
    const restructured = episode({ started_day: day, restructured_day: day });
    const of = (count: number) =>
      withEpisodes(...Array.from({ length: count }, () => restructured));
    expect(of(2)).toBe(afterPenalty(270));
    expect(of(3)).toBe(afterPenalty(315));
    expect(of(9)).toBe(of(8));
  });

  test('one episode is one item, at its worst', () => {
    const whole = episode({
      started_day: daysAgo(150),
      past_due_since_day: daysAgo(150),
      delinquency_started_day: daysAgo(120),
      restructured_day: daysAgo(60),
      defaulted_day: daysAgo(30),
      default_severity: 'SEVERE',
    });
    expect(withEpisodes(whole)).toBe(afterPenalty(800));
  });
});

describe('payments', () => {
  test('count once a month and account, however many there were', () => {
    const paid = [monthsAgo(0), monthsAgo(1), monthsAgo(2)];
    const once = file([account({ payment_months: paid })]);
    expect(points(once, 'ON_TIME')).toBe(Math.floor((60 * Math.floor((1000 * 6) / 7)) / 1000));
    const twice = file([account({ payment_months: [...paid, ...paid] })]);
    expect(points(twice, 'ON_TIME')).toBe(points(once, 'ON_TIME'));
  });

  test('in a month that was also late do not count', () => {
    const input = file([
      account({ payment_months: [monthsAgo(1), monthsAgo(2)], late_months: [monthsAgo(1)] }),
    ]);
    expect(points(input, 'ON_TIME')).toBe(Math.floor((60 * Math.floor((1000 * 4) / 8)) / 1000));
  });

  test('are late for as long as the account was past due', () => {
    const spell = episode({
      started_day: dayOfDate(2025, 10, 20),
      past_due_since_day: dayOfDate(2025, 10, 20),
      ended_day: dayOfDate(2025, 12, 5),
    });
    const input = file([account({ episodes: [spell] })]);
    expect(points(input, 'ON_TIME')).toBe(Math.floor((60 * Math.floor((1000 * 3) / 13)) / 1000));
  });

  test('count for 24 months, this one included', () => {
    const kept = file([account({ payment_months: [monthsAgo(23)] })]);
    const gone = file([account({ payment_months: [monthsAgo(24)] })]);
    expect(points(kept, 'ON_TIME')).toBe(48);
    expect(points(gone, 'ON_TIME')).toBe(45);
  });
});

describe('utilisation', () => {
  const line = (balance_minor: bigint, facts: Partial<AccountFacts> = {}) =>
    card({ original_principal_minor: 1000n, balance_minor, ...facts });

  test.each([
    [0n, 1000],
    [100n, 1000],
    [200n, 925],
    [300n, 850],
    [500n, 650],
    [750n, 400],
    [900n, 200],
    [950n, 100],
    [1000n, 0],
    [5000n, 0],
  ])('a line of 1000 with %i in use keeps %i per mille', (balance, per_mille) => {
    expect(points(file([line(balance)]), 'UTILISATION')).toBe(Math.floor((165 * per_mille) / 1000));
  });

  test('measures against the reported limit when there is one', () => {
    expect(points(file([line(900n, { credit_limit_minor: 9000n })]), 'UTILISATION')).toBe(165);
  });

  test('counts a loan that is owed in full as half used', () => {
    const loan = account({ original_principal_minor: 1000n, balance_minor: 1000n });
    expect(points(file([loan]), 'UTILISATION')).toBe(Math.floor((165 * 650) / 1000));
  });

  test('weighs lines twice as much as loans', () => {
    const loan = account({ original_principal_minor: 1000n, balance_minor: 0n });
    // (2 * 450 + 0) / 3 = 300.
    expect(points(file([line(450n), loan]), 'UTILISATION')).toBe(Math.floor((165 * 850) / 1000));
  });

  test('averages currencies by their number of accounts and never adds them up', () => {
    const inputs = [line(0n), line(0n, { account_id: 'c2' }), line(900n, { currency: 'EUR' })];
    expect(points(file(inputs), 'UTILISATION')).toBe(Math.floor((165 * 850) / 1000));
  });

  test('keeps the limit of a paid line in until it is cancelled', () => {
    const used = line(900n);
    const paid = line(0n, { account_id: 'c2', status: 'PAID' });
    const cancelled = line(0n, { account_id: 'c2', status: 'CANCELLED' });
    expect(points(file([used, paid]), 'UTILISATION')).toBeGreaterThan(
      points(file([used, cancelled]), 'UTILISATION'),
    );
  });

  test('a line without a limit is used up by any balance, and by none not at all', () => {
    const none = { original_principal_minor: 0n };
    expect(points(file([line(1n, none)]), 'UTILISATION')).toBe(0);
    expect(points(file([line(0n, none)]), 'UTILISATION')).toBe(165);
  });

  test('stays exact at the largest amounts', () => {
    const most = 99_999_999_999_999n;
    const lines = Array.from({ length: 500 }, (_, index) =>
      line((most * 3n) / 10n, { account_id: `c${index}`, original_principal_minor: most }),
    );
    // Rounded down once: a hair under 300 per mille.
    expect(points(file(lines), 'UTILISATION')).toBe(Math.floor((165 * 850) / 1000));
  });
});

describe('length, mix and new credit', () => {
  test('length is full at five years for the oldest and three on average', () => {
    expect(points(file([account({ opened_day: dayOfDate(2021, 3, 15) })]), 'LENGTH')).toBe(83);
    expect(points(file([account({ opened_day: dayOfDate(2021, 3, 16) })]), 'LENGTH')).toBe(82);
    expect(points(file([account({ opened_day: TODAY })]), 'LENGTH')).toBe(0);
  });

  test('mix counts kinds of credit, also closed ones', () => {
    const kinds = (['TERM_LOAN', 'MORTGAGE', 'CREDIT_CARD', 'LEASE'] as const).map((account_type) =>
      account({ account_id: account_type, account_type, status: 'PAID', balance_minor: 0n }),
    );
    const of = (count: number) => points(file(kinds.slice(0, count)), 'MIX');
    expect([of(1), of(2), of(3), of(4)]).toEqual([33, 46, 55, 55]);
  });

  test('looks for one purpose within 14 days are one search', () => {
    const days = [0, 5, 13].map((days, index) =>
      inquiry({ inquiry_id: `i${index}`, day: daysAgo(days) }),
    );
    const one = points(file([account()], { inquiries: days }), 'NEW_CREDIT');
    expect(one).toBe(Math.floor((55 * 850) / 1000));
    const later = [...days, inquiry({ inquiry_id: 'i9', day: daysAgo(14) })];
    expect(points(file([account()], { inquiries: later }), 'NEW_CREDIT')).toBe(
      Math.floor((55 * 700) / 1000),
    );
    const other = days.map((one, index) => ({
      ...one,
      purpose: index === 0 ? 'REFINANCING' : one.purpose,
    }));
    expect(points(file([account()], { inquiries: other }), 'NEW_CREDIT')).toBe(
      Math.floor((55 * 700) / 1000),
    );
  });

  test.each([
    [179, 850],
    [180, 925],
    [364, 925],
    [365, 1000],
  ])('a look %i days ago leaves %i per mille', (days, per_mille) => {
    const inquiries = [inquiry({ day: daysAgo(days) })];
    expect(points(file([account()], { inquiries }), 'NEW_CREDIT')).toBe(
      Math.floor((55 * per_mille) / 1000),
    );
  });

  test('soft looks and repeats cost nothing', () => {
    const inquiries = [
      inquiry({ inquiry_type: 'SOFT' }),
      inquiry({ inquiry_id: 'i2', duplicate: true }),
    ];
    expect(points(file([account()], { inquiries }), 'NEW_CREDIT')).toBe(55);
  });

  test('the first account of half a year is free, each further one costs', () => {
    const opened = (days: number, account_id: string) =>
      account({ account_id, opened_day: daysAgo(days) });
    expect(points(file([opened(10, 'a')]), 'NEW_CREDIT')).toBe(55);
    expect(points(file([opened(10, 'a'), opened(179, 'b')]), 'NEW_CREDIT')).toBe(48);
    expect(points(file([opened(10, 'a'), opened(180, 'b')]), 'NEW_CREDIT')).toBe(55);
  });
});

describe('ceilings', () => {
  const clean = [
    account({
      balance_minor: 0n,
      payment_months: Array.from({ length: 24 }, (_, age) => monthsAgo(age)),
    }),
    card({ balance_minor: 0n }),
    account({ account_id: 'a2', account_type: 'MORTGAGE', balance_minor: 0n }),
  ];
  const troubled = (
    facts: Partial<AccountFacts['episodes'][number]>,
    status: AccountFacts['status'],
  ) =>
    calculateScore(
      file([
        ...clean,
        account({ account_id: 'a9', status, balance_minor: 0n, episodes: [episode(facts)] }),
      ]),
    );

  test('a clean, long, varied and hardly used file comes near the top', () => {
    expect(calculateScore(file(clean))).toMatchObject({
      score: 847,
      grade: 'A',
      band: 'EXCEPTIONAL',
      confidence: 'HIGH',
      caps: [],
    });
  });

  test('a lasting default, write-off or delinquency holds the score down', () => {
    const day = daysAgo(1000);
    const defaulted = troubled({ started_day: day, defaulted_day: day }, 'DEFAULTED');
    expect(defaulted).toMatchObject({ score: 579, grade: 'E', caps: ['ACTIVE_DEFAULT'] });
    const written_off = troubled({ started_day: day, written_off_day: day }, 'WRITTEN_OFF');
    expect(written_off).toMatchObject({ score: 549, caps: ['WRITE_OFF'] });
    const delinquent = troubled(
      { started_day: day, past_due_since_day: day, delinquency_started_day: day },
      'DELINQUENT',
    );
    expect(delinquent).toMatchObject({ score: 669, grade: 'D', caps: ['ACTIVE_DELINQUENCY'] });
  });

  test('a restructuring does not lift the ceiling of the default before it, a cure does', () => {
    const day = daysAgo(1000);
    const facts = { started_day: day, defaulted_day: day };
    expect(troubled({ ...facts, restructured_day: daysAgo(900) }, 'RESTRUCTURED').score).toBe(579);
    expect(troubled({ ...facts, ended_day: daysAgo(900) }, 'CURRENT').caps).toEqual([]);
  });

  test('a default of more than seven years ago no longer counts', () => {
    const of = (days: number) =>
      troubled({ started_day: daysAgo(days), defaulted_day: daysAgo(days) }, 'DEFAULTED');
    expect(of(2555).caps).toEqual(['ACTIVE_DEFAULT']);
    expect(of(2556).caps).toEqual([]);
  });

  test('one account, or none of half a year, is a thin file', () => {
    const [loan, line] = clean;
    if (loan === undefined || line === undefined) throw new Error('no accounts');
    expect(calculateScore(file([loan]))).toMatchObject({
      score: 719,
      caps: ['THIN_FILE'],
      confidence: 'LOW',
    });
    const young = { opened_day: daysAgo(179), payment_months: [] };
    const both = [account(young), card(young)];
    expect(calculateScore(file(both)).caps).toEqual(['THIN_FILE']);
    const of_age = { ...young, opened_day: daysAgo(180), payment_count: 3 };
    expect(calculateScore(file([account(of_age), card(of_age)])).caps).toEqual([]);
    for (const less of [{ opened_day: daysAgo(179) }, { payment_count: 2 }]) {
      const one_short = [account(of_age), card({ ...of_age, ...less })];
      expect(calculateScore(file(one_short)).caps).toEqual(['THIN_FILE']);
    }
  });

  test('a penny account that was just opened lifts none of them', () => {
    const loan = account({ balance_minor: 0n });
    const penny = card({ original_principal_minor: 1n, balance_minor: 0n, opened_day: TODAY });
    for (const payment_count of [0, 2, 60]) {
      expect(calculateScore(file([loan, { ...penny, payment_count }])).caps).toEqual(['THIN_FILE']);
    }
  });
});

describe('who is not rated', () => {
  test('a subject without accounts', () => {
    expect(calculateScore(file([]))).toMatchObject({
      score: undefined,
      grade: undefined,
      band: 'NOT_RATED',
      confidence: 'LOW',
      risk_level: 'UNKNOWN',
      factors: [],
      reasons: [{ code: 'NF01', factor: 'FILE', direction: 'NEGATIVE', points_lost: 0 }],
    });
  });

  test('a subject whose accounts are all under dispute', () => {
    expect(codes(file([account({ disputed: true })]))).toEqual(['NF02']);
  });
});

describe('an account under dispute', () => {
  const day = daysAgo(100);
  const trouble = {
    status: 'DEFAULTED',
    balance_minor: 1_000_000n,
    episodes: [episode({ started_day: day, past_due_since_day: day, defaulted_day: day })],
    late_months: [monthsAgo(3)],
    payment_months: [monthsAgo(3)],
  } as const;

  test('keeps what speaks for the subject and loses what speaks against it', () => {
    const disputed = calculateScore(file([card(), account({ ...trouble, disputed: true })]));
    const spotless = calculateScore(
      file([card(), account({ balance_minor: 0n, payment_months: [monthsAgo(3)] })]),
    );
    expect({ ...disputed, confidence: undefined }).toEqual({ ...spotless, confidence: undefined });
    expect(calculateScore(file([card(), account(trouble)])).caps).toEqual(['ACTIVE_DEFAULT']);
  });
});

describe('reasons', () => {
  test('come with the points they cost, the costliest first, and no more than four', () => {
    const day = daysAgo(10);
    const { score, reasons } = calculateScore(
      file([
        card({ original_principal_minor: 1000n, balance_minor: 1000n, opened_day: daysAgo(400) }),
        account({
          status: 'DEFAULTED',
          opened_day: daysAgo(300),
          episodes: [
            episode({ started_day: day, defaulted_day: day, default_severity: 'CRITICAL' }),
          ],
        }),
      ]),
    );
    expect(score).toBeLessThan(579);
    const negatives = reasons.filter(({ direction }) => direction === 'NEGATIVE');
    expect(negatives.map(({ code }) => code)).toEqual(['PH01', 'UT01', 'AG01', 'AG02']);
    const lost = negatives.map(({ points_lost }) => points_lost);
    expect(lost).toEqual([...lost].sort((a, b) => b - a));
  });

  test('a ceiling answers for the points it takes', () => {
    const day = daysAgo(2500);
    const old_default = episode({ started_day: day, defaulted_day: day });
    const accounts = [
      account({
        balance_minor: 0n,
        status: 'DEFAULTED',
        episodes: [old_default],
        payment_months: [],
      }),
      card({ balance_minor: 0n }),
    ];
    const { factors, reasons } = calculateScore(file(accounts));
    const uncapped = factors.reduce((sum, one) => sum + one.points, 300);
    const [worst] = reasons;
    const derogatory = factors[0]?.points ?? 0;
    expect(worst).toMatchObject({ code: 'PH01', points_lost: uncapped - 579 + 132 - derogatory });
  });

  test('inquiries are named as a fifth when four others cost more', () => {
    const day = daysAgo(10);
    const input = file(
      [
        card({ original_principal_minor: 1000n, balance_minor: 1000n, opened_day: daysAgo(200) }),
        account({
          opened_day: daysAgo(200),
          episodes: [episode({ started_day: day, past_due_since_day: day })],
          late_months: [monthsAgo(0)],
        }),
      ],
      { inquiries: [inquiry({ day: daysAgo(300) })] },
    );
    const named = codes(input);
    expect(named).toHaveLength(5);
    expect(named[4]).toBe('NC01');
  });

  test('two strengths at most', () => {
    const clean = file([account({ balance_minor: 0n }), card({ balance_minor: 0n })]);
    expect(codes(clean).filter((code) => code.startsWith('PS'))).toEqual(['PS01', 'PS02']);
    const used = file([account({ balance_minor: 1_000_000n }), card({ balance_minor: 900_000n })]);
    expect(codes(used).filter((code) => code.startsWith('PS'))).toEqual(['PS01', 'PS03']);
  });
});

describe('payment index', () => {
  const organisation = { subject_type: 'ORGANISATION' } as const;
  const payment = (days_past_due: number, amount_minor = 100n, days = 10) => ({
    day: daysAgo(days),
    amount_minor,
    days_past_due,
  });
  const indexOf = (...payment_days: ReturnType<typeof payment>[]) =>
    calculateScore(file([account({ payment_days })], organisation)).payment_index;

  test.each([
    [0, 80],
    [7, 75],
    [14, 70],
    [21, 60],
    [30, 50],
    [60, 40],
    [90, 30],
    [120, 20],
    [400, 20],
  ])('payments at %i days past due give %i', (days, index) => {
    expect(indexOf(payment(days), payment(days), payment(days))).toBe(index);
  });

  test('weighs by amount and needs three payments of the last 24 months', () => {
    expect(indexOf(payment(0, 300n), payment(0, 0n), payment(120, 100n))).toBe(65);
    expect(indexOf(payment(0), payment(0))).toBeUndefined();
    expect(indexOf(payment(0), payment(0), payment(0, 100n, 800))).toBeUndefined();
    expect(indexOf(payment(0, 0n), payment(0, 0n), payment(0, 0n))).toBeUndefined();
  });

  test('is for organisations only', () => {
    const paid = account({ payment_days: [payment(0), payment(0), payment(0)] });
    expect(calculateScore(file([paid])).payment_index).toBeUndefined();
  });
});
