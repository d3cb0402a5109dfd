import type { Entry } from './journal';
import { CALM_MS, nameOf } from './plan';
import { type Cost, type Outcome, targetsOf } from './targets';
import { lastOf, shareOf, type Timed, timedOf } from './timed';

/** Requests that are answered within a span of a run. */
export interface Span {
  readonly requests: number;
  readonly failed: number;
  /** Nobody listened at that gateway: a balancer, or the client, turns to the other. */
  readonly refused: number;
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** What a fault cost, beside the part of the same run that had none. */
export interface Recovery extends Cost {
  readonly name: string;
  readonly began_ms: number;
  readonly lasted_ms: number;
  readonly refused: number;
  readonly p99_ratio: number;
  readonly throughput_ratio: number;
  /** Where something is promised of such a fault. */
  readonly targets: readonly Outcome[];
}

export interface Figures {
  readonly calm: Span;
  readonly whole: Span;
  readonly faults: readonly Recovery[];
  /** Whether somebody came by each planned point while it was armed. */
  readonly crashes: readonly { readonly point: string; readonly met: boolean }[];
}

/** From the beginning of a fault to that of the next. */
export interface Period {
  /** When the fault before it was over. */
  readonly before_ms?: number | undefined;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly until_ms: number;
}

/** The first seconds are for caches to fill. */
const WARM_MS = 3_000;
/** An answer is slow that takes so many times the 99th percentile of the calm. */
const SLOW = 3;

export function figuresOf(entries: readonly Entry[]): Figures {
  const timed = timedOf(entries);
  const run = entries.find((entry) => entry.t === 'run');
  const planned = run?.faults ?? [];
  // A run may be over before its time.
  const duration_ms = Math.min(
    run?.duration_ms ?? 0,
    lastOf(timed, ({ sent_ms }) => sent_ms),
  );
  const calm = spanOf(timed, WARM_MS, planned[0]?.at_ms ?? CALM_MS);
  const times = entries.filter((entry) => entry.t === 'fault');
  const timeOf = (number: number, phase: 'begins' | 'ends') =>
    times.find((one) => one.number === number && one.phase === phase)?.at_ms;
  const faults = planned.flatMap(({ fault }, number): Recovery[] => {
    const began_ms = timeOf(number, 'begins');
    const ended_ms = timeOf(number, 'ends');
    if (began_ms === undefined || ended_ms === undefined) return [];
    const until_ms = timeOf(number + 1, 'begins') ?? Math.max(duration_ms, ended_ms);
    const span = spanOf(timed, began_ms, until_ms);
    const period = { before_ms: timeOf(number - 1, 'ends'), began_ms, ended_ms, until_ms };
    const cost = costOf(timed, period, SLOW * calm.p99_ms);
    return [
      {
        name: nameOf(fault),
        began_ms,
        lasted_ms: ended_ms - began_ms,
        refused: span.refused,
        p99_ratio: ratio(span.p99_ms, calm.p99_ms),
        throughput_ratio: ratio(span.per_second, calm.per_second),
        ...cost,
        targets: targetsOf(fault, cost),
      },
    ];
  });
  const met = new Set(
    entries.flatMap((entry) => (entry.t === 'crash' && entry.crashed ? [entry.number] : [])),
  );
  const crashes = planned.flatMap(({ fault }, number) =>
    fault.kind === 'crash_at' ? [{ point: fault.point, met: met.has(number) }] : [],
  );
  return { calm, whole: spanOf(timed, WARM_MS, duration_ms), faults, crashes };
}

/** Of requests that ended then; what fails later is the next one's. That writes succeed again may come later. */
export function costOf(
  timed: readonly Timed[],
  { before_ms = 0, began_ms, ended_ms, until_ms }: Period,
  slow_over_ms: number,
): Cost {
  const here = timed.filter(({ got_ms }) => got_ms >= began_ms && got_ms < until_ms);
  // What was sent while the fault before was on failed of that.
  const failures = here.filter(
    ({ outcome, sent_ms }) => outcome === 'failed' && sent_ms >= before_ms,
  );
  const answers = here.filter(({ outcome }) => outcome === 'answered');
  const slow = answers.filter(
    ({ got_ms, took_ms }) => got_ms >= ended_ms && took_ms > slow_over_ms,
  );
  // When the last write was sent that failed.
  const failed_ms = lastOf(
    failures.filter(({ is_write }) => is_write),
    ({ sent_ms }) => sent_ms,
    began_ms,
  );
  const writesAgainSince = (since_ms: number) => {
    const good = timed.find(
      ({ got_ms, is_write, outcome, sent_ms }) =>
        outcome === 'answered' && is_write && sent_ms >= failed_ms && got_ms >= since_ms,
    );
    return good === undefined ? undefined : good.got_ms - since_ms;
  };
  const since_begin_ms = writesAgainSince(began_ms);
  const since_end_ms = writesAgainSince(ended_ms);
  return {
    failed: failures.length,
    in_hand: failures.filter(({ sent_ms }) => sent_ms <= began_ms).length,
    failing_for_ms: lastOf(failures, ({ got_ms }) => got_ms, ended_ms) - ended_ms,
    slow_for_ms: lastOf(slow, ({ got_ms }) => got_ms, ended_ms) - ended_ms,
    writes_again:
      since_begin_ms === undefined || since_end_ms === undefined
        ? undefined
        : { since_begin_ms, since_end_ms },
  };
}

function spanOf(timed: readonly Timed[], from_ms: number, to_ms: number): Span {
  const here = timed.filter(({ got_ms }) => got_ms >= from_ms && got_ms < to_ms);
  const took = here
    .filter(({ outcome }) => outcome === 'answered')
    .map(({ took_ms }) => took_ms)
    .sort((a, b) => a - b);
  return {
    requests: here.length,
    failed: here.filter(({ outcome }) => outcome === 'failed').length,
    refused: here.filter(({ outcome }) => outcome === 'refused').length,
    per_second: (took.length * 1_000) / Math.max(1, to_ms - from_ms),
    p50_ms: shareOf(took, 0.5),
    p99_ms: shareOf(took, 0.99),
  };
}

const ratio = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 100) / 100;
