import type { Fault } from './plan';

/** What a fault may cost. */
interface Target {
  /** Requests that were begun while it lasted or after it, and failed. */
  readonly failed?: number;
  /** From its end to that of the last request that failed. */
  readonly failing_for_ms?: number;
  /** From its end to the last answer that took over three times the 99th percentile of the calm. */
  readonly slow_for_ms?: number;
}

/** What it did cost. */
export interface Cost {
  readonly failed: number;
  /** Of those, begun before it. */
  readonly in_hand: number;
  readonly failing_for_ms: number;
  readonly slow_for_ms: number;
}

const ONE_OF_TWO: Target = { failed: 0, slow_for_ms: 3_000 };
const BOTH: Target = { failing_for_ms: 5_000 };

/** Where something is promised: the other of two goes on, and two that are gone are back soon. */
function targetOf(fault: Fault): Target | undefined {
  switch (fault.kind) {
    case 'kill':
    case 'memory':
    case 'roll':
    case 'renew':
      return ONE_OF_TWO;
    case 'kill_both':
      return BOTH;
    default:
      return undefined;
  }
}

/** In words, where it was not met. */
export function missed(fault: Fault, cost: Cost): string[] {
  const target = targetOf(fault) ?? {};
  const failed = cost.failed - cost.in_hand;
  return [
    ...(failed > (target.failed ?? failed) ? [`${failed} requests failed`] : []),
    ...over('failed', cost.failing_for_ms, target.failing_for_ms),
    ...over('slow', cost.slow_for_ms, target.slow_for_ms),
  ];
}

function over(what: string, took_ms: number, most_ms: number | undefined): string[] {
  return most_ms !== undefined && took_ms > most_ms ? [`${what} for ${took_ms} ms`] : [];
}
