import type { Chance } from '../support/chance';

/** What the services stand on in a run. */
export interface Topology {
  /** `pair`: a primary and a standby that has every commit before it is acknowledged. */
  readonly postgres: 'single' | 'pair';
  /** `cluster`: three servers, with the stream on each. */
  readonly nats: 'single' | 'cluster';
}

/** Of four seeds in a row each has another. */
export function topologyOf(seed: number): Topology {
  return {
    postgres: seed % 2 === 0 ? 'single' : 'pair',
    nats: seed % 4 < 2 ? 'single' : 'cluster',
  };
}

export const NATS_NODES = [0, 1, 2] as const;
export type NatsNode = (typeof NATS_NODES)[number];

/** What goes wrong with PostgreSQL or NATS themselves. */
export type StoreFault =
  | { readonly kind: 'postgres_stop' }
  | { readonly kind: 'postgres_kill' }
  | { readonly kind: 'postgres_freeze'; readonly for_ms: number }
  | { readonly kind: 'disk_full'; readonly disk: 'data' | 'log'; readonly for_ms: number }
  /** A third of all connections break as they commit. */
  | {
      readonly kind: 'commit_cut';
      readonly when: 'before' | 'after';
      readonly for_ms: number;
    }
  /** `silent`: its machine is gone without a word, and connections to it stay open. */
  | { readonly kind: 'failover'; readonly how: 'killed' | 'silent' }
  | { readonly kind: 'standby_lost'; readonly for_ms: number }
  | { readonly kind: 'standby_lags'; readonly for_ms: number; readonly delay_ms: number }
  | { readonly kind: 'nats_kill'; readonly for_ms: number }
  | { readonly kind: 'nats_wipe' }
  | { readonly kind: 'nats_leader_kill'; readonly for_ms: number }
  /** From the other two, not from its clients. */
  | {
      readonly kind: 'nats_node_cut';
      readonly node: NatsNode;
      readonly how: 'cut' | 'half_open';
      readonly for_ms: number;
    }
  | { readonly kind: 'nats_node_wipe'; readonly node: NatsNode; readonly for_ms: number };

export type StoreFaultKind = StoreFault['kind'];

const ALWAYS: readonly StoreFaultKind[] = [
  'postgres_stop',
  'postgres_kill',
  'postgres_freeze',
  'disk_full',
  'commit_cut',
  'nats_kill',
  'nats_wipe',
];
const OF_A_PAIR: readonly StoreFaultKind[] = [
  'failover',
  'failover',
  'standby_lost',
  'standby_lags',
];
const OF_A_CLUSTER: readonly StoreFaultKind[] = [
  'nats_leader_kill',
  'nats_leader_kill',
  'nats_node_cut',
  'nats_node_wipe',
];

/** Each as likely as it is often here. */
export function storeFaultKinds({ postgres, nats }: Topology): readonly StoreFaultKind[] {
  return [
    ...ALWAYS,
    ...(postgres === 'pair' ? OF_A_PAIR : []),
    ...(nats === 'cluster' ? OF_A_CLUSTER : []),
  ];
}

const ALL: ReadonlySet<string> = new Set([...ALWAYS, ...OF_A_PAIR, ...OF_A_CLUSTER]);

export function isStoreFaultKind(kind: string): kind is StoreFaultKind {
  return ALL.has(kind);
}

export function isStoreFault<Other extends { readonly kind: string }>(
  fault: StoreFault | Other,
): fault is StoreFault {
  return ALL.has(fault.kind);
}

export function storeFaultOf(kind: StoreFaultKind, chance: Chance): StoreFault {
  const for_ms = (least: number, more: number) => least + chance.below(more);
  switch (kind) {
    case 'postgres_stop':
    case 'postgres_kill':
    case 'nats_wipe':
      return { kind };
    case 'postgres_freeze':
      return { kind, for_ms: for_ms(6_000, 4_000) };
    case 'disk_full':
      return { kind, disk: chance.pick(['data', 'log'] as const), for_ms: for_ms(3_000, 4_000) };
    case 'commit_cut':
      return {
        kind,
        when: chance.pick(['before', 'after'] as const),
        for_ms: for_ms(2_000, 3_000),
      };
    case 'failover':
      return { kind, how: chance.pick(['killed', 'silent'] as const) };
    case 'standby_lost':
      return { kind, for_ms: for_ms(2_000, 5_000) };
    case 'standby_lags':
      return { kind, for_ms: for_ms(3_000, 3_000), delay_ms: for_ms(100, 400) };
    case 'nats_kill':
    case 'nats_leader_kill':
      return { kind, for_ms: for_ms(1_000, 4_000) };
    case 'nats_node_cut':
      return {
        kind,
        node: chance.pick(NATS_NODES),
        how: chance.pick(['cut', 'half_open'] as const),
        for_ms: for_ms(6_000, 6_000),
      };
    case 'nats_node_wipe':
      return { kind, node: chance.pick(NATS_NODES), for_ms: for_ms(1_000, 3_000) };
    default:
      return kind satisfies never;
  }
}

export function storeFaultName(fault: StoreFault): string {
  switch (fault.kind) {
    case 'disk_full':
      return `disk full: ${fault.disk}`;
    case 'commit_cut':
      return `cut ${fault.when} commits`;
    case 'failover':
      return `failover: ${fault.how}`;
    case 'nats_node_cut':
      return `nats node ${fault.how}`;
    case 'nats_node_wipe':
      return 'nats node wiped';
    default:
      return fault.kind;
  }
}
