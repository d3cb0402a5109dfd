import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { ownRecords } from '../store/subject-records';

const MAX_IDS = 200;

/** Which of a subject's events and inquiries the caller's institution made. */
export async function listOwnRecords(
  db: Database,
  ctx: CallContext,
  wanted: { readonly subject_id: string; readonly record_ids: readonly string[] },
): Promise<string[]> {
  if (wanted.record_ids.length > MAX_IDS) {
    throw invalid('record_ids', `must be ${MAX_IDS} at most`);
  }
  const ids = wanted.record_ids.map((id) => uuidFrom('record_ids', id));
  const subject_id = uuidFrom('subject_id', wanted.subject_id);
  return ownRecords(db.read(ctx), subject_id, ids, institutionOf(ctx));
}
