import { isDeepStrictEqual } from 'node:util';
import { ROTATION_NAMES, type RotationName } from '@credit/local/rotate/rotations';
import { Chance } from '../support/chance';
import { CRASH_POINTS, type CrashPoint } from './crash-points';
import { type BrokenPath, brokenPath, nameOfPath, PATH_FAULTS, type PathFault } from './paths';
import {
  isStoreFault,
  isStoreFaultKind,
  type StoreFault,
  storeFaultKinds,
  storeFaultName,
  storeFaultOf,
  type Topology,
  topologyOf,
} from './store-plan';

/** What a run does: all of it follows from the seed and the length. */
export interface Plan {
  readonly seed: number;
  readonly duration_ms: number;
  readonly workers: number;
  readonly topology: Topology;
  /** Whether the parts show each other certificates. */
  readonly mutual_tls: boolean;
  /** In the order of their times; none begins before the one before it is over. */
  readonly faults: readonly PlannedFault[];
  /** It is over with the last of them, and not at a time. */
  readonly ends_with_faults?: true;
}

export const SERVICES = [
  'gateway',
  'identity',
  'reporting',
  'scoring',
  'disputes',
  'webhooks',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Between the services and what they stand on. */
export const LINKS = ['postgres', 'nats'] as const;
export type Link = (typeof LINKS)[number];

export const RECEIVER_FAULTS = ['hang', 'refuse', 'reset', 'lie'] as const;
export type ReceiverFault = (typeof RECEIVER_FAULTS)[number];

/** `replica` 1 or 2; a fault that lasts is undone after `for_ms`. */
export type Fault =
  | { readonly kind: 'kill'; readonly service: ServiceName; readonly replica: 1 | 2 }
  | { readonly kind: 'kill_both'; readonly service: ServiceName }
  | {
      readonly kind: 'freeze';
      readonly service: ServiceName;
      readonly replica: 1 | 2;
      readonly for_ms: number;
    }
  | { readonly kind: 'roll'; readonly service: ServiceName }
  | { readonly kind: 'renew'; readonly service: ServiceName }
  | { readonly kind: 'crash_at'; readonly point: CrashPoint }
  | BrokenPath
  | { readonly kind: 'memory'; readonly service: ServiceName; readonly replica: 1 | 2 }
  | {
      readonly kind: 'clock';
      readonly service: ServiceName;
      readonly replica: 1 | 2;
      readonly by_ms: number;
      readonly for_ms: number;
    }
  | StoreFault
  | { readonly kind: 'cut'; readonly link: Link; readonly for_ms: number }
  | {
      readonly kind: 'slow';
      readonly link: Link;
      readonly for_ms: number;
      readonly delay_ms: number;
    }
  | { readonly kind: 'half_open'; readonly link: Link; readonly for_ms: number }
  | { readonly kind: 'receiver'; readonly how: ReceiverFault; readonly for_ms: number }
  // No fault, and to be noticed by nobody.
  | { readonly kind: 'rotate'; readonly what: RotationName };

export type FaultKind = Exclude<Fault['kind'], 'rotate'>;

export interface PlannedFault {
  readonly at_ms: number;
  readonly fault: Fault;
}

/** Without faults, to compare with. */
export const CALM_MS = 12_000;
/** From the end of one fault to the next: what a recovery may take, and a moment of calm. */
export const PAUSE_MS = { least: 4_000, more: 4_000 };
const CLOCK_OFF_MS = 2 * 86_400_000;
const WORKERS = 6;

const WITHOUT_TLS = PATH_FAULTS.filter((how) => how !== 'corrupt');

/** Each kind is as likely as it is often here, and among those of what the services stand on. */
const KINDS: readonly FaultKind[] = [
  'kill',
  'kill',
  'kill',
  'kill_both',
  'freeze',
  'freeze',
  'roll',
  'crash_at',
  'crash_at',
  'crash_at',
  'path',
  'path',
  'path',
  'memory',
  'clock',
  'clock',
  'cut',
  'cut',
  'slow',
  'half_open',
  'receiver',
  'receiver',
];

/** What may go wrong where the services stand on this. */
export function kindsFor(topology: Topology): FaultKind[] {
  return [...KINDS, ...storeFaultKinds(topology)];
}

/** `only` are kinds of faults, to look at those alone. */
export function makePlan(seed: number, duration_ms: number, only?: readonly string[]): Plan {
  const chance = new Chance(seed);
  const topology = topologyOf(seed);
  const kinds = kindsFor(topology).filter((kind) => only === undefined || only.includes(kind));
  if (kinds.length === 0) throw new Error(`Seed ${seed} has no fault of these kinds.`);
  const mutual_tls = chance.below(2) === 0;
  const faults: PlannedFault[] = [];
  let at_ms = CALM_MS;
  // Kinds come by turns, shuffled: a short run has few of a kind, and seeds differ in which.
  let bag: FaultKind[] = [];
  const next: Turns = {
    point: inTurn(CRASH_POINTS, seed),
    both: inTurn(SERVICES, seed),
    // With certificates first what only they notice.
    path: mutual_tls
      ? inTurn(PATH_FAULTS, PATH_FAULTS.indexOf('corrupt'))
      : inTurn(WITHOUT_TLS, seed),
    receiver: inTurn(RECEIVER_FAULTS, seed),
  };
  while (at_ms < duration_ms - PAUSE_MS.least) {
    if (bag.length === 0) bag = shuffled(kinds, chance);
    const kind = bag.pop();
    if (kind === undefined) break;
    const fault = faultOf(kind, chance, next);
    faults.push({ at_ms, fault });
    at_ms += lengthOf(fault) + PAUSE_MS.least + chance.below(PAUSE_MS.more);
  }
  return { seed, duration_ms, workers: WORKERS, topology, mutual_tls, faults };
}

/** What several seeds do, each for so long, one after another on one system: theirs is to be the same. */
export function makePlanOfSeeds(
  seeds: readonly number[],
  each_ms: number,
  only?: readonly string[],
): Plan {
  const plans = seeds.map((seed) => makePlan(seed, each_ms, only));
  const [first] = plans;
  if (first === undefined) throw new Error('There is no seed.');
  const other = plans.find(({ topology }) => !isDeepStrictEqual(topology, first.topology));
  if (other !== undefined) {
    throw new Error(`Seed ${other.seed} has another topology than seed ${first.seed}.`);
  }
  // Those after the first need no calm.
  const every_ms = each_ms - CALM_MS;
  return {
    ...first,
    duration_ms: CALM_MS + plans.length * every_ms,
    // What needs certificates is in the plans of those that have them.
    mutual_tls: plans.some(({ mutual_tls }) => mutual_tls),
    faults: plans.flatMap(({ faults }, index) =>
      faults.map(({ at_ms, fault }) => ({ at_ms: at_ms + index * every_ms, fault })),
    ),
  };
}

/** Every secret in turn, or the named ones, under the load of any other run. */
export function makeRotationPlan(
  seed: number,
  duration_ms: number,
  names: readonly RotationName[] = ROTATION_NAMES,
): Plan {
  const faults = names.map((what) => ({
    at_ms: CALM_MS,
    fault: { kind: 'rotate', what } as const,
  }));
  const topology = { postgres: 'single', nats: 'single' } as const;
  return {
    seed,
    duration_ms,
    workers: WORKERS,
    topology,
    mutual_tls: false,
    faults,
    ends_with_faults: true,
  };
}

/** From an earlier build to this one, a service after another in any order. */
export function makeUpgradePlan(seed: number, duration_ms: number): Plan {
  const chance = new Chance(seed);
  const mutual_tls = chance.below(2) === 0;
  const every_ms = (duration_ms - CALM_MS) / SERVICES.length;
  const faults = shuffled(SERVICES, chance).map((service, index): PlannedFault => {
    return { at_ms: Math.round(CALM_MS + index * every_ms), fault: { kind: 'renew', service } };
  });
  const topology = { postgres: 'single', nats: 'single' } as const;
  return { seed, duration_ms, workers: WORKERS, topology, mutual_tls, faults };
}

/** What seeds in a row have each of before long, which no chance would see to. */
interface Turns {
  readonly point: () => CrashPoint;
  readonly both: () => ServiceName;
  readonly path: () => PathFault;
  readonly receiver: () => ReceiverFault;
}

/** One after the other, each seed from another one on. */
function inTurn<T>(items: readonly T[], seed: number): () => T {
  let turn = seed;
  return () => {
    const item = items[turn % items.length];
    if (item === undefined) throw new Error('There is nothing to take.');
    turn += 1;
    return item;
  };
}

function faultOf(kind: FaultKind, chance: Chance, next: Turns): Fault {
  const service = () => chance.pick(SERVICES);
  const replica = () => chance.pick([1, 2] as const);
  const for_ms = (least: number, more: number) => least + chance.below(more);
  if (isStoreFaultKind(kind)) return storeFaultOf(kind, chance);
  switch (kind) {
    case 'kill':
    case 'memory':
      return { kind, service: service(), replica: replica() };
    case 'clock':
      return {
        kind,
        service: service(),
        replica: replica(),
        by_ms: chance.pick([-CLOCK_OFF_MS, CLOCK_OFF_MS]),
        for_ms: for_ms(3_000, 3_000),
      };
    case 'kill_both':
      return { kind, service: next.both() };
    case 'roll':
    case 'renew':
      return { kind, service: service() };
    case 'crash_at':
      return { kind, point: next.point() };
    case 'path':
      return brokenPath(chance, next.path());
    case 'freeze':
      // Past the leases of deliveries and of the outbox.
      return { kind, service: service(), replica: replica(), for_ms: for_ms(6_000, 4_000) };
    case 'cut':
    case 'half_open':
      return { kind, link: chance.pick(LINKS), for_ms: for_ms(1_000, 4_000) };
    case 'slow':
      return {
        kind,
        link: chance.pick(LINKS),
        for_ms: for_ms(3_000, 3_000),
        delay_ms: for_ms(50, 150),
      };
    case 'receiver':
      return { kind, how: next.receiver(), for_ms: for_ms(3_000, 4_000) };
    default:
      return kind satisfies never;
  }
}

const LENGTHS_MS: Partial<Record<Fault['kind'], number>> = {
  roll: 8_000,
  renew: 8_000,
  crash_at: 2_000,
  failover: 6_000,
};

/** How long a fault lasts by itself, as near as the plan can know. */
export function lengthOf(fault: Fault): number {
  if ('for_ms' in fault) return fault.for_ms;
  return LENGTHS_MS[fault.kind] ?? 1_000;
}

export function nameOf(fault: Fault): string {
  if (isStoreFault(fault)) return storeFaultName(fault);
  switch (fault.kind) {
    case 'clock':
      return `clock ${fault.by_ms < 0 ? 'behind' : 'ahead'} ${fault.service} ${fault.replica}`;
    case 'kill':
    case 'memory':
    case 'freeze':
      return `${fault.kind} ${fault.service} ${fault.replica}`;
    case 'kill_both':
      return `kill both ${fault.service}`;
    case 'roll':
    case 'renew':
      return `${fault.kind} ${fault.service}`;
    case 'path':
      return nameOfPath(fault);
    case 'crash_at':
      return `crash at ${fault.point}`;
    case 'cut':
    case 'slow':
    case 'half_open':
      return `${fault.kind} ${fault.link}`;
    case 'receiver':
      return `receiver: ${fault.how}`;
    case 'rotate':
      return `rotate ${fault.what}`;
    default:
      return fault satisfies never;
  }
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const rest = [...items];
  return items.map(() => {
    const [taken] = rest.splice(chance.below(rest.length), 1);
    if (taken === undefined) throw new Error('There is nothing left to take.');
    return taken;
  });
}

export type StepKind =
  | 'open'
  | 'event'
  | 'event_once'
  | 'bulk'
  | 'profile'
  | 'again'
  | 'dispute'
  | 'contest'
  | 'freeze'
  | 'revoke'
  | 'foreign'
  | 'import'
  | 'report';

/** The next thing that a worker does; `roll` and `turn` choose among what there is then. */
export interface Step {
  readonly kind: StepKind;
  readonly lender: 0 | 1;
  readonly gateway: 0 | 1;
  readonly turn: number;
  readonly event_type: 'PAYMENT_MADE' | 'PAYMENT_LATE' | 'DEFAULT_REPORTED';
  readonly size: number;
  readonly pause_ms: number;
}

const STEPS: readonly StepKind[] = [
  ...Array<StepKind>(4).fill('open'),
  ...Array<StepKind>(14).fill('event'),
  ...Array<StepKind>(3).fill('event_once'),
  ...Array<StepKind>(4).fill('bulk'),
  ...Array<StepKind>(8).fill('profile'),
  ...Array<StepKind>(4).fill('again'),
  'dispute',
  'dispute',
  'contest',
  'freeze',
  'revoke',
  'foreign',
  'import',
  'report',
];

/** What a worker does, without end. */
export function* stepsOf(seed: number, worker: number): Generator<Step> {
  const chance = new Chance(seed * 1_000 + worker + 1);
  for (;;) {
    yield {
      kind: chance.pick(STEPS),
      lender: chance.pick([0, 1] as const),
      gateway: chance.pick([0, 1] as const),
      turn: chance.below(1_000_000),
      event_type: chance.pick([
        'PAYMENT_MADE',
        'PAYMENT_MADE',
        'PAYMENT_MADE',
        'PAYMENT_LATE',
        'DEFAULT_REPORTED',
      ] as const),
      size: 2 + chance.below(10),
      pause_ms: 20 + chance.below(60),
    };
  }
}
