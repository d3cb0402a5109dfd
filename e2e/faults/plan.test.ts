import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { CRASH_POINTS } from './crash-points';
import { type Entry, Journal, readJournal } from './journal';
import { PATH_FAULTS } from './paths';
import { drawRun } from './picture';
import {
  CALM_MS,
  type Fault,
  kindsFor,
  lengthOf,
  makePlan,
  makePlanOfSeeds,
  makeRotationPlan,
  makeUpgradePlan,
  nameOf,
  RECEIVER_FAULTS,
  SERVICES,
  stepsOf,
} from './plan';
import { costOf, figuresOf } from './recovery';
import { topologyOf } from './store-plan';
import { type Cost, targetsOf } from './targets';
import type { Timed } from './timed';

const seeds = fc.nat({ max: 1_000_000 });

function firstSteps(seed: number, worker: number) {
  const steps = stepsOf(seed, worker);
  return Array.from({ length: 200 }, () => steps.next().value);
}

test('a seed makes one plan, and another seed another', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      expect(makePlan(seed, 90_000)).toEqual(makePlan(seed, 90_000));
      expect(makePlan(seed, 90_000)).not.toEqual({ ...makePlan(seed + 1, 90_000), seed });
      expect(firstSteps(seed, 1)).toEqual(firstSteps(seed, 1));
      expect(firstSteps(seed, 1)).not.toEqual(firstSteps(seed, 2));
    }),
    { numRuns: 30 },
  );
});

test('faults come after a calm, one after another, and before the end', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 20_000, max: 1_200_000 }), (seed, duration_ms) => {
      let free_ms = CALM_MS;
      for (const { at_ms, fault } of makePlan(seed, duration_ms).faults) {
        expect(at_ms).toBeGreaterThanOrEqual(free_ms);
        expect(at_ms).toBeLessThan(duration_ms);
        free_ms = at_ms + lengthOf(fault);
      }
    }),
    { numRuns: 30 },
  );
});

test('a long run has every kind of fault', () => {
  const kindsOf = (seed: number) =>
    new Set(makePlan(seed, 20 * 60_000).faults.map(({ fault }) => fault.kind));
  const [alone, paired, clustered, whole] = [0, 1, 2, 3].map(kindsOf);
  const of_pairs = ['failover', 'standby_lost', 'standby_lags'];
  const of_clusters = ['nats_leader_kill', 'nats_node_cut', 'nats_node_wipe'];
  expect(paired).toEqual(new Set([...(alone ?? []), ...of_pairs]));
  expect(clustered).toEqual(new Set([...(alone ?? []), ...of_clusters]));
  expect(whole).toEqual(new Set([...(alone ?? []), ...of_pairs, ...of_clusters]));
});

test('among the first twenty seeds of 90 s is each kind of fault and each way to break a path', () => {
  const faults = Array.from({ length: 20 }, (_, index) => makePlan(index + 1, 90_000)).flatMap(
    (plan) => plan.faults.map(({ fault }) => fault),
  );
  const drawn = (what: (fault: Fault) => string | undefined) => new Set(faults.map(what));
  const isUndrawn =
    (among: ReadonlySet<string | undefined>) =>
    (name: string): boolean =>
      !among.has(name);
  const kinds = drawn(({ kind }) => kind);
  const wanted = [0, 1, 2, 3].flatMap((seed) => kindsFor(topologyOf(seed)));
  expect(wanted.filter(isUndrawn(kinds))).toEqual([]);
  const paths = drawn((fault) => (fault.kind === 'path' ? fault.how : undefined));
  expect(PATH_FAULTS.filter(isUndrawn(paths))).toEqual([]);
  const both = drawn((fault) => (fault.kind === 'path' ? fault.replicas.join('+') : undefined));
  expect(['1', '2', '1+2'].filter(isUndrawn(both))).toEqual([]);
  const killed = drawn((fault) => (fault.kind === 'kill_both' ? fault.service : undefined));
  expect(['gateway'].filter(isUndrawn(killed))).toEqual([]);
  const lies = drawn((fault) => (fault.kind === 'receiver' ? fault.how : undefined));
  expect(RECEIVER_FAULTS.filter(isUndrawn(lies))).toEqual([]);
});

test('each crash point has its turn in a run of nothing else', () => {
  const { faults } = makePlan(3, 300_000, ['crash_at']);
  const points = faults.map(({ fault }) => fault.kind === 'crash_at' && fault.point);
  expect(points.slice(0, CRASH_POINTS.length).sort()).toEqual([...CRASH_POINTS]);
});

test('several seeds are one plan, the later ones after the first', () => {
  const [first, second] = [makePlan(1, 45_000), makePlan(5, 45_000)];
  const both = makePlanOfSeeds([1, 5], 45_000);
  expect(both.faults.map(({ fault }) => fault)).toEqual(
    [...first.faults, ...second.faults].map(({ fault }) => fault),
  );
  expect(both.duration_ms).toBe(90_000 - CALM_MS);
  const times = both.faults.map(({ at_ms }) => at_ms);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(() => makePlanOfSeeds([1, 2], 45_000)).toThrow('another topology');
});

test('an upgrade renews each service once, all of them in time', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { duration_ms, faults } = makeUpgradePlan(seed, 240_000);
      const renewed = faults.map(({ fault }) => 'service' in fault && fault.service);
      expect(renewed.sort()).toEqual([...SERVICES].sort());
      for (const { at_ms } of faults) expect(at_ms).toBeLessThan(duration_ms);
    }),
    { numRuns: 30 },
  );
});

test('only what is wanted comes', () => {
  const { faults } = makePlan(1, 300_000, ['path']);
  expect(new Set(faults.map(({ fault }) => fault.kind))).toEqual(new Set(['path']));
});

test('a run of rotations has each secret once, and ends with the last of them', () => {
  const plan = makeRotationPlan(1, 60_000);
  expect(plan.ends_with_faults).toBe(true);
  expect(plan.faults.map(({ fault }) => nameOf(fault))).toEqual([
    'rotate database',
    'rotate webhooks',
    'rotate factors',
    'rotate console',
    'rotate audit',
    'rotate certificates',
    'rotate authority',
  ]);
});

const request = (id: number, at_ms: number, took_ms: number, status: number): Entry[] => [
  {
    t: 'sent',
    id,
    at_ms,
    gateway: 0,
    method: 'GET',
    path: '/x',
    intent: { kind: 'other', operation: `${id}` },
  },
  { t: 'got', id, at_ms: at_ms + took_ms, status, text: '' },
];

const entries: Entry[] = [
  {
    t: 'run',
    seed: 1,
    duration_ms: 20_000,
    topology: topologyOf(1),
    faults: [{ at_ms: 12_000, fault: { kind: 'kill', service: 'scoring', replica: 1 } }],
  },
  ...Array.from({ length: 200 }, (_, n) => request(n, n * 100, 10, 201)).flat(),
  { t: 'fault', at_ms: 12_000, number: 0, phase: 'begins' },
  { t: 'fault', at_ms: 13_000, number: 0, phase: 'ends' },
  ...request(901, 12_100, 100, 500),
  ...request(902, 14_000, 1_000, 0),
  ...request(903, 15_000, 400, 201),
];

test('a fault is measured by what it failed and for how long, beside the calm before it', () => {
  const { calm, faults } = figuresOf(entries);
  expect(calm).toMatchObject({ failed: 0, p50_ms: 10, p99_ms: 10 });
  expect(calm.per_second).toBeCloseTo(10, 0);
  expect(faults).toMatchObject([
    {
      name: 'kill scoring 1',
      lasted_ms: 1_000,
      failed: 2,
      in_hand: 0,
      failing_for_ms: 2_000,
      slow_for_ms: 2_400,
      p99_ratio: 40,
      targets: [
        { at_most: 0, was: 2, reached: false },
        { at_most: 3_000, was: 2_400, reached: true },
      ],
    },
  ]);
});

const period = { began_ms: 1_000, ended_ms: 3_000, until_ms: 20_000 };

type Write = readonly [number, number, 'answered' | 'failed'];

const timedWrite = ([sent_ms, got_ms, outcome]: Write): Timed => ({
  sent_ms,
  got_ms,
  outcome,
  is_write: true,
  took_ms: got_ms - sent_ms,
});

const costOfWrites = (writes: readonly Write[]) => costOf(writes.map(timedWrite), period, 1_500);

const some = costOfWrites([
  [500, 600, 'answered'],
  [900, 1_100, 'failed'],
  // An answer to what was sent before the last failure does not count.
  [4_000, 4_100, 'answered'],
  [6_000, 8_000, 'answered'],
  [5_000, 12_000, 'failed'],
  // After the next fault began.
  [19_000, 22_000, 'failed'],
]);
const none = costOfWrites([]);

test('a fault is told what it cost by when requests were sent and ended', () => {
  expect(some).toEqual({
    failed: 2,
    in_hand: 1,
    failing_for_ms: 9_000,
    slow_for_ms: 5_000,
    writes_again: { since_begin_ms: 7_000, since_end_ms: 5_000 },
  });
  expect(costOfWrites([[1_500, 1_600, 'failed']]).writes_again).toBeUndefined();
  const of_the_one_before = [timedWrite([500, 1_100, 'failed'])];
  expect(costOf(of_the_one_before, { ...period, before_ms: 600 }, 1_500).failed).toBe(0);
  expect(costOf(of_the_one_before, { ...period, before_ms: 400 }, 1_500).failed).toBe(1);
  const late = costOfWrites([
    [1_500, 1_600, 'failed'],
    [21_000, 22_000, 'answered'],
  ]);
  expect(late.writes_again?.since_end_ms).toBe(19_000);
});

test.each<[Fault, Cost, (number | undefined)[], boolean]>([
  [{ kind: 'failover', how: 'killed' }, some, [7_000], true],
  [{ kind: 'postgres_kill' }, some, [5_000], true],
  [{ kind: 'postgres_stop' }, none, [undefined], false],
  [{ kind: 'nats_wipe' }, some, [2], false],
  [{ kind: 'cut', for_ms: 1, link: 'nats' }, none, [0], true],
  [{ kind: 'cut', for_ms: 1, link: 'postgres' }, some, [], true],
  [{ kind: 'roll', service: 'scoring' }, some, [1, 5_000], false],
  [{ kind: 'kill_both', service: 'scoring' }, some, [9_000], false],
])('%j has its targets', (fault, cost, was, reached) => {
  const outcomes = targetsOf(fault, cost);
  expect(outcomes.map((one) => one.was)).toEqual(was);
  expect(outcomes.every((one) => one.reached)).toBe(reached);
});

test('the picture names the faults and shows what failed', () => {
  const svg = drawRun(entries);
  expect(svg).toContain('>kill scoring 1</text>');
  expect(svg.match(/fill="#b3261e"/g)?.length).toBeGreaterThan(1);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

test('a journal is read as it was written', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
  const file = path.join(folder, 'journal.ndjson');
  const journal = new Journal(file);
  for (const entry of entries) journal.write(entry);
  journal.close();
  expect(readJournal(file)).toEqual(JSON.parse(JSON.stringify(entries)));
  rmSync(folder, { recursive: true });
});
