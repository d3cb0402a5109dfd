import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { pageLimit, uuidFrom } from '@credit/platform/requests';
import { FIRST_ID, pageOfHeads, type SubjectVersion } from '../store/subject-records';

const BOUNDS = { fallback: 1_000, maximum: 1_000 };

/** How far each subject has come, by id. */
export function subjectHeadsPage(
  db: Database,
  ctx: CallContext,
  wanted: { limit: number; after_subject_id?: string | undefined },
): Promise<SubjectVersion[]> {
  const { after_subject_id } = wanted;
  const limit = pageLimit(wanted.limit, BOUNDS);
  const after =
    after_subject_id === undefined ? FIRST_ID : uuidFrom('after_subject_id', after_subject_id);
  return pageOfHeads(db.read(ctx), after, limit);
}
