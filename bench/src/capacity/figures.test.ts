import type { Measured } from '../measured';
import { figuresOf, SHARES } from './figures';

function measured(name: string, cpus: number, rates: readonly [number, number][]): Measured {
  const rounds = rates.map(([system, limit]) => ({ system, limit, ratio: system / limit }));
  const about = { title: name, unit: 'events', limit_name: '', target: 1 };
  const ratios = { median_ratio: 1, lowest_ratio: 1, highest_ratio: 1 };
  return { name, cpus, rounds, measured_on: '2026-01-01', node: 'v24', ...about, ...ratios };
}

const RESULTS = [
  measured('telemetry-cost', 2, [
    [250, 900],
    [500, 800],
  ]),
  measured('single-event', 2, [[1000, 900]]),
  measured('bulk-events', 4, [[20_000, 80_000]]),
  measured('profile-read', 2, [
    [100, 400],
    [120, 300],
  ]),
  measured('webhook-deliveries', 2, [[1000, 2000]]),
  measured('recalculation', 2, [[25_000, 20_000]]),
];

describe('figuresOf', () => {
  it('takes the best round of each, for one core', () => {
    const { event, batched_event, profile, delivery, recalculated } = figuresOf(RESULTS);
    expect(event).toMatchObject({ services_ms: 2, database_ms: 1.5, rate: 1000, cores: 2 });
    expect(batched_event).toMatchObject({ services_ms: 0.2, database_ms: 0.05, rate: 20_000 });
    expect(profile).toMatchObject({ services_ms: 2, database_ms: 5, rate: 120 });
    expect(delivery).toMatchObject({ services_ms: 2, database_ms: 1 });
    expect(recalculated).toBe(25_000);
  });

  it('names what was not measured', () => {
    const others = RESULTS.filter(({ name }) => name !== 'profile-read');
    expect(() => figuresOf(others)).toThrow(
      'bench/results/profile-read.json is missing: npm run bench -- profile-read',
    );
  });
});

it('divides all of a request between the services', () => {
  const sum = (of: 'profile' | 'event') =>
    Object.values(SHARES).reduce((total, share) => total + share[of], 0);
  expect([sum('profile'), sum('event')]).toEqual([100, 100]);
});
