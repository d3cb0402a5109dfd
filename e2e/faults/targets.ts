import type { Fault } from './plan';

/** What a fault cost: requests that ended between its beginning and that of the next one. */
export interface Cost {
  readonly failed: number;
  /** Of those, begun before it: nobody can say whether they took effect. */
  readonly in_hand: number;
  /** From its end to that of the last request that failed. */
  readonly failing_for_ms: number;
  /** The same to the last answer that took some times the 99th percentile of the calm. */
  readonly slow_for_ms: number;
  /** When writes succeeded again and failed no more; undefined when they never did. */
  readonly writes_again:
    | { readonly since_begin_ms: number; readonly since_end_ms: number }
    | undefined;
}

/** What a fault was meant to cost at most, and what it cost. */
export interface Outcome {
  readonly what: string;
  readonly at_most: number;
  /** Undefined when it never came. */
  readonly was: number | undefined;
  readonly reached: boolean;
}

type Target = Pick<Outcome, 'what' | 'at_most'> & {
  readonly of: (cost: Cost) => number | undefined;
};

const NONE_FAILED: Target = { what: 'requests failed', at_most: 0, of: ({ failed }) => failed };
const NONE_BEGUN_FAILED: Target = {
  what: 'requests failed that were sent after it began',
  at_most: 0,
  of: ({ failed, in_hand }) => failed - in_hand,
};
const SLOW: Target = {
  what: 'ms of slow answers after its end',
  at_most: 3_000,
  of: ({ slow_for_ms }) => slow_for_ms,
};
const FAILING: Target = {
  what: 'ms of failures after its end',
  at_most: 5_000,
  of: ({ failing_for_ms }) => failing_for_ms,
};
const FAILED_OVER: Target = {
  what: 'ms from its beginning until writes succeed again',
  at_most: 10_000,
  of: ({ writes_again }) => writes_again?.since_begin_ms,
};
const RESTARTED: Target = {
  what: 'ms from its readiness until writes succeed again',
  at_most: 8_000,
  of: ({ writes_again }) => writes_again?.since_end_ms,
};

/** What is promised of it: nothing of some. */
function promisedOf(fault: Fault): readonly Target[] {
  switch (fault.kind) {
    case 'kill':
    case 'memory':
    case 'roll':
    case 'renew':
      // The other of two goes on.
      return [NONE_BEGUN_FAILED, SLOW];
    case 'kill_both':
      return [FAILING];
    case 'failover':
      return [FAILED_OVER];
    case 'postgres_kill':
    case 'postgres_stop':
      return [RESTARTED];
    case 'nats_kill':
    case 'nats_wipe':
    case 'nats_leader_kill':
    case 'nats_node_cut':
    case 'nats_node_wipe':
      return [NONE_FAILED];
    case 'cut':
    case 'slow':
    case 'half_open':
      return fault.link === 'nats' ? [NONE_FAILED] : [];
    default:
      return [];
  }
}

export function targetsOf(fault: Fault, cost: Cost): Outcome[] {
  return promisedOf(fault).map(({ at_most, of, what }) => {
    const was = of(cost);
    return { what, at_most, was, reached: was !== undefined && was <= at_most };
  });
}
