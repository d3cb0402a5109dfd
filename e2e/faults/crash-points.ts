import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from './plan';

/** Where the code says that a process may die, each by the name that it has there. */
export const CRASH_POINTS = [
  'answer.owed',
  'delivery.claimed',
  'delivery.sent',
  'dispute.brought_back',
  'dispute.decided',
  'dispute.left_out',
  'dispute.marked',
  'dispute.mended',
  'dispute.step_taken',
  'event.applied',
  'import.batch_committed',
  'import.read_through',
  'outbox.committed',
  'outbox.published',
  'report.built',
  'report.inquired',
  'secrets.resealed',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** What a worker does to have a process come by soon; of the others all do that anyway, or a command does. */
const WAYS: Partial<Record<CrashPoint, Partial<Step>>> = {
  'delivery.claimed': { kind: 'event', event_type: 'DEFAULT_REPORTED' },
  'delivery.sent': { kind: 'event', event_type: 'DEFAULT_REPORTED' },
  'dispute.brought_back': { kind: 'contest' },
  'dispute.decided': { kind: 'dispute' },
  'dispute.left_out': { kind: 'contest' },
  'dispute.marked': { kind: 'dispute' },
  'dispute.mended': { kind: 'dispute' },
  'dispute.step_taken': { kind: 'dispute' },
  'import.batch_committed': { kind: 'import' },
  'import.read_through': { kind: 'import' },
  'report.built': { kind: 'report' },
  'report.inquired': { kind: 'report' },
};

const POLL_MS = 50;

/** The folder by which points are armed in all processes of a system. */
export class CrashPoints {
  private armed: CrashPoint | undefined;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** For the environment of the system. */
  get environment(): Record<string, string> {
    return { CRASH_POINTS: this.folder };
  }

  /** What of a step is to be otherwise, so that a process comes by what is armed. */
  get way(): Partial<Step> {
    return (this.armed === undefined ? undefined : WAYS[this.armed]) ?? {};
  }

  /** Has the first process that comes by die there; false when none did for so long. */
  async crashAt(point: CrashPoint, for_ms: number): Promise<boolean> {
    const file = path.join(this.folder, point);
    writeFileSync(file, '');
    this.armed = point;
    const until_ms = Date.now() + for_ms;
    try {
      while (existsSync(file)) {
        if (Date.now() >= until_ms) return !removed(file);
        await sleep(POLL_MS);
      }
      return true;
    } finally {
      this.armed = undefined;
    }
  }
}

/** False where somebody was faster. */
function removed(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}
