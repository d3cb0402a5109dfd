import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

/** Undefined when there is no such process. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startTicks(pid) : startDate(pid);
  return started ? { pid, started } : undefined;
}

export function isAlive(identity: ProcessIdentity): boolean {
  const found = identifyProcess(identity.pid);
  return found !== undefined && found.started === identity.started;
}

function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the state is field 3, the start field 22.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

function startDate(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
