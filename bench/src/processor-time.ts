import { readdirSync, readFileSync } from 'node:fs';

/** Linux's unit of processor time. */
const TICKS_PER_S = 100;

/** What a line of /proc/PID/stat says of a process. */
export interface ProcessTimes {
  readonly parent: number;
  /** Seconds of a core that it has used so far. */
  readonly own_s: number;
  /** And its children that have ended. */
  readonly ended_s: number;
}

export function parseStat(line: string): ProcessTimes {
  // After the name, which may hold anything. The parent is the 4th field, utime and stime are the
  // 14th and 15th, and the same of ended children follows.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = (place: number) => Number(fields[place]) / TICKS_PER_S;
  return {
    parent: Number(fields[1]),
    own_s: ticks(11) + ticks(12),
    ended_s: ticks(13) + ticks(14),
  };
}

/** Seconds of a core that a process has used so far. */
export function secondsOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).own_s;
}

/** The same with all that it has started, and what those have, whether they have ended or not. */
export function secondsOfTrees(pids: readonly number[]): number {
  return secondsIn(allProcesses(), pids);
}

/** Of the processes that are there now. */
export function secondsIn(
  processes: ReadonlyMap<number, ProcessTimes>,
  pids: readonly number[],
): number {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of processes) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const counted = new Set<number>();
  const waiting = [...pids];
  let sum_s = 0;
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const times = processes.get(pid);
    if (times === undefined || counted.has(pid)) continue;
    counted.add(pid);
    sum_s += times.own_s + times.ended_s;
    waiting.push(...(children.get(pid) ?? []));
  }
  return sum_s;
}

function allProcesses(): Map<number, ProcessTimes> {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    try {
      processes.set(pid, parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    } catch {
      // Ended between the two looks.
    }
  }
  return processes;
}
