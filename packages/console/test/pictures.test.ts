import { Bar, Columns, Gauge, Trend, type TrendPoint } from '../src/pictures';

const gauge = (score: number | undefined) =>
  String(Gauge({ score, min: 300, max: 850, band: 'Good' }));
const arcsOf = (svg: string) => [...svg.matchAll(/ d="M ([\d. -]+) A [\d. ]+ ([\d.-]+ [\d.-]+)"/g)];

test('a gauge reaches from the left end to the score, and never beyond its ends', () => {
  const [track, value] = arcsOf(gauge(850));
  expect(value?.[2]).toBe(track?.[2]);
  expect(arcsOf(gauge(900))[1]?.[2]).toBe(track?.[2]);
  // The middle of the range is up.
  expect(arcsOf(gauge(575))[1]?.[2]).toBe('0.00 -90.00');
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
    expect(lineOf(svg)).toBe('M 3.0 45.0 L 61.5 24.0 L 237.0 3.0');
    expect(svg).toContain('aria-label="Health: from 0 on 2026-11-01 to 100 on 2026-11-05, of 100"');
  });

  test('of one day is a dot at its end, of none nothing', () => {
    expect(trend([{ day: '2026-11-01', value: 80 }])).toContain('cx="237.0"');
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
    '0.0',
    '2.0',
    '96.0',
  ]);
  expect(svg).toContain('aria-label="Events: 10050 in all, 10000 at most"');
  expect(svg).toContain('<title>1:00: 50</title>');
});
