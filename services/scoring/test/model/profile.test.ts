import { calculateProfile, dayOfDate } from '../../src/domain/model';
import { account, card, daysAgo, episode, file, inquiry, monthsAgo } from './facts-for-tests';

describe('risk', () => {
  test('of a quiet file', () => {
    expect(
      calculateProfile(file([account(), card({ status: 'PAID', balance_minor: 0n })])).risk,
    ).toEqual({
      level: 'LOW',
      worst_current_status: 'CURRENT',
      max_days_past_due: 0,
      bucket: 'CURRENT',
      stage: 1,
      active_defaults: 0,
      disputed_account_count: 0,
      disputed_balance: [],
      caps_applied: [],
    });
  });

  test('takes the worst of what is open now', () => {
    const ended = episode({
      started_day: daysAgo(400),
      past_due_since_day: daysAgo(400),
      ended_day: daysAgo(200),
    });
    const open = episode({ started_day: daysAgo(65), past_due_since_day: daysAgo(65) });
    const { risk } = calculateProfile(
      file([account({ episodes: [ended] }), card({ status: 'PAST_DUE', episodes: [open] })]),
    );
    expect(risk).toMatchObject({
      worst_current_status: 'PAST_DUE',
      max_days_past_due: 65,
      bucket: 'DPD_60',
      stage: 2,
    });
  });

  test('says how much is under dispute, by currency, and judges without it', () => {
    const day = daysAgo(100);
    const disputed = {
      disputed: true,
      status: 'DEFAULTED',
      episodes: [episode({ started_day: day, defaulted_day: day })],
    } as const;
    const { risk } = calculateProfile(
      file([
        account(),
        account({ ...disputed, account_id: 'a2', balance_minor: 5n }),
        account({ ...disputed, account_id: 'a3', balance_minor: 7n }),
        account({ ...disputed, account_id: 'a4', balance_minor: 9n, currency: 'AAA' }),
      ]),
    );
    expect(risk).toMatchObject({
      worst_current_status: 'CURRENT',
      stage: 1,
      active_defaults: 0,
      disputed_account_count: 3,
      disputed_balance: [
        { currency: 'AAA', amount_minor: 9n },
        { currency: 'DCR', amount_minor: 12n },
      ],
    });
  });

  test('of a subject without accounts is unknown', () => {
    expect(calculateProfile(file([])).risk).toMatchObject({
      level: 'UNKNOWN',
      worst_current_status: undefined,
      stage: 1,
    });
  });
});

describe('history', () => {
  test('counts accounts, balances, limits, institutions and looks', () => {
    const { history } = calculateProfile(
      file(
        [
          account({ balance_minor: 10n, institution_id: 'north' }),
          account({ account_id: 'a2', disputed: true, balance_minor: 5n, institution_id: 'south' }),
          card({ balance_minor: 3n, original_principal_minor: 100n, credit_limit_minor: 50n }),
          card({ account_id: 'c2', status: 'CANCELLED', balance_minor: 0n, currency: 'AAA' }),
        ],
        {
          inquiries: [
            inquiry({ day: daysAgo(364) }),
            inquiry({ inquiry_id: 'i2', day: daysAgo(365) }),
            inquiry({ inquiry_id: 'i3', inquiry_type: 'SOFT' }),
            inquiry({ inquiry_id: 'i4', duplicate: true }),
          ],
        },
      ),
    );
    expect(history).toMatchObject({
      accounts_by_status: [
        { status: 'CURRENT', count: 2 },
        { status: 'CANCELLED', count: 1 },
        { status: 'DISPUTED', count: 1 },
      ],
      totals: [
        { currency: 'AAA', balance_minor: 0n, limit_minor: 0n },
        { currency: 'DCR', balance_minor: 18n, limit_minor: 50n },
      ],
      oldest_account_months: 60,
      hard_inquiries_12m: 1,
      institution_count: 2,
    });
  });

  test('draws the grid with the worst mark of each month, the newest first', () => {
    const spell = episode({
      started_day: dayOfDate(2025, 9, 10),
      past_due_since_day: dayOfDate(2025, 9, 10),
      delinquency_started_day: dayOfDate(2025, 10, 12),
      defaulted_day: dayOfDate(2026, 1, 5),
      ended_day: dayOfDate(2026, 2, 20),
    });
    const { history } = calculateProfile(
      file([
        account({ episodes: [spell], late_months: [monthsAgo(6)], payment_months: [monthsAgo(0)] }),
        card({ payment_months: [monthsAgo(0), monthsAgo(6), monthsAgo(7), monthsAgo(23)] }),
      ]),
    );
    // March on time; February and January in default; then back from 112 to 20 days past due.
    expect(history.payment_grid).toBe(`0DD43210${'-'.repeat(15)}0`);
    expect(history.payment_grid).toHaveLength(24);
    expect(history).toMatchObject({
      on_time_24m: 5,
      late_24m: 6,
      worst_bucket_12m: 'DPD_120_PLUS',
      worst_bucket_24m: 'DPD_120_PLUS',
    });
  });

  test('remembers the worst bucket of 12 and of 24 months', () => {
    const spell = episode({
      started_day: dayOfDate(2024, 10, 1),
      past_due_since_day: dayOfDate(2024, 10, 1),
      ended_day: dayOfDate(2025, 1, 5),
    });
    const { history } = calculateProfile(file([account({ episodes: [spell] })]));
    expect(history).toMatchObject({ worst_bucket_12m: 'CURRENT', worst_bucket_24m: 'DPD_90' });
  });
});
