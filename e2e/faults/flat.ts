// What processes hold: memory, open files, and connections to PostgreSQL.

import { readdirSync, readFileSync } from 'node:fs';
import type { Entry, Held } from './journal';
import { CALM_MS } from './plan';
import { shareOf } from './timed';

type Sample = Extract<Entry, { t: 'sample' }>;

/** After the load, beside the calm: what caches and pools keep is within it, a leak of a run is not. */
const MORE = { memory_mb: 150, files: 100, connections: 60 };
/** The thread in which scoring draws may have so much, and keeps it for minutes. */
const DRAWING_MB = 384;
/**
 * From when on growth is looked at, and how much of it from the second quarter of a run to its last is
 * none. V8 first takes what it may have, for minutes, before it looks for what it can give back.
 */
const LONG_MS = 15 * 60_000;
const GROWTH = { memory_mb: 60, files: 40 };

/** Of processes by name; one that is gone just now holds nothing. */
export function heldBy(processes: readonly { name: string; pid?: number | undefined }[]): Held[] {
  return processes.flatMap(({ name, pid }) => {
    if (pid === undefined) return [];
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
      const files = readdirSync(`/proc/${pid}/fd`).length;
      return [{ name, pid, memory_mb: Math.round(Number(kb) / 1_024), files }];
    } catch {
      return [];
    }
  });
}

export function* flatProblems(entries: readonly Entry[]): Iterable<string> {
  const samples = entries.filter((entry) => entry.t === 'sample');
  const duration_ms = entries.find((entry) => entry.t === 'run')?.duration_ms ?? 0;
  const calm = samples.filter(({ at_ms }) => at_ms <= CALM_MS).at(-1);
  const after = samples.at(-1);
  if (calm === undefined || after === undefined || after.at_ms < duration_ms) {
    yield 'what processes hold was not looked at.';
    return;
  }
  yield* grown('after the load', calm.processes, after.processes, MORE);
  if (after.connections > calm.connections + MORE.connections) {
    yield `${after.connections} connections are left, and were ${calm.connections} in the calm.`;
  }
  if (duration_ms < LONG_MS) return;
  const quarter = (from: number) =>
    samples.filter(
      ({ at_ms }) => at_ms >= duration_ms * from && at_ms < duration_ms * (from + 0.25),
    );
  const early = ofEach(quarter(0.25), middleOf);
  // Work comes and goes, a leak stays: what is least is held for good. Another process begins anew.
  const late = ofEach(quarter(0.75), leastOf).filter(({ pid }) =>
    early.some((one) => one.pid === pid),
  );
  yield* grown('late in the run', early, late, GROWTH);
}

function* grown(
  when: string,
  before: readonly Held[],
  after: readonly Held[],
  most: { readonly memory_mb: number; readonly files: number },
): Iterable<string> {
  for (const { files, memory_mb, name } of after) {
    const was = before.find((one) => one.name === name);
    if (was === undefined) continue;
    const drawing_mb = name.startsWith('scoring') ? DRAWING_MB : 0;
    if (memory_mb > was.memory_mb + most.memory_mb + drawing_mb) {
      yield `${name} holds ${memory_mb} MB ${when}, and held ${was.memory_mb}.`;
    }
    if (files > was.files + most.files) {
      yield `${name} holds ${files} files ${when}, and held ${was.files}.`;
    }
  }
}

/** What each process that was there at all held, as one number of all that were seen. */
function ofEach(samples: readonly Sample[], pick: (values: readonly number[]) => number): Held[] {
  const by_process = Map.groupBy(
    samples.flatMap(({ processes }) => processes),
    ({ name, pid }) => `${name} ${pid}`,
  );
  return [...by_process.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const memory_mb = pick(all.map((one) => one.memory_mb));
    return [{ ...first, memory_mb, files: pick(all.map(({ files }) => files)) }];
  });
}

const leastOf = (values: readonly number[]) => Math.min(...values);
const middleOf = (values: readonly number[]) =>
  shareOf(
    [...values].sort((a, b) => a - b),
    0.5,
  );
