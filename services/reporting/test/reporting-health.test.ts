import { type HealthFigures, healthOf } from '../src/domain/reporting-health';

const nothing: HealthFigures = {
  events: 0n,
  timely_events: 0n,
  correction_halves: 0n,
  submitted: 0n,
  rejected: 0n,
  accounts: 0n,
  covered_accounts: 0n,
  open_accounts: 0n,
  fresh_accounts: 0n,
  corrected_disputes: 0n,
};

const perfect: HealthFigures = {
  events: 100n,
  timely_events: 100n,
  correction_halves: 0n,
  submitted: 100n,
  rejected: 0n,
  accounts: 100n,
  covered_accounts: 100n,
  open_accounts: 80n,
  fresh_accounts: 80n,
  corrected_disputes: 0n,
};

test('there is no grade without data', () => {
  expect(healthOf(nothing)).toMatchObject({ score: undefined, grade: undefined });
});

test.each<[Partial<HealthFigures>, number, string]>([
  [{}, 100, 'A'],
  [{ timely_events: 60n }, 90, 'A'],
  [{ timely_events: 0n }, 75, 'C'],
  [{ timely_events: 0n, fresh_accounts: 0n }, 50, 'F'],
  [{ correction_halves: 200n }, 85, 'B'],
  // Halves: of a hundred events, twenty corrections before any dispute.
  [{ correction_halves: 20n }, 98, 'A'],
  [{ rejected: 100n }, 85, 'B'],
  [{ corrected_disputes: 5n }, 90, 'A'],
  [{ corrected_disputes: 50n }, 90, 'A'],
  [{ covered_accounts: 0n, timely_events: 0n }, 65, 'D'],
])('%j gives %i, %s', (figures, score, grade) => {
  expect(healthOf({ ...perfect, ...figures })).toMatchObject({ score, grade });
});

test('a measure without data weighs nothing', () => {
  const { score, metrics } = healthOf({ ...nothing, accounts: 4n, covered_accounts: 2n });
  // Disputes 10 x 100 % and coverage 10 x 50 %.
  expect(score).toBe(75);
  expect(metrics[0]).toMatchObject({ name: 'TIMELINESS', value: undefined });
});
