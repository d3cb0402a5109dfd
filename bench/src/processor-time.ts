import { readFileSync } from 'node:fs';

/** Linux's unit of processor time. */
const TICKS_PER_S = 100;

/** Seconds of a core that a process has used so far. */
export function secondsOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold anything: utime and stime are the 14th and 15th field.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
