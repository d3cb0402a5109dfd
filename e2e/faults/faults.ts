import { setTimeout as sleep } from 'node:timers/promises';
import type { CrashPoint } from './crash-points';
import type { Hooks } from './hooks';
import type { Journal } from './journal';
import { type Fault, PAUSE_MS, type Plan } from './plan';
import { rotate } from './rotations';
import { processName, type Stage } from './stage';
import { inflictOnStore } from './store-faults';
import { isStoreFault } from './store-plan';

const REPLACED_TIMEOUT_MS = 40_000;
const POLL_MS = 100;
/** What comes of it belongs to it. */
const AFTER_ROTATION_MS = 3_000;
/** For whatever comes by only now and then. */
const CRASH_WITHIN_MS = 15_000;
/** A command has to start first. */
const COMMAND_WITHIN_MS = 60_000;

/** Carries the planned faults out, each at its time, while there is load. */
export async function carryOut(
  { faults, duration_ms }: Plan,
  stage: Stage,
  hooks: Hooks,
  journal: Journal,
): Promise<void> {
  // On a slow machine those before take longer than the plan could know.
  let free_ms = 0;
  for (const [number, { at_ms, fault }] of faults.entries()) {
    await sleep(Math.max(0, Math.max(at_ms, free_ms) - journal.now_ms()));
    if (journal.now_ms() >= duration_ms) return;
    journal.write({ t: 'fault', at_ms: journal.now_ms(), number, phase: 'begins' });
    const done = await inflict(number, fault, stage, hooks, journal).then(
      () => true,
      (error: unknown) => {
        if (fault.kind !== 'rotate') throw error;
        process.stderr.write(`${error}\n`);
        return false;
      },
    );
    // The verdict says what it was that did not end.
    if (!done) return;
    journal.write({ t: 'fault', at_ms: journal.now_ms(), number, phase: 'ends' });
    free_ms = journal.now_ms() + PAUSE_MS.least;
  }
}

/** Resolves once it is undone; what it broke may still be recovering. */
async function inflict(
  number: number,
  fault: Fault,
  stage: Stage,
  hooks: Hooks,
  journal: Journal,
): Promise<void> {
  if (isStoreFault(fault)) return inflictOnStore(fault, stage);
  switch (fault.kind) {
    case 'kill':
      stage.signal(processName(fault.service, fault.replica), 'SIGKILL');
      return;
    case 'kill_both':
      for (const replica of [1, 2] as const) {
        stage.signal(processName(fault.service, replica), 'SIGKILL');
      }
      return;
    case 'freeze': {
      const name = processName(fault.service, fault.replica);
      stage.signal(name, 'SIGSTOP');
      await sleep(fault.for_ms);
      stage.signal(name, 'SIGCONT');
      return;
    }
    case 'renew':
      await stage.renew(fault.service);
      for (const replica of [1, 2] as const) {
        await replace(processName(fault.service, replica), stage);
      }
      return;
    case 'roll':
      for (const replica of [1, 2] as const) {
        await replace(processName(fault.service, replica), stage);
      }
      return;
    case 'path':
      stage.paths.break(fault);
      await sleep(fault.for_ms);
      stage.paths.mend(fault);
      return;
    case 'memory':
      return stage.tell(processName(fault.service, fault.replica), { what: 'memory' });
    case 'clock': {
      const name = processName(fault.service, fault.replica);
      await stage.tell(name, { what: 'clock', by_ms: fault.by_ms });
      await sleep(fault.for_ms);
      // It jumps back.
      return stage.tell(name, { what: 'clock', by_ms: 0 });
    }
    case 'crash_at': {
      const crashed = await crashAt(fault.point, stage);
      journal.write({ t: 'crash', at_ms: journal.now_ms(), number, point: fault.point, crashed });
      return;
    }
    case 'cut':
    case 'half_open':
    case 'slow': {
      const proxy = stage.proxies[fault.link];
      proxy.set(fault.kind === 'slow' ? { delay_ms: fault.delay_ms } : fault.kind);
      await sleep(fault.for_ms);
      proxy.set('pass');
      return;
    }
    case 'receiver':
      hooks.fault = fault.how;
      await sleep(fault.for_ms);
      hooks.fault = undefined;
      return;
    case 'rotate':
      await rotate(fault.what, stage);
      await sleep(AFTER_ROTATION_MS);
      return;
    default:
      fault satisfies never;
  }
}

/** Whether somebody came by. */
async function crashAt(point: CrashPoint, stage: Stage): Promise<boolean> {
  const is_of_command = point === 'secrets.resealed';
  const within_ms = is_of_command ? COMMAND_WITHIN_MS : CRASH_WITHIN_MS;
  const crashing = stage.crash_points.crashAt(point, within_ms);
  if (is_of_command) await stage.resealSecrets();
  return crashing;
}

/** Asks a process to end and waits for its successor, as a rolling restart does. */
async function replace(name: string, stage: Stage): Promise<void> {
  const before = stage.pidOf(name);
  stage.signal(name, 'SIGTERM');
  const until_ms = Date.now() + REPLACED_TIMEOUT_MS;
  while (Date.now() < until_ms) {
    const now = stage.pidOf(name);
    if (now !== undefined && now !== before) break;
    await sleep(POLL_MS);
  }
  await stage.untilReady(name);
}
