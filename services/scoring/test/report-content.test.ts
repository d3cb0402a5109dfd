import { contentCsv } from '../src/documents/csv';
import { contentJson } from '../src/documents/json';
import { buildContent } from '../src/domain/report-content';
import { account, card, daysAgo, inquiry, TODAY } from './model/facts-for-tests';
import { at, event, look, material } from './support/report-material';

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
            { account_id: 'a1', external_account_id: null, events: [] },
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
      ['A1', 'Institution A', null, null],
      ['A2', 'Institution B', null, null],
      ['A3', 'Institution A', null, null],
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
        { accounts: [{ account_id: 'a1', external_account_id: null, events: flags }] },
      ),
    );
    expect(disputes).toEqual([
      { account: 'A1', opened_at: flags[0]?.occurred_at, resolved_at: flags[3]?.occurred_at },
      { account: 'A1', opened_at: flags[5]?.occurred_at, resolved_at: null },
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

  test('of an organisation says how promptly it pays', () => {
    const paid = [30, 60, 90].map((days) => ({
      day: daysAgo(days),
      amount_minor: 10_000n,
      days_past_due: 0,
    }));
    const content = buildContent(
      material(
        { subject_type: 'ORGANISATION', accounts: [account({ payment_days: paid })] },
        { report: { report_type: 'COMMERCIAL' } },
      ),
    );
    expect(content.credit.payment_index).toBe(80);
    expect(content.notice).toContain('ACCOUNT_REVIEW');
    expect(content.report.model_version).toBe('svc-score-1.0.0');
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
  expect(performance.now() - started_ms).toBeLessThan(500);
});
