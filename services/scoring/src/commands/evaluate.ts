import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { dayOfInstant, MODEL_VERSION } from '../domain/model';
import { inputOf, isOfAnotherModel, nextSnapshot, triggerWithoutFact } from '../domain/snapshot';
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
  if (next === undefined) return underModelInForce(file);
  snapshots.push({
    ...next.snapshot,
    id: makings.newId(),
    calculated_at: toTimestamp(makings.clock.now_ms()),
  });
  return { ...file, head: next.head };
}

/**
 * Before a change is taken in: what another model does to the score is told by itself and not as
 * the doing of the change. Files that are not whole wait for the change that makes them so.
 */
export function settleModel(
  file: SubjectFile,
  makings: Makings,
  snapshots: NewSnapshot[],
): SubjectFile {
  if (!isOfAnotherModel(file.head)) return file;
  return evaluate(file, triggerWithoutFact(file.head), makings, snapshots);
}

/** The same score under the model in force is no news, and from now on that model's. */
function underModelInForce(file: SubjectFile): SubjectFile {
  const { head } = file;
  if (head.model_version === MODEL_VERSION) return file;
  return { ...file, head: { ...head, model_version: MODEL_VERSION } };
}
