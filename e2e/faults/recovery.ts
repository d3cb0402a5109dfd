import { missed } from './costs';
import type { Entry } from './journal';
import { CALM_MS, nameOf } from './plan';
import { type Outcome, targetOf } from './targets';
import { type Timed, timedOf } from './timed';

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
export interface Recovery {
  readonly name: string;
  readonly began_ms: number;
  readonly lasted_ms: number;
  readonly failed: number;
  /** Of those, begun before it: nobody can say whether they took effect. */
  readonly in_hand: number;
  readonly refused: number;
  /** From the end of the fault to the end of the last request that failed before the next one. */
  readonly failing_for_ms: number;
  /** The same to the last answer that took over {@link SLOW} times the 99th percentile of the calm. */
  readonly slow_for_ms: number;
  readonly p99_ratio: number;
  readonly throughput_ratio: number;
  /** Where one is set for such a fault. */
  readonly target?: Outcome;
  /** Targets that were not met, in words. */
  readonly missed: readonly string[];
}

export interface Figures {
  readonly calm: Span;
  readonly whole: Span;
  readonly faults: readonly Recovery[];
}

/** The first seconds are for caches to fill. */
const WARM_MS = 3_000;
const SLOW = 3;

export function figuresOf(entries: readonly Entry[]): Figures {
  const timed = timedOf(entries);
  const run = entries.find((entry) => entry.t === 'run');
  const planned = run?.faults ?? [];
  // A run may be over before its time.
  const last_ms = Math.max(
    0,
    ...entries.flatMap((entry) => (entry.t === 'sent' ? [entry.at_ms] : [])),
  );
  const duration_ms = Math.min(run?.duration_ms ?? 0, last_ms);
  const first_ms = planned[0]?.at_ms ?? CALM_MS;
  const calm = spanOf(timed, WARM_MS, first_ms);
  const times = entries.filter((entry) => entry.t === 'fault');
  const timeOf = (number: number, phase: 'begins' | 'ends') =>
    times.find((one) => one.number === number && one.phase === phase)?.at_ms;
  const faults = planned.flatMap(({ fault }, number): Recovery[] => {
    const began_ms = timeOf(number, 'begins');
    const ended_ms = timeOf(number, 'ends');
    if (began_ms === undefined || ended_ms === undefined) return [];
    const until_ms = timeOf(number + 1, 'begins') ?? Math.max(duration_ms, ended_ms);
    const span = spanOf(timed, began_ms, until_ms);
    const failures = timed.filter(
      ({ outcome, got_ms }) => outcome === 'failed' && got_ms >= began_ms && got_ms < until_ms,
    );
    const last_ms = Math.max(ended_ms, ...failures.map(({ got_ms }) => got_ms));
    const target = targetOf(fault, { began_ms, ended_ms, until_ms }, timed);
    const slow = timed.filter(
      ({ got_ms, outcome, took_ms }) =>
        outcome === 'answered' &&
        got_ms >= ended_ms &&
        got_ms < until_ms &&
        took_ms > SLOW * calm.p99_ms,
    );
    const recovery = {
      name: nameOf(fault),
      began_ms,
      lasted_ms: ended_ms - began_ms,
      failed: span.failed,
      in_hand: failures.filter(({ got_ms, took_ms }) => got_ms - took_ms <= began_ms).length,
      refused: span.refused,
      failing_for_ms: last_ms - ended_ms,
      slow_for_ms: Math.max(ended_ms, ...slow.map(({ got_ms }) => got_ms)) - ended_ms,
      p99_ratio: ratio(span.p99_ms, calm.p99_ms),
      throughput_ratio: ratio(span.per_second, calm.per_second),
      missed: [],
      ...(target === undefined ? {} : { target }),
    };
    return [{ ...recovery, missed: missed(fault, recovery) }];
  });
  return { calm, whole: spanOf(timed, WARM_MS, duration_ms), faults };
}

function spanOf(timed: readonly Timed[], from_ms: number, to_ms: number): Span {
  const here = timed.filter(({ got_ms }) => got_ms >= from_ms && got_ms < to_ms);
  const took = here
    .filter(({ outcome }) => outcome === 'answered')
    .map(({ took_ms }) => took_ms)
    .sort((a, b) => a - b);
  const at = (share: number) =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return {
    requests: here.length,
    failed: here.filter(({ outcome }) => outcome === 'failed').length,
    refused: here.filter(({ outcome }) => outcome === 'refused').length,
    per_second: (took.length * 1_000) / Math.max(1, to_ms - from_ms),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
}

const ratio = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 100) / 100;
