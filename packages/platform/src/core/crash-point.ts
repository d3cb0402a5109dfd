import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from './config';

const folder = process.env.CRASH_POINTS;

/**
 * A place between two steps where a process may die. In a system that is there to be broken
 * (docs/RELIABILITY.md) CRASH_POINTS names a folder: a file there with the name of a point has the
 * first process that comes by end, once, as SIGKILL ends it. Anywhere else this does nothing.
 */
export function crashPoint(name: string): void {
  if (folder === undefined) return;
  try {
    // Of all that come by at once, one finds it.
    unlinkSync(path.join(folder, name));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

/** Throws when the points are in use where no supervisor of one's own machine started the process. */
export function refuseCrashPoints(): void {
  if (folder === undefined || process.connected) return;
  throw new ConfigError(
    'CRASH_POINTS is for trying what a crash does, under `npm run faults` alone.',
  );
}
