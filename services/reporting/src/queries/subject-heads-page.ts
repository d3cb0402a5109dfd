import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { FIRST_ID, pageOfHeads, type SubjectVersion } from '../store/subject-records';

const MAX_LIMIT = 1_000;

/** How far each subject has come, by id. */
export function subjectHeadsPage(
  db: Database,
  ctx: CallContext,
  wanted: { limit: number; after_subject_id?: string | undefined },
): Promise<SubjectVersion[]> {
  const { limit, after_subject_id } = wanted;
  if (limit < 1 || limit > MAX_LIMIT) throw invalid('limit', `must be from 1 to ${MAX_LIMIT}`);
  const after =
    after_subject_id === undefined ? FIRST_ID : uuidFrom('after_subject_id', after_subject_id);
  return pageOfHeads(db.read(ctx), after, limit);
}
