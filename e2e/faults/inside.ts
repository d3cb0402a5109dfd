// Loaded into every process of a run before its own code, to do what cannot be done from outside: to
// use its memory up, and to put its clock wrong. A file by the process's id says what.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** What is done to a process. */
export type Inside =
  | { readonly what: 'memory' }
  /** Its wall clock shows so much more; monotonic time stays, as on a machine whose clock is set. */
  | { readonly what: 'clock'; readonly by_ms: number };

export const FOLDER_VARIABLE = 'FAULTS_INSIDE';
const POLL_MS = 100;
const PIECE = 100_000;

let by_ms = 0;

function shiftClock(): void {
  const RealDate = Date;
  const now = () => RealDate.now() + by_ms;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, made_by) =>
      args.length > 0
        ? Reflect.construct(target, args, made_by)
        : Reflect.construct(target, [now()], made_by),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}

/** Until V8 ends the process: no handler of its own comes between. */
function useUp(): void {
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(PIECE).fill(kept.length));
}

function obey(file: string): void {
  let order: Inside;
  try {
    order = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
  } catch {
    return;
  }
  if (order.what === 'memory') useUp();
  else by_ms = order.by_ms;
}

const folder = process.env[FOLDER_VARIABLE];
if (folder !== undefined && isMainThread) {
  shiftClock();
  setInterval(() => obey(path.join(folder, `${process.pid}`)), POLL_MS).unref();
}
