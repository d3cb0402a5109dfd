import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { MODEL_VERSION } from '../domain/model';
import { inputOf, isOfAnotherModel, nextSnapshot, triggerWithoutFact } from '../domain/snapshot';
import type { SubjectFile } from '../domain/subject-file';
import { insertSnapshotAtHead } from '../store/snapshots';
import { markModel } from '../store/subject-files';
import { type Makings, today } from './evaluate';

/** Writes a snapshot when nothing but time or the model has changed the score of a file that misses nothing. */
export async function recordAgeing(
  db: Database,
  ctx: CallContext,
  file: SubjectFile,
  makings: Makings,
): Promise<void> {
  const trigger = triggerWithoutFact(file.head);
  const next = nextSnapshot(file.head, inputOf(file, today(makings)), trigger);
  if (next === undefined) {
    if (isOfAnotherModel(file.head)) await markModel(db.read(ctx), file.head, MODEL_VERSION);
    return;
  }
  const calculated_at = toTimestamp(makings.clock.now_ms());
  const snapshot = { ...next.snapshot, id: makings.newId(), calculated_at };
  await insertSnapshotAtHead(db.read(ctx), next.head, snapshot);
}
