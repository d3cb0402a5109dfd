import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { dayOfInstant } from '../domain/model';
import { inputOf, nextSnapshot } from '../domain/snapshot';
import { isWhole, type SubjectFile, type Trigger } from '../domain/subject-file';
import type { NewSnapshot } from '../store/snapshots';

/** What commands need beside the database. */
export interface Makings {
  readonly clock: Clock;
  readonly newId: () => string;
}

export function today({ clock }: Pick<Makings, 'clock'>): number {
  return dayOfInstant(clock.now_ms());
}

/**
 * Works the score of a changed file out and adds a snapshot to `snapshots` if one is due. Nothing
 * is judged while changes are known to be missing: the one that closes the gap brings it on.
 */
export function evaluate(
  file: SubjectFile,
  trigger: Trigger,
  makings: Makings,
  snapshots: NewSnapshot[],
): SubjectFile {
  if (!isWhole(file.head)) return file;
  const next = nextSnapshot(file.head, inputOf(file, today(makings)), trigger);
  if (next === null) return file;
  snapshots.push({
    ...next.snapshot,
    id: makings.newId(),
    calculated_at: toTimestamp(makings.clock.now_ms()),
  });
  return { ...file, head: next.head };
}
