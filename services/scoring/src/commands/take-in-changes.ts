import type { Transaction } from '@credit/platform/db';
import type { SubjectType } from '../domain/model';
import {
  type Change,
  countsInScore,
  isWhole,
  type SubjectFile,
  type Trigger,
  takeIn,
} from '../domain/subject-file';
import { insertSnapshots, type NewSnapshot } from '../store/snapshots';
import { openSubjectFiles, saveSubjectFiles } from '../store/subject-files';
import { evaluate, type Makings, settleModel, today } from './evaluate';

/**
 * Takes changes of any subjects in, in their order, with the snapshots they make, in a constant
 * number of statements. Returns the heads' versions of subjects that have a gap now.
 */
export async function takeInChanges(
  tx: Transaction,
  changes: readonly Change[],
  makings: Makings,
): Promise<ReadonlyMap<string, number>> {
  const subjects = new Map<string, SubjectType>();
  for (const { subject_id, subject_type } of changes) subjects.set(subject_id, subject_type);
  const counting = new Set(changes.filter(countsInScore).map(({ subject_id }) => subject_id));
  const opened = await openSubjectFiles(tx, subjects, today(makings), counting);
  const files = new Map(opened);
  const snapshots: NewSnapshot[] = [];
  for (const subject_id of counting) {
    files.set(subject_id, settleModel(fileOf(opened, subject_id), makings, snapshots));
  }
  for (const change of changes) {
    const { subject_id } = change;
    const before = fileOf(files, subject_id);
    const after = takeIn(before, change);
    if (after === before) continue;
    // Where nothing was missing before and nothing that counts has come, there is no other score,
    // and what time may have done to it is not this change's doing.
    const same_score = !counting.has(subject_id) && isWhole(fileOf(opened, subject_id).head);
    files.set(
      subject_id,
      same_score ? after : evaluate(after, triggerOf(change), makings, snapshots),
    );
  }
  await saveSubjectFiles(
    tx,
    [...files].map(([id, after]) => ({ before: fileOf(opened, id), after })),
  );
  await insertSnapshots(tx, snapshots);
  return new Map(
    [...files.values()]
      .filter(({ head }) => !isWhole(head))
      .map(({ head }) => [head.subject_id, Math.max(...head.early_versions)]),
  );
}

function triggerOf(change: Change): Trigger {
  return change.type === 'ACCOUNT'
    ? { type: 'EVENT', id: change.credit_event_id }
    : { type: 'INQUIRY', id: change.inquiry.inquiry_id };
}

function fileOf(files: ReadonlyMap<string, SubjectFile>, subject_id: string): SubjectFile {
  const file = files.get(subject_id);
  if (file === undefined) throw new Error(`The subject ${subject_id} was not opened.`);
  return file;
}
