import type { AccountFacts } from '../../src/domain/model';
import { contentCsv } from '../../src/reports/documents/csv';
import { contentJson } from '../../src/reports/documents/json';
import { contentPdf } from '../../src/reports/documents/pdf';
import type { ReportType } from '../../src/reports/domain/report';
import { buildContent, type ReportMaterial } from '../../src/reports/domain/report-content';
import { account, card, daysAgo, episode, inquiry, TODAY } from '../model/facts-for-tests';
import { at, event, look, material } from '../support/report-material';

describe('a report', () => {
  test('names other institutions the same throughout and by nothing that is theirs', () => {
    const content = buildContent(
      material(
        {
          accounts: [
            account({ account_id: 'a1', institution_id: 'south', opened_day: daysAgo(900) }),
            card({ account_id: 'c1', institution_id: 'west', opened_day: daysAgo(800) }),
            card({ account_id: 'c2', institution_id: 'south', opened_day: daysAgo(700) }),
            account({ account_id: 'a2', institution_id: 'north', opened_day: daysAgo(600) }),
          ],
          looks: [
            look({ inquiry_id: 'i1', institution_id: 'west' }),
            look({ inquiry_id: 'i2', institution_id: 'east', created_at: at(5) }),
          ],
        },
        {
          accounts: [
            { account_id: 'a1', external_account_id: undefined, events: [] },
            { account_id: 'a2', external_account_id: 'ledger-7', events: [] },
          ],
        },
      ),
    );
    expect(
      content.trade_lines?.map((line) => [
        line.ref,
        line.furnisher,
        line.account_id,
        line.external_account_id,
      ]),
    ).toEqual([
      ['A1', 'Institution A', undefined, undefined],
      ['A2', 'Institution B', undefined, undefined],
      ['A3', 'Institution A', undefined, undefined],
      ['A4', 'Your institution', 'a2', 'ledger-7'],
    ]);
    expect(content.inquiries?.map(({ institution }) => institution)).toEqual([
      'Institution C',
      'Institution B',
    ]);
    expect(contentJson(content)).not.toMatch(/"(south|west|east)"/);
  });

  test('shows hard looks alone, each once, and not the one that it was asked for with', () => {
    const content = buildContent(
      material({
        accounts: [account()],
        inquiries: [inquiry({ inquiry_id: 'r1', day: TODAY })],
        looks: [
          look({ inquiry_id: 'i1' }),
          look({ inquiry_id: 'i2', duplicate: true }),
          look({ inquiry_id: 'i3', inquiry_type: 'SOFT' }),
          look({ inquiry_id: 'r1' }),
        ],
      }),
    );
    expect(content.inquiries).toEqual([
      { institution: 'Your institution', purpose: 'REFINANCING', created_at: at(10) },
    ]);
    expect(content.history.hard_inquiries_12m).toBe(0);
  });

  test('shows what was voided to its furnisher and to the person, and counts it for nobody', () => {
    const accounts = [
      account({ account_id: 'a1', institution_id: 'south' }),
      account({ account_id: 'a2', institution_id: 'north', voided: true, status: 'CANCELLED' }),
      account({ account_id: 'a3', institution_id: 'west', voided: true, status: 'CANCELLED' }),
    ];
    const voided_look = look({ inquiry_id: 'i1', voided: true });
    const voided_inquiry = inquiry({ inquiry_id: 'i1', voided: true });
    const file = { accounts, looks: [voided_look], inquiries: [voided_inquiry] };
    const statuses = (content: ReturnType<typeof buildContent>) =>
      content.trade_lines?.map(({ status }) => status);
    const theirs = buildContent(material(file));
    expect(statuses(theirs)).toEqual(['CURRENT', 'VOIDED']);
    expect(theirs.history.accounts_by_status).toEqual([{ status: 'CURRENT', count: 1 }]);
    expect([theirs.inquiries, theirs.history.hard_inquiries_12m]).toEqual([[], 0]);
    const persons = buildContent(material(file, { report: { purpose: 'SUBJECT_REQUEST' } }));
    expect(statuses(persons)).toEqual(['CURRENT', 'VOIDED', 'VOIDED']);
  });

  test('tells nothing of a spell that began more than seven years ago', () => {
    const late = { event_type: 'PAYMENT_LATE', resulting_status: 'PAST_DUE' };
    const old = episode({
      started_day: daysAgo(2600),
      past_due_since_day: daysAgo(2600),
      ended_day: daysAgo(2500),
    });
    const young = episode({
      started_day: daysAgo(2400),
      past_due_since_day: daysAgo(2400),
      ended_day: daysAgo(2300),
    });
    const lasting = episode({ started_day: daysAgo(2556), defaulted_day: daysAgo(2556) });
    const events = [
      event({ event_id: 'e1', ...late, occurred_at: at(2600) }),
      event({
        event_id: 'e2',
        event_type: 'PAYMENT_MADE',
        resulting_status: 'PAST_DUE',
        occurred_at: at(2550),
      }),
      event({ event_id: 'e3', event_type: 'ACCOUNT_CURRENT', occurred_at: at(2500) }),
      event({ event_id: 'e4', ...late, occurred_at: at(2400) }),
    ];
    const content = buildContent(
      material(
        {
          accounts: [
            account({ account_id: 'a1', episodes: [old, young] }),
            account({ account_id: 'a2', status: 'DEFAULTED', episodes: [lasting] }),
          ],
        },
        {
          accounts: [
            { account_id: 'a1', external_account_id: undefined, events },
            {
              account_id: 'a2',
              external_account_id: undefined,
              events: [event({ event_type: 'DEFAULT_REPORTED', occurred_at: at(2556) })],
            },
          ],
        },
      ),
    );
    expect(content.trade_lines?.map(({ status }) => status)).toEqual(['CURRENT']);
    expect(
      content.events?.map(({ event_id, resulting_status }) => [event_id, resulting_status]),
    ).toEqual([
      ['e2', undefined],
      ['e4', 'PAST_DUE'],
    ]);
    expect(content.risk.worst_current_status).toBe('CURRENT');
  });

  test('tells disputes from their opening to their end, of two flags at once to the last', () => {
    const flags = [
      event({ event_type: 'DISPUTE_OPENED', resulting_status: 'DISPUTED' }),
      event({ event_type: 'DISPUTE_OPENED', resulting_status: 'DISPUTED' }),
      event({ event_type: 'DISPUTE_RESOLVED', resulting_status: 'DISPUTED' }),
      event({ event_type: 'DISPUTE_RESOLVED', resulting_status: 'CURRENT' }),
      event({ event_type: 'DISPUTE_OPENED', effect: 'IGNORED' }),
      event({ event_type: 'DISPUTE_OPENED', resulting_status: 'DISPUTED' }),
    ];
    const { disputes } = buildContent(
      material(
        { accounts: [account({ disputed: true }), card()] },
        { accounts: [{ account_id: 'a1', external_account_id: undefined, events: flags }] },
      ),
    );
    expect(disputes).toEqual([
      { account: 'A1', opened_at: flags[0]?.occurred_at, resolved_at: flags[3]?.occurred_at },
      { account: 'A1', opened_at: flags[5]?.occurred_at, resolved_at: undefined },
    ]);
  });

  test('of a summary has the profile and no details', () => {
    const content = buildContent(
      material({ accounts: [account(), card()] }, { report: { report_type: 'SUMMARY' } }),
    );
    expect(content.credit.score).toBeGreaterThan(300);
    expect(content.trade_lines).toBeUndefined();
    expect(contentJson(content)).not.toContain('trade_lines');
  });

  describe('of an organisation', () => {
    const organisation: Partial<ReportMaterial['subject']> = {
      type: 'ORGANISATION',
      display_name: 'Northwind',
      legal_name: 'Northwind Traders Ltd',
      trading_name: 'Northwind',
      registration_number: 'NW-77',
      organisation_kind: 'COMPANY',
      founded_at: '2012-03-16T00:00:00.000Z',
    };
    const payment = (days: number, days_past_due: number, amount_minor = 10_000n) => ({
      day: daysAgo(days),
      amount_minor,
      days_past_due,
    });
    const commercial = (accounts: readonly AccountFacts[], report_type: ReportType) => {
      const given = material(
        { subject_type: 'ORGANISATION', accounts },
        { report: { report_type } },
      );
      return buildContent({ ...given, subject: { ...given.subject, ...organisation } });
    };
    // Today is 15 March: the first quarter of 2026 began 73 days ago.
    const lines = [
      account({
        account_id: 'supplier',
        account_type: 'TRADE_CREDIT',
        institution_id: 'south',
        balance_minor: 70_000n,
        payment_days: [30, 40, 50].map((days) => payment(days, 0)),
      }),
      account({
        account_id: 'bank',
        institution_id: 'west',
        status: 'PAST_DUE',
        balance_minor: 250_000n,
        episodes: [episode({ started_day: daysAgo(40), past_due_since_day: daysAgo(40) })],
        payment_days: [100, 110, 120].map((days) => payment(days, 60)),
      }),
      card({ account_id: 'line', institution_id: 'west', balance_minor: 1_000n }),
      account({
        account_id: 'contested',
        institution_id: 'east',
        disputed: true,
        balance_minor: 9_000n,
        payment_days: [payment(200, 0), payment(210, 0)],
      }),
      account({ account_id: 'lessor', account_type: 'LEASE', institution_id: 'east' }),
      account({ account_id: 'done', status: 'PAID', balance_minor: 0n, closed_day: daysAgo(9) }),
    ];

    test('says who it is', () => {
      expect(commercial(lines, 'COMMERCIAL').commercial?.organisation).toEqual({
        legal_name: 'Northwind Traders Ltd',
        trading_name: 'Northwind',
        registration_number: 'NW-77',
        organisation_kind: 'COMPANY',
        founded_at: '2012-03-16T00:00:00.000Z',
        // Fourteen tomorrow.
        years_since_founding: 13,
        on_file_since: '2021-03-01',
      });
    });

    test('says how promptly it pays, quarter by quarter', () => {
      const content = commercial(lines, 'COMMERCIAL');
      const none = { payment_count: 0, payment_index: undefined };
      expect(content.commercial?.payment_quarters).toEqual([
        { quarter: '2026-Q1', payment_count: 3, payment_index: 80 },
        { quarter: '2025-Q4', payment_count: 3, payment_index: 40 },
        { quarter: '2025-Q3', payment_count: 2, payment_index: undefined },
        { quarter: '2025-Q2', ...none },
        { quarter: '2025-Q1', ...none },
        { quarter: '2024-Q4', ...none },
        { quarter: '2024-Q3', ...none },
        { quarter: '2024-Q2', ...none },
      ]);
      // Three at 80, three at 40 and the two that are under dispute at 80.
      expect(content.credit.payment_index).toBe(65);
    });

    test('says what it owes to whom, without naming anybody', () => {
      const content = commercial(lines, 'COMMERCIAL');
      expect(content.commercial?.exposure).toEqual([
        {
          institution_kind: 'FINANCE',
          currency: 'DCR',
          institution_count: 2,
          account_count: 3,
          granted: 3_000_000n,
          balance: 251_000n,
          past_due_balance: 250_000n,
          disputed_balance: 9_000n,
          worst_bucket: 'DPD_30',
        },
        {
          institution_kind: 'SUPPLIER',
          currency: 'DCR',
          institution_count: 1,
          account_count: 1,
          granted: 1_000_000n,
          balance: 70_000n,
          past_due_balance: 0n,
          disputed_balance: 0n,
          worst_bucket: 'CURRENT',
        },
        {
          institution_kind: 'LESSOR',
          currency: 'DCR',
          institution_count: 1,
          account_count: 1,
          granted: 1_000_000n,
          balance: 500_000n,
          past_due_balance: 0n,
          disputed_balance: 0n,
          worst_bucket: 'CURRENT',
        },
      ]);
      expect(contentJson(content)).not.toMatch(/"(south|west|east)"/);
      expect(contentCsv(content)).toMatch(/^EXPOSURE,,SUPPLIER,.*DCR/m);
      expect(contentCsv(content)).toMatch(/^PAYMENT_QUARTER,,2025-Q4,40,/m);
    });

    test('has that in a commercial report alone', () => {
      expect(commercial(lines, 'FULL').commercial).toBeUndefined();
      expect(contentJson(commercial(lines, 'FULL'))).not.toContain('exposure');
    });

    test('is drawn without any payment or account too', async () => {
      const empty = commercial([], 'COMMERCIAL');
      expect(empty.commercial?.exposure).toEqual([]);
      expect((await contentPdf(empty)).subarray(0, 5).toString()).toBe('%PDF-');
      expect((await contentPdf(commercial(lines, 'COMMERCIAL'))).length).toBeGreaterThan(10_000);
    });
  });
});

test('a CSV cell is text to a spreadsheet and never a formula', () => {
  const { subject, ...rest } = material({ accounts: [account()] });
  const content = buildContent({
    ...rest,
    subject: { ...subject, display_name: '=HYPERLINK("http://evil","x")', legal_name: 'A, "B"' },
  });
  const csv = contentCsv(content);
  expect(csv).toContain(',display_name,"\'=HYPERLINK(""http://evil"",""x"")",');
  expect(csv).toContain(',legal_name,"A, ""B""",');
  const lines = csv.split('\r\n');
  expect(lines.pop()).toBe('');
  const grid = lines.find((line) => line.startsWith('TRADE_LINE'));
  expect(grid).toContain(`,${'-'.repeat(24)},`);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['−1', "'−1"],
  ['﹦1', "'﹦1"],
  [' =1+1', "' =1+1"],
  ['\u200b=1+1', "'\u200b=1+1"],
  ['\u00a0=1+1', "'\u00a0=1+1"],
  ['\t1', "'\t1"],
  ['\r=1', '"\'\r\'=1"'],
  ['a;=1+1', "a;'=1+1"],
  ['a; ＝1+1', "a;' ＝1+1"],
  ['a,=1+1', '"a,\'=1+1"'],
  ['a\t=1+1', "a\t'=1+1"],
  ['a|@SUM', "a|'@SUM"],
  ['a\n=1+1', '"a\n\'=1+1"'],
  ['"=1+1"', '"\'""=1+1"""'],
  ['a;"=1+1"', '"a;\'""=1+1"""'],
  // What begins no formula stays as it is.
  ['a=b', 'a=b'],
  ['Smith-Jones; a co-op', 'Smith-Jones; a co-op'],
])('a CSV cell of %j is %j', (name, cell) => {
  const { subject, ...rest } = material({ accounts: [account()] });
  const content = buildContent({ ...rest, subject: { ...subject, display_name: name } });
  expect(contentCsv(content)).toContain(`SUBJECT,,display_name,${cell},`);
});

test('guarding a CSV cell takes time in proportion to its length', () => {
  const { subject, ...rest } = material({ accounts: [account()] });
  const long = buildContent({
    ...rest,
    subject: { ...subject, legal_name: ';  "'.repeat(50_000) },
  });
  const started_ms = performance.now();
  contentCsv(long);
  expect(performance.now() - started_ms).toBeLessThan(5_000);
});
