import type { Transaction } from '@credit/platform/db';
import { isOfAnotherModel, triggerWithoutFact } from '../domain/snapshot';
import { emptyFile, takeInWhole, type WholeSubject } from '../domain/subject-file';
import { insertSnapshots, type NewSnapshot } from '../store/snapshots';
import { openSubjectFiles, replaceSubjectFiles } from '../store/subject-files';
import { evaluate, type Makings, today } from './evaluate';

export interface Replaced {
  readonly replaced: number;
  /** Subjects that are further here than the file says, with how far they are here. */
  readonly newer_here: ReadonlyMap<string, number>;
}

/**
 * Puts what reporting has in place of whatever is here, whether it looks right or not. A subject
 * that has come further meanwhile is left alone, unless `even_if_newer` names it.
 */
export async function replaceSubjects(
  tx: Transaction,
  wholes: readonly WholeSubject[],
  makings: Makings,
  even_if_newer: ReadonlySet<string> = new Set(),
): Promise<Replaced> {
  const subjects = new Map(
    wholes.map(({ subject_id, subject_type }) => [subject_id, subject_type] as const),
  );
  const opened = await openSubjectFiles(tx, subjects, today(makings));
  const newer_here = new Map<string, number>();
  const snapshots: NewSnapshot[] = [];
  const files = wholes.flatMap((whole) => {
    const { subject_id, subject_type } = whole;
    const before = opened.get(subject_id) ?? emptyFile(subject_id, subject_type);
    const here = Math.max(before.head.complete_version, ...before.head.early_versions);
    if (here > whole.subject_version && !even_if_newer.has(subject_id)) {
      newer_here.set(subject_id, here);
      return [];
    }
    const blank = {
      ...emptyFile(subject_id, subject_type),
      head: { ...before.head, subject_type, complete_version: 0, early_versions: [] },
    };
    // What is here need not be right, so that the model's part cannot be told apart.
    const trigger = isOfAnotherModel(before.head)
      ? triggerWithoutFact(before.head)
      : whole.last_change;
    return [evaluate(takeInWhole(blank, whole), trigger, makings, snapshots)];
  });
  await replaceSubjectFiles(tx, files);
  await insertSnapshots(tx, snapshots);
  return { replaced: files.length, newer_here };
}
