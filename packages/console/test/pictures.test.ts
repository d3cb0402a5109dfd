import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TrendPoint } from '@credit/drawing';
import { Bar, Columns, Gauge, PaymentGrid, ScoreLine, Trend } from '../src/pictures';

const gauge = (score: number | undefined) =>
  String(Gauge({ score, min: 300, max: 850, band: 'Good' }));
const arcsOf = (svg: string) => [...svg.matchAll(/ d="M ([\d. -]+) A [\d. ]+ ([\d.-]+ [\d.-]+)"/g)];

test('a gauge reaches from the left end to the score, and never beyond its ends', () => {
  const [track, value] = arcsOf(gauge(850));
  expect(value?.[2]).toBe(track?.[2]);
  expect(arcsOf(gauge(900))[1]?.[2]).toBe(track?.[2]);
  // The middle of the range is up.
  expect(arcsOf(gauge(575))[1]?.[2]).toBe('0 -90');
  expect(arcsOf(gauge(300))[1]?.[2]).toBe(track?.[1]);
});

test('a gauge says in words what it shows', () => {
  expect(gauge(712)).toContain('aria-label="712 of 300 to 850: Good"');
  expect(gauge(undefined)).toContain('aria-label="Not rated"');
  expect(arcsOf(gauge(undefined))).toHaveLength(1);
});

test.each([
  [0, 0, '0'],
  [5, 0, '0'],
  [33, 132, '25'],
  [200, 100, '100'],
  [-1, 100, '0'],
])('a bar of %d of %d is %s %% wide', (value, max, width) => {
  const svg = String(Bar({ value, max, name: 'Mix <1>' }));
  expect(svg).toContain(`class="bar-value" x="0" y="0" width="${width}"`);
  expect(svg).toContain('Mix &lt;1&gt;');
});

describe('a trend', () => {
  const trend = (points: readonly TrendPoint[]) =>
    String(Trend({ name: 'Health', max: 100, points }));
  const lineOf = (svg: string) => /class="trend-line" d="([^"]+)"/.exec(svg)?.[1];

  test('goes from its first day to its last, days apart as they were', () => {
    const svg = trend([
      { day: '2026-11-01', value: 0 },
      { day: '2026-11-02', value: 50 },
      { day: '2026-11-05', value: 100 },
    ]);
    expect(lineOf(svg)).toBe('M 3 45 L 61.5 24 L 237 3');
    expect(svg).toContain('aria-label="Health: from 0 on 2026-11-01 to 100 on 2026-11-05, of 100"');
  });

  test('of one day is a dot at its end, of none nothing', () => {
    expect(trend([{ day: '2026-11-01', value: 80 }])).toContain('cx="237"');
    expect(trend([])).toBe('null');
  });
});

test('columns are as tall as their counts, and what is not nothing is seen', () => {
  const svg = String(
    Columns({
      name: 'Events',
      of: [0, 50, 10_000].map((value, hour) => ({ at: `${hour}:00`, value })),
    }),
  );
  expect([...svg.matchAll(/ height="([\d.]+)"/g)].map(([, tall]) => tall)).toEqual([
    '0',
    '2',
    '96',
  ]);
  expect(svg).toContain('aria-label="Events: 10050 in all, 10000 at most"');
  expect(svg).toContain('<title>1:00: 50</title>');
});

describe('the payment grid', () => {
  const grid = (marks: string) =>
    String(PaymentGrid({ grid: marks, until: '2026-02-28T12:00:00Z' }));

  test('says in a sentence what it shows, and in a table of every month', () => {
    const svg = grid('0-D1');
    expect(svg).toContain(
      'aria-label="Payments, the newest month first: 1 month kept, 1 month nothing known, 1 month in default, 1 month late by 1 to 29 days"',
    );
    const rows = [...svg.matchAll(/<td>([^<]+)<\/td>/g)].map(([, text]) => text);
    expect(rows).toEqual([
      'February 2026',
      '0',
      'Kept',
      'January 2026',
      '-',
      'Nothing known',
      'December 2025',
      'D',
      'In default',
      'November 2025',
      '1',
      'Late by 1 to 29 days',
    ]);
  });
});

describe('the score line', () => {
  const line = (...scores: (readonly [string, number | null])[]) =>
    String(
      ScoreLine({ scores: scores.map(([calculated_at, score]) => ({ calculated_at, score })) }),
    );
  const stepsOf = (svg: string) => /class="score-line-steps" d="([^"]+)"/.exec(svg)?.[1];

  test('holds each score until the next, and says from where to where it went', () => {
    const svg = line(
      ['2026-03-31T00:00:00Z', 700],
      ['2026-01-30T00:00:00Z', 650],
      ['2026-01-01T00:00:00Z', 600],
    );
    expect(svg).toContain(
      'aria-label="The score from 600 on 1 Jan 2026 to 700 on 31 Mar 2026, between 600 and 700"',
    );
    expect(stepsOf(svg)).toMatch(/^M 28 [\d.]+ H [\d.]+ V [\d.]+ H 392 V [\d.]+ H 392$/);
  });

  test('leaves out what was not rated, and is no picture of nothing', () => {
    expect(line(['2026-03-31T00:00:00Z', null])).toBe('null');
    expect(stepsOf(line(['2026-03-31T00:00:00Z', 850], ['2026-03-30T00:00:00Z', null]))).toMatch(
      /^M 392 [\d.]+ H 392$/,
    );
  });
});

// A change of a picture shows in review as a change of its file. UPDATE_GOLDEN=1 writes it anew: open
// it in a browser then, with static/console.css beside it.
test.each([
  ['gauge', () => gauge(712)],
  ['gauge-not-rated', () => gauge(undefined)],
  ['bar', () => Bar({ name: 'On time', value: 41, max: 60 })],
  ['grid', () => PaymentGrid({ grid: '0001100-2345DW00--------', until: '2026-11-28T00:00:00Z' })],
  [
    'score-line',
    () =>
      ScoreLine({
        scores: [
          { calculated_at: '2026-11-28T10:00:00Z', score: 655 },
          { calculated_at: '2026-09-01T10:00:00Z', score: 601 },
          { calculated_at: '2026-06-15T10:00:00Z', score: 689 },
          { calculated_at: '2026-01-10T10:00:00Z', score: null },
        ],
      }),
  ],
])('the picture %s is as it was', (name, draw) => {
  const folder = path.join(__dirname, 'golden');
  const file = path.join(folder, `${name}.svg`);
  const [svg = ''] = /<svg[\s\S]*<\/svg>/.exec(String(draw())) ?? [];
  const made = `${svg.replaceAll('><', '>\n<')}\n`;
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, made);
  }
  expect(made).toBe(readFileSync(file, 'utf8'));
});
