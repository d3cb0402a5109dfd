import type { Database } from '@credit/platform/db';
import { type Background, type Logger, sweeping } from '@credit/platform/runtime';
import { deleteExpired, expireImports, sweepContent } from '../store/imports';

/** Deletes the files of imports that are over, and imports that nobody reads about any more. */
export function importSweeper(options: {
  readonly db: Database;
  readonly logger: Logger;
  readonly pause_ms: number;
}): Background {
  return sweeping({
    ...options,
    name: 'sweep-imports',
    sweeps: () => [expireImports, sweepContent, deleteExpired],
  });
}
