import type { Transaction } from '@credit/platform/db';
import type { SubjectType } from '../domain/model';
import {
  type Change,
  isWhole,
  type SubjectFile,
  type Trigger,
  takeIn,
} from '../domain/subject-file';
import { insertSnapshots, type NewSnapshot } from '../store/snapshots';
import { openSubjectFiles, saveSubjectFiles } from '../store/subject-files';
import { evaluate, type Makings, today } from './evaluate';

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
  const opened = await openSubjectFiles(tx, subjects, today(makings));
  const files = new Map(opened);
  const snapshots: NewSnapshot[] = [];
  for (const change of changes) {
    const before = fileOf(files, change.subject_id);
    const after = takeIn(before, change);
    if (after === before) continue;
    files.set(change.subject_id, evaluate(after, triggerOf(change), makings, snapshots));
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
