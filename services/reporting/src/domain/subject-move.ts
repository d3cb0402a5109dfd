// Records that administrators move between subjects.

import { type AppError, conflict } from '@credit/platform/errors';
import type { Inquiry } from './inquiry';
import { duplicatesAmong } from './inquiry';
import type { Subject } from './subject';

export type MoveKind = 'MERGE' | 'SPLIT';
export type MovedKind = 'ACCOUNT' | 'INQUIRY' | 'REFUSED_INQUIRY' | 'DISPUTE';

/** A move on record. */
export interface SubjectMove {
  readonly id: string;
  readonly kind: MoveKind;
  readonly from_subject_id: string;
  readonly to_subject_id: string;
  /** The merge that it takes back. */
  readonly undoes_move_id?: string | undefined;
  /** The split that has taken it back. */
  readonly undone_by_move_id?: string | undefined;
  readonly reason: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly moved_at_ms: number;
  readonly accounts: number;
  readonly inquiries: number;
  readonly disputes: number;
}

/** What one move may take along: it is one transaction, under the locks of both files. */
export const MAX_MOVED_ACCOUNTS = 1_000;
export const MAX_MOVED_EVENTS = 20_000;
/** Inquiries, refused ones and disputes, of each. */
export const MAX_MOVED_OTHERS = 5_000;

/** A subject that is to be merged. */
export interface Mergeable {
  readonly subject: Subject;
  readonly cleared: boolean;
  readonly persona: boolean;
}

/** Why two subjects cannot become one; undefined when they can. */
export function whyNotMergeable(one: Mergeable, other: Mergeable): AppError | undefined {
  const refused = (message: string) => conflict(message, { reason: 'NOT_MERGEABLE' });
  if (one.subject.type !== other.subject.type) {
    return refused('An individual and an organisation are never the same.');
  }
  if (one.cleared || other.cleared) return refused('A subject was cleared from the sandbox.');
  if (one.persona || other.persona) return refused('Personas of the sandbox stay as they are.');
  return undefined;
}

export function tooMuch(what: string, most: number): AppError {
  return conflict(`More than ${most} ${what} cannot be moved at once.`, {
    reason: 'LIMIT_REACHED',
  });
}

/**
 * What the inquiries of a file repeat after some have come or gone, as far as that is something else than
 * before. What one repeats is on its own file.
 */
export function changedDuplicates(
  inquiries: readonly Inquiry[],
): { id: string; duplicate_of: string | undefined }[] {
  const own = new Set(inquiries.map(({ id }) => id));
  const here = inquiries.map((inquiry) =>
    inquiry.duplicate_of === undefined || own.has(inquiry.duplicate_of)
      ? inquiry
      : { ...inquiry, duplicate_of: undefined },
  );
  const duplicates = duplicatesAmong(here);
  return inquiries.flatMap(({ id, duplicate_of }) => {
    const now = duplicates.get(id);
    return now === duplicate_of ? [] : [{ id, duplicate_of: now }];
  });
}
