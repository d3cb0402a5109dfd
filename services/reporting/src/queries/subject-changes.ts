import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { pageLimit, uuidFrom } from '@credit/platform/requests';
import type { Inquiry } from '../domain/inquiry';
import { changesBetween, hardInquiriesBetween, type SubjectChange } from '../store/subject-records';

const BOUNDS = { fallback: 500, maximum: 500 };

export interface SubjectChanges {
  readonly changes: readonly SubjectChange[];
  readonly inquiries: readonly Inquiry[];
  readonly truncated: boolean;
}

/** What was recorded of a subject within a span of ids, oldest first. */
export async function subjectChanges(
  db: Database,
  ctx: CallContext,
  wanted: { subject_id: string; after_id: string; until_id: string; limit: number },
): Promise<SubjectChanges> {
  const limit = pageLimit(wanted.limit, BOUNDS);
  const span = {
    subject_id: uuidFrom('subject_id', wanted.subject_id),
    after_id: uuidFrom('after_id', wanted.after_id),
    until_id: uuidFrom('until_id', wanted.until_id),
  };
  const on = db.read(ctx);
  const changes = await changesBetween(on, span, limit + 1);
  return {
    changes: changes.slice(0, limit),
    inquiries: await hardInquiriesBetween(on, span, limit),
    truncated: changes.length > limit,
  };
}
