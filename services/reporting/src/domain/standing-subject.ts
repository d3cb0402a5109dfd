// Whether a subject has a file of its own, or is one with another since they were merged.

import { type AppError, conflict, notFound } from '@credit/platform/errors';

/** What is found of a subject by its id. */
interface Found {
  /** Where its records are now, when it was merged. */
  readonly merged_into?: string | undefined;
}

/** 404: nobody has this id. */
export function unknownSubject(): AppError {
  return notFound('The subject does not exist.');
}

/** 409 that names where the records are. */
export function subjectMerged(merged_into: string): AppError {
  return conflict(`The subject was merged into ${merged_into}.`, {
    reason: 'SUBJECT_MERGED',
    merged_into,
  });
}

/**
 * The one rule of what an id of a subject opens: 404 for one that nobody has, 409 with the surviving id
 * for one that was merged. Whatever reads or writes by a subject's id goes through it.
 */
export function standingSubject<Subject extends Found>(found: Subject | undefined): Subject {
  if (found === undefined) throw unknownSubject();
  if (found.merged_into !== undefined) throw subjectMerged(found.merged_into);
  return found;
}
