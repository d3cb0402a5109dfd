import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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

const POLL_MS = 50;

/** The folder by which points are armed in all processes of a system. */
export class CrashPoints {
  /** Which of them is armed now. */
  armed: CrashPoint | undefined;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** For the environment of the system. */
  get environment(): Record<string, string> {
    return { CRASH_POINTS: this.folder };
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
