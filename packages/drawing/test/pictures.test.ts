import fc from 'fast-check';
import {
  bar,
  columns,
  GRID_MARKS,
  gauge,
  gridMonths,
  type Mark,
  type Picture,
  paymentGrid,
  scoreLine,
  trend,
  type ZoneOf,
} from '../src';

const ZONES: readonly ZoneOf[] = [
  { zone: 'e', from: 300 },
  { zone: 'c', from: 600 },
  { zone: 'a', from: 800 },
];
const score = fc.integer({ min: 300, max: 850 });
const day = fc
  .integer({ min: 0, max: 3_000 })
  .map((days) => new Date(Date.UTC(2020, 0, 1 + days)).toISOString());

const marksOf = (picture: Picture | undefined): readonly Mark[] =>
  (picture?.groups ?? []).flatMap(({ marks }) => marks);
const ofRole = (picture: Picture | undefined, role: string) =>
  marksOf(picture).filter((mark) => mark.role === role);

/** The points that a mark goes through; of a path those that it names. */
function pointsOf(mark: Mark): { readonly x: number; readonly y: number }[] {
  if (mark.kind === 'rect') {
    const { x, y, width, height } = mark;
    return [
      { x, y },
      { x: x + width, y: y + height },
    ];
  }
  if (mark.kind !== 'path') return [{ x: mark.x, y: mark.y }];
  const points: { x: number; y: number }[] = [];
  let at = { x: 0, y: 0 };
  for (const [, command = '', given = ''] of mark.d.matchAll(/([MLHVA]) ([^MLHVA]*)/g)) {
    const [first = 0, ...rest] = given.trim().split(' ').map(Number);
    if (command === 'H') at = { ...at, x: first };
    else if (command === 'V') at = { ...at, y: first };
    else at = { x: rest.at(-2) ?? first, y: rest.at(-1) ?? 0 };
    points.push(at);
  }
  return points;
}

/** All that is drawn is within what is seen, and is a number. */
function expectInside(picture: Picture): void {
  for (const mark of marksOf(picture)) {
    for (const { x, y } of pointsOf(mark)) {
      expect(x).toBeGreaterThanOrEqual(picture.x - 0.01);
      expect(x).toBeLessThanOrEqual(picture.x + picture.width + 0.01);
      expect(y).toBeGreaterThanOrEqual(picture.y - 0.01);
      expect(y).toBeLessThanOrEqual(picture.y + picture.height + 0.01);
    }
  }
}

test('whatever is shown, nothing leaves its picture', () => {
  fc.assert(
    fc.property(
      fc.option(score, { nil: undefined }),
      fc.stringMatching(/^[0-5DW-]{1,36}$/),
      fc.array(fc.record({ calculated_at: day, score: fc.option(score) }), { maxLength: 20 }),
      fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 50 }),
      (rated, grid, scores, counts) => {
        expectInside(gauge({ score: rated, min: 300, max: 850, band: 'Good', zones: ZONES }));
        expectInside(gauge({ score: rated, min: 300, max: 850, band: 'Good' }));
        expectInside(paymentGrid(grid, '2026-11-28T00:00:00Z'));
        const newest_first = [...scores].sort((a, b) =>
          a.calculated_at < b.calculated_at ? 1 : -1,
        );
        const until = '2029-01-01T00:00:00Z';
        for (const more of [undefined, { width: 500, height: 106, until }]) {
          const line = scoreLine(newest_first, more);
          expect(line === undefined).toBe(scores.every((past) => past.score === null));
          if (line !== undefined) expectInside(line);
        }
        const counted = columns(
          'Events',
          counts.map((value) => ({ at: 'then', value })),
        );
        expect(counted === undefined).toBe(counts.every((value) => value === 0));
        if (counted !== undefined) expectInside(counted);
        const points = counts.map((value, index) => ({
          day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
          value: value % 101,
        }));
        const trended = trend('Health', 100, points);
        if (trended === undefined) throw new Error('no trend');
        expectInside(trended);
        expectInside(bar({ name: 'Part', value: counts[0] ?? 0, max: 100 }));
      },
    ),
  );
});

test('what is bad stands on top of what is not, and is told of in words', () => {
  const picture = columns(
    'Deliveries',
    [
      { at: '0:00', value: 60, bad: 20 },
      { at: '1:00', value: 80, bad: 0 },
      { at: '2:00', value: 0, bad: 1 },
    ],
    'attempts failed',
  );
  const bars = marksOf(picture).flatMap((mark) =>
    mark.kind === 'rect' ? [[mark.role, mark.y, mark.height]] : [],
  );
  expect(bars).toEqual([
    ['bar-value', 24, 72],
    ['bar-bad', 0, 24],
    ['bar-value', 0, 96],
    ['bar-value', 96, 0],
    ['bar-bad', 94, 2],
  ]);
  expect(picture?.says).toBe('Deliveries: 140 in all, and 21 attempts failed, 80 at most');
  expect(picture?.groups[1]?.title).toBe('0:00: 20 attempts failed');
});

test('zones lie one after the other around the gauge, each under its letter', () => {
  const picture = gauge({ score: 712, min: 300, max: 850, band: 'Good', zones: ZONES });
  const ends = ZONES.map(({ zone }) => {
    const [mark] = ofRole(picture, `gauge-zone-${zone}`);
    const [from, to] = mark === undefined ? [] : pointsOf(mark);
    return [from?.x ?? 0, to?.x ?? 0] as const;
  });
  expect(ends.flat()).toEqual([...ends.flat()].sort((a, b) => a - b));
  const letters = ofRole(picture, 'gauge-zone-letter').flatMap((mark) =>
    mark.kind === 'text' ? [mark.text] : [],
  );
  expect(letters).toEqual(['E', 'C', 'A']);
});

test('a grid lays its months out in rows, the newest first, and tells what each was', () => {
  const layout = { columns: 24, width: 14, height: 10, gap: 1.5, label: 0, radius: 0 };
  const picture = paymentGrid('01D', '2026-01-15T00:00:00Z', layout);
  expect(picture.groups.map(({ title, tone }) => [title, tone])).toEqual([
    ['January 2026: Kept', 'good'],
    ['December 2025: Late by 1 to 29 days', 'warn'],
    ['November 2025: In default', 'bad'],
  ]);
  expect(marksOf(picture).flatMap((mark) => (mark.kind === 'rect' ? [mark.x] : []))).toEqual([
    0, 15.5, 31,
  ]);
  expect(ofRole(picture, 'grid-month')).toEqual([]);
  const two_rows = paymentGrid('0'.repeat(13), '2026-01-15T00:00:00Z');
  const months = ofRole(two_rows, 'grid-month').map((mark) => mark.kind === 'text' && mark.text);
  expect([months[0], months[1], months[12]]).toEqual(['Jan', '2025', 'Jan']);
});

test('every mark that a grid can have is explained, and one that is none says itself', () => {
  expect([...GRID_MARKS.keys()].join('')).toBe('012345DW-');
  expect(gridMonths('?', '2026-01-15T00:00:00Z')[0]?.meaning).toMatchObject({
    says: '?',
    tone: 'none',
  });
});

test('a score line holds the newest score until it ends', () => {
  const scores = [
    { calculated_at: '2026-03-01T00:00:00Z', score: 700 },
    { calculated_at: '2026-01-01T00:00:00Z', score: 600 },
  ];
  const until = '2026-05-01T00:00:00Z';
  const line = scoreLine(scores, { width: 400, height: 140, until });
  const [steps] = ofRole(line, 'score-line-steps');
  const points = steps === undefined ? [] : pointsOf(steps);
  expect(points.at(-1)?.x).toBe(392);
  expect(points.at(-1)?.y).toBe(points.at(-2)?.y);
  expect(points.at(-2)?.x).toBeLessThan(300);
  const labels = ofRole(line, 'score-line-label').flatMap((mark) =>
    mark.kind === 'text' ? [mark.text] : [],
  );
  expect(labels).toEqual([
    '550',
    '600',
    '650',
    '700',
    '750',
    '1 Jan 2026',
    '2 Mar 2026',
    '1 May 2026',
  ]);
});
