import type { Transaction } from '@credit/platform/db';
import { hasLost, takeInWhole, type WholeSubject } from '../domain/subject-file';
import { insertSnapshots, type NewSnapshot } from '../store/snapshots';
import { openSubjectFiles, replaceSubjectFiles, saveSubjectFiles } from '../store/subject-files';
import { evaluate, type Makings, settleModel, today } from './evaluate';

/**
 * Brings a subject up to the state that reporting has of it: newer rows replace older ones, what
 * came meanwhile stays. True when that changed anything.
 */
export async function applyWholeSubject(
  tx: Transaction,
  whole: WholeSubject,
  makings: Makings,
): Promise<boolean> {
  const { subject_id, subject_type } = whole;
  const opened = await openSubjectFiles(tx, new Map([[subject_id, subject_type]]), today(makings));
  const before = opened.get(subject_id);
  if (before === undefined) throw new Error(`The subject ${subject_id} was not opened.`);
  const snapshots: NewSnapshot[] = [];
  const settled = settleModel(before, makings, snapshots);
  const taken = takeInWhole(settled, whole);
  if (taken === settled) return false;
  const after = evaluate(taken, whole.last_change, makings, snapshots);
  if (hasLost(before, after)) await replaceSubjectFiles(tx, [after]);
  else await saveSubjectFiles(tx, [{ before, after }]);
  await insertSnapshots(tx, snapshots);
  return true;
}
