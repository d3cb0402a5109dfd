import { systemContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { sweepAttempts } from '../store/attempts';
import { sweepRateCounters } from '../store/authorization';
import { sweepSessions } from '../store/sessions';

const BATCH = 1_000;
/** A backlog larger than this waits for the next sweep. */
const MAX_BATCHES = 50;

/** Deletes what is over: counters of past windows, tokens and sessions past their end. */
export async function sweep(deps: Pick<Dependencies, 'db'>): Promise<number> {
  const on = deps.db.read(systemContext('live'));
  let deleted = 0;
  for (const sweepBatch of [sweepRateCounters, sweepAttempts, sweepSessions]) {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const count = await sweepBatch(on, BATCH);
      deleted += count;
      if (count < BATCH) break;
    }
  }
  return deleted;
}
