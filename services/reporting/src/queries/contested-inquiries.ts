import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import { survivorOf } from '../store/subjects';
import { latestInquiriesOf } from '../store/voided-inquiries';
import { subjectAndInstitutions } from './contested-accounts';

/** As many are shown: more cannot be voided by their ids either. */
export const MAX_INQUIRIES_SHOWN = 100;

/** The inquiries about a subject that a dispute may be about; without institutions, everybody's. */
export async function listContestedInquiries(
  db: Database,
  ctx: CallContext,
  wanted: { readonly subject_id: string; readonly institution_ids: readonly string[] },
): Promise<{ readonly inquiries: readonly Inquiry[]; readonly has_more: boolean }> {
  const on = db.read(ctx);
  const { institution_ids, ...named } = subjectAndInstitutions(wanted);
  const subject_id = await survivorOf(on, named.subject_id);
  const of = { subject_id, institution_ids };
  const found = await latestInquiriesOf(on, of, MAX_INQUIRIES_SHOWN + 1);
  return {
    inquiries: found.slice(0, MAX_INQUIRIES_SHOWN),
    has_more: found.length > MAX_INQUIRIES_SHOWN,
  };
}
