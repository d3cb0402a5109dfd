import type { Figures } from './figures';
import { readNetwork } from './network';
import { type Plan, planOf } from './plan';

const cost = { rate: 1, cores: 1, cases: [] };
/** Easy to reckon with. */
const FIGURES: Figures = {
  event: { ...cost, services_ms: 2, database_ms: 1.5 },
  batched_event: { ...cost, services_ms: 0.1, database_ms: 0.05 },
  profile: { ...cost, services_ms: 2, database_ms: 3 },
  delivery: { ...cost, services_ms: 1, database_ms: 0.5 },
  recalculated: 20_000,
};
const POOLS = { identity: 14, reporting: 16, scoring: 16, disputes: 8, webhooks: 12 };

function plan(given: Readonly<Record<string, string>>): Plan {
  return planOf(readNetwork(given), FIGURES, POOLS);
}

/** Of a million subjects with three accounts each, and a year of a million events a day. */
const REPORTING_GB = 184.23;
const SCORING_GB = 479.685;
const IDENTITY_GB = 251.1;

/** A network of events alone. */
const EVENTS_ALONE = {
  subjects: '1e6',
  'reads-per-subject': '0',
  'deliveries-per-event': '0',
  years: '0',
};

describe('planOf', () => {
  it('goes from rates to cores and pods', () => {
    const made = plan({ ...EVENTS_ALONE, 'events-per-second': '1200' });
    expect(made.events_a_day).toBe(8_640_000);
    expect(made.database_cores).toBeCloseTo(1.8, 9);
    // 2.4 cores: 40, 15, 40 and 5 % of them, each filled to three quarters.
    expect(made.pods).toEqual({
      gateway: 2,
      identity: 2,
      reporting: 2,
      scoring: 2,
      webhooks: 2,
      disputes: 2,
    });
    const larger = plan({ ...EVENTS_ALONE, 'events-per-second': '6000' });
    expect(larger.pods).toMatchObject({ gateway: 7, identity: 3, reporting: 7, scoring: 2 });
    expect(larger.layout).toEqual({ kind: 'one_server' });
    // 9 busy cores, at three quarters, three times.
    expect(larger.database_cores_bought).toBe(36);
  });

  it('counts batches, profiles and webhooks by what each costs', () => {
    const made = plan({
      subjects: '31536000',
      'events-per-second': '1000',
      'batch-share': '0.9',
      'reads-per-subject': '1',
      'deliveries-per-event': '0.5',
      years: '0',
    });
    expect(made.profiles_a_second).toBeCloseTo(12, 9);
    // 100 single, 900 batched, 12 profiles, 500 webhooks.
    expect(made.database_cores).toBeCloseTo(0.15 + 0.045 + 0.036 + 0.25, 9);
    expect(made.recalculation_core_hours).toBeCloseTo(0.438, 9);
  });

  it('goes from rows to disks, archive and restore', () => {
    const made = plan({
      subjects: '1000000',
      'events-per-second': '138.88888888888889',
      'accounts-per-subject': '3',
      'reads-per-subject': '0',
      years: '1',
    });
    expect(made.events_a_day).toBeCloseTo(1e6, 6);
    expect(made.disk_gb.reporting).toBeCloseTo(REPORTING_GB, 6);
    expect(made.disk_gb.scoring).toBeCloseTo(SCORING_GB, 6);
    expect(made.disk_gb.identity).toBeCloseTo(IDENTITY_GB, 6);
    expect(made.nats_gb).toBeCloseTo((1e6 * 3 * 14 * 448) / 1e9, 6);
    const total = REPORTING_GB + SCORING_GB + IDENTITY_GB;
    expect(made.archive_gb).toBeCloseTo(30 * total + 30, 6);
    expect(made.restore_hours).toBeCloseTo((total * 1000) / 250 / 3600, 6);
  });

  it('goes from what is bought to costs, by the given prices', () => {
    const made = plan({
      ...EVENTS_ALONE,
      'events-per-second': '0',
      'accounts-per-subject': '0',
      'price-core-hour': '0.1',
      'price-disk-gb-month': '1',
      'price-archive-gb-month': '0.5',
    });
    // Twelve pods, and three servers of four cores.
    expect(made.costs.cores).toBeCloseTo(24 * 730 * 0.1, 6);
    // A million subjects alone: 3 GB in reporting, 0.672 GB in scoring.
    expect(made.costs.disk).toBeCloseTo(3 * 3.672, 6);
    expect(made.costs.archive).toBeCloseTo(30 * 3.672 * 0.5, 6);
  });

  it('takes a server per service when one is too large, and cells when that is', () => {
    const filled = { subjects: '100e6', 'events-per-second': '100', 'reads-per-subject': '0' };
    const gb = plan(filled).disk_gb;
    const total = gb.reporting + gb.scoring + gb.identity;
    const largest = Math.max(gb.reporting, gb.scoring, gb.identity);
    const layout = (disk: number) =>
      plan({ ...filled, 'server-disk-gb': `${disk}`, 'restore-hours': '1000' }).layout;
    expect(layout(total + 1)).toEqual({ kind: 'one_server' });
    expect(layout(total - 1)).toEqual({ kind: 'per_service' });
    expect(layout(largest + 1)).toEqual({ kind: 'per_service' });
    expect(layout(largest - 1)).toEqual({ kind: 'cells', cells: 2 });
    expect(layout(largest / 4.5)).toEqual({ kind: 'cells', cells: 5 });
  });

  it('has 16 cores carry 8,000 single events a second, and no more', () => {
    const layout = (rate: string) => plan({ ...EVENTS_ALONE, 'events-per-second': rate }).layout;
    const roomy = (rate: string) =>
      plan({ ...EVENTS_ALONE, 'events-per-second': rate, 'restore-hours': '1000' }).layout;
    expect(roomy('8000')).toEqual({ kind: 'one_server' });
    expect(roomy('8001')).toEqual({ kind: 'cells', cells: 2 });
    expect(roomy('50000')).toEqual({ kind: 'cells', cells: 7 });
    expect(layout('1')).toEqual({ kind: 'one_server' });
  });

  it('gives each cell pods and servers of its own', () => {
    const made = plan({
      ...EVENTS_ALONE,
      'events-per-second': '16000',
      'restore-hours': '1000',
    });
    expect(made.layout).toEqual({ kind: 'cells', cells: 2 });
    expect(made.pods.disputes).toBe(4);
    // 32 cores at 40 %, three quarters full, in two cells: 9 each.
    expect(made.pods.gateway).toBe(18);
    // In each 16 for reporting and 4 for each of the others, three times.
    expect(made.database_cores_bought).toBe(2 * 3 * (16 + 4 * 4));
  });
});

describe('what breaks first', () => {
  it('is what is used most of what there is of it', () => {
    const { bounds } = plan({ ...EVENTS_ALONE, 'events-per-second': '1000' });
    const used = bounds.map((bound) => bound.used / bound.limit);
    expect(used).toEqual([...used].sort((a, b) => b - a));
    // 7.2 million events a day, of 14 days: 3 messages each of 448 bytes.
    expect(bounds[0]).toMatchObject({ what: 'store of NATS', limit: 40, unit: 'GB' });
    expect(bounds[0]?.used).toBeCloseTo(135.4752, 6);
    expect(bounds[0]?.reached_at).toBeCloseTo(40_000 / 135.4752, 6);
  });

  it('counts connections by the pods that are busy', () => {
    const { bounds } = plan({ ...EVENTS_ALONE, 'events-per-second': '750' });
    const connections = bounds.find(({ unit }) => unit === 'connections');
    // 2 cores at three quarters are 2 pods: 15 % of 14, 40 % of 16, 5 % of 16.
    expect(connections?.used).toBeCloseTo(2 * (0.15 * 14 + 0.4 * 16 + 0.05 * 16), 9);
    expect(connections?.limit).toBe(500);
  });

  it('is never reached by who reports nothing', () => {
    const { bounds } = plan({ ...EVENTS_ALONE, 'events-per-second': '0' });
    expect(new Set(bounds.map(({ reached_at }) => reached_at))).toEqual(new Set([undefined]));
  });
});
