import { readdirSync, readFileSync } from 'node:fs';
import { sendSignal } from '@credit/servers';

/** Signals a process and then its children: PostgreSQL's have sessions of their own. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  // First, so that no child is made meanwhile.
  sendSignal(pid, signal);
  for (const child of childrenOf(pid)) sendSignal(child, signal);
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** When a process began, as the kernel counts; undefined where there is none. */
export function startOf(pid: number): string | undefined {
  return statOf(`${pid}`)?.[19];
}

/** What comes after the name, which stands in brackets and may hold anything: its state first. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
