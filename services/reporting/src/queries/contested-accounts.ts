import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { type ContestedAccount, contestedAccounts } from '../store/contested-records';

const MAX_INSTITUTIONS = 100;

/** The accounts of a subject that a dispute covers; without institutions, everybody's. */
export function listContestedAccounts(
  db: Database,
  ctx: CallContext,
  wanted: { readonly subject_id: string; readonly institution_ids: readonly string[] },
): Promise<ContestedAccount[]> {
  const { institution_ids, subject_id } = subjectAndInstitutions(wanted);
  return contestedAccounts(db.read(ctx), subject_id, institution_ids);
}

/** Whose records about whom are wanted; VALIDATION_ERROR when it cannot be that. */
export function subjectAndInstitutions(wanted: {
  readonly subject_id: string;
  readonly institution_ids: readonly string[];
}): { readonly subject_id: string; readonly institution_ids: readonly string[] } {
  if (wanted.institution_ids.length > MAX_INSTITUTIONS) {
    throw invalid('institution_ids', `must hold at most ${MAX_INSTITUTIONS} items`);
  }
  return {
    subject_id: uuidFrom('subject_id', wanted.subject_id),
    institution_ids: wanted.institution_ids.map((id, index) =>
      uuidFrom(`institution_ids[${index}]`, id),
    ),
  };
}
