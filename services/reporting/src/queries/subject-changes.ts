import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { pageLimit, uuidFrom } from '@credit/platform/requests';
import type { Inquiry } from '../domain/inquiry';
import { eventsLeftOut } from '../store/left-out';
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
  const { subject_id } = span;
  const account_ids = [...new Set(changes.map(({ account_id }) => account_id))];
  const left_out = await eventsLeftOut(
    on,
    account_ids.map((account_id) => ({ subject_id, account_id })),
  );
  return {
    changes: changes.slice(0, limit).filter(({ credit_event_id: id }) => !left_out.has(id)),
    inquiries: await hardInquiriesBetween(on, span, limit),
    truncated: changes.length > limit,
  };
}
