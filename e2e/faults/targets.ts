import type { Fault } from './plan';
import type { Timed } from './timed';

/** What a fault was meant to cost at most, and what it cost. */
export interface Outcome {
  readonly what: string;
  readonly at_most: number;
  /** Undefined when it never came. */
  readonly was: number | undefined;
  readonly reached: boolean;
}

interface Period {
  readonly began_ms: number;
  readonly ended_ms: number;
  /** When the next fault began. */
  readonly until_ms: number;
}

const FAILOVER_MS = 10_000;
const RESTART_MS = 8_000;

/** Undefined where a fault has no target. */
export function targetOf(
  fault: Fault,
  period: Period,
  timed: readonly Timed[],
): Outcome | undefined {
  // What fails later is the next one's.
  const here = timed.filter(({ got_ms }) => got_ms >= period.began_ms && got_ms < period.until_ms);
  switch (fault.kind) {
    case 'failover':
      return within('ms from its beginning until writes succeed again', FAILOVER_MS, () =>
        writesAgain(here, period, period.began_ms),
      );
    case 'postgres_kill':
    case 'postgres_stop':
      return within('ms from its readiness until writes succeed again', RESTART_MS, () =>
        writesAgain(here, period, period.ended_ms),
      );
    case 'nats_kill':
    case 'nats_wipe':
    case 'nats_leader_kill':
    case 'nats_node_cut':
    case 'nats_node_wipe':
      return noneFailed(here);
    case 'cut':
    case 'slow':
    case 'half_open':
      return fault.link === 'nats' ? noneFailed(here) : undefined;
    default:
      return undefined;
  }
}

function within(what: string, at_most: number, measure: () => number | undefined): Outcome {
  const was = measure();
  return { what, at_most, was, reached: was !== undefined && was <= at_most };
}

function noneFailed(here: readonly Timed[]): Outcome {
  const { length } = here.filter(({ outcome }) => outcome === 'failed');
  return { what: 'requests failed', at_most: 0, was: length, reached: length === 0 };
}

/** When a write was answered that was sent after the last one that failed, and after it all began. */
function writesAgain(
  here: readonly Timed[],
  { began_ms }: Period,
  since_ms: number,
): number | undefined {
  const writes = here.filter(({ is_write }) => is_write);
  const sent = writes.filter(({ outcome }) => outcome === 'failed').map(({ sent_ms }) => sent_ms);
  const last_ms = Math.max(began_ms, ...sent);
  const answers = writes
    .filter(({ outcome, sent_ms }) => outcome === 'answered' && sent_ms >= last_ms)
    .map(({ got_ms }) => got_ms)
    .filter((got_ms) => got_ms >= since_ms);
  return answers.length === 0 ? undefined : Math.min(...answers) - since_ms;
}
