import { readFileSync, writeFileSync } from 'node:fs';
import { type Measured, readResults } from './measured';
import { RESULTS_PAGE, renderResults } from './results';

// UPDATE_GOLDEN=1 writes it. docs/SCALING.md follows from the same results: capacity/page.test.ts.
it('has in RESULTS.md what the kept results say', () => {
  const made = renderResults(readResults());
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(RESULTS_PAGE, made);
  expect(readFileSync(RESULTS_PAGE, 'utf8')).toBe(made);
});

it('shows the best round of a rate, and of what costs the least', () => {
  const measured = (more: Partial<Measured>): Measured => ({
    name: 'x',
    title: 'Work',
    unit: 'calls',
    limit_name: 'less work',
    measured_on: '2026-01-01',
    node: 'v24',
    cpus: 2,
    rounds: [
      { system: 100.4, limit: 200, ratio: 0.5, p50_ms: 3, p99_ms: 9 },
      { system: 120, limit: 150, ratio: 0.8, p50_ms: 4, p99_ms: 8 },
    ],
    median_ratio: 0.65,
    lowest_ratio: 0.5,
    highest_ratio: 0.8,
    ...more,
  });
  const cells = (more: Partial<Measured>) =>
    (
      renderResults([measured(more)])
        .split('\n')
        .at(-2) ?? ''
    )
      .split('|')
      .map((cell) => cell.trim());
  expect(cells({ target: 0.6 })).toEqual([
    '',
    'Work',
    'less work',
    '**65.0 %** (50.0 % to 80.0 %)',
    '60.0 %',
    '120 against 200 calls',
    '3.5 / 8.5 ms',
    '2026-01-01, 2 cores, Node v24',
    '',
  ]);
  const rounds = [
    { system: 2.5, limit: 5, ratio: 0.5 },
    { system: 2.25, limit: 4, ratio: 0.5625 },
  ];
  expect(cells({ measure: 'processor', target: 0.5, unit: 'ms', rounds })).toMatchObject({
    4: 'at most 50.0 %',
    5: '2.25 against 4.00 ms',
    6: '',
  });
  expect(cells({})[4]).toBe('');
});
