// What a run leaves behind that was ended by SIGKILL: servers, and disks of their own. The next run in
// the same folder takes it away.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { sendSignal } from '@credit/servers';
import { startOf } from './process-tree';
import { SmallDisk } from './small-disk';

interface Remains {
  readonly pid: number;
  /** Another process may have its number by now. */
  readonly started: string;
  /** Of a name that nobody else has: all that it started can be told by it. */
  readonly directory: string;
}

const fileIn = (folder: string) => path.join(folder, 'stage.json');

/** From now on this process has the directory, until it says otherwise. */
export function keepRemains(folder: string, directory: string): void {
  const remains: Remains = { pid: process.pid, started: startOf(process.pid) ?? '', directory };
  writeFileSync(fileIn(folder), JSON.stringify(remains));
}

export function forgetRemains(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/** Takes away what an earlier run in the folder has left; throws while that run goes on. */
export async function clearRemains(folder: string): Promise<void> {
  if (!existsSync(fileIn(folder))) return;
  const { directory, pid, started }: Remains = JSON.parse(readFileSync(fileIn(folder), 'utf8'));
  if (startOf(pid) === started) throw new Error(`A run in ${folder} goes on, as process ${pid}.`);
  for (const left of processesNaming(directory)) sendSignal(left, 'SIGKILL');
  await SmallDisk.unmountUnder(directory);
  await rm(directory, { recursive: true, force: true });
  forgetRemains(folder);
}

/** In their command or environment, as far as this user may look. */
function processesNaming(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => ['cmdline', 'environ'].some((what) => readOf(name, what).includes(directory)))
    .map(Number);
}

function readOf(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
