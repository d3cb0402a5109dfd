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
  try {
    // The name, in brackets, may hold anything.
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return undefined;
  }
}
