import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import {
  idFromCursor,
  institutionOf,
  type Page,
  type PageRequest,
  readPage,
  uuidIfGiven,
} from '@credit/platform/requests';
import type { Purpose } from '../domain/vocabulary';
import { inquiriesOfInstitution, type OwnInquiry } from '../store/inquiries';
import { unlessMerged } from './subjects';

/** What a listing is narrowed to. */
export interface InquiryListing extends PageRequest {
  readonly subject_id?: string | undefined;
  readonly purpose?: Purpose | undefined;
  /** From this time on. */
  readonly from_ms?: number | undefined;
  /** Before this time. */
  readonly to_ms?: number | undefined;
}

/** The institution's own inquiries, newest first; those without effect and refused ones among them. */
export function listInquiries(
  db: Database,
  ctx: CallContext,
  wanted: InquiryListing,
): Promise<Page<OwnInquiry>> {
  const institution_id = institutionOf(ctx);
  const { from_ms, to_ms } = wanted;
  if (from_ms !== undefined && to_ms !== undefined && from_ms >= to_ms) {
    throw invalid('to', 'must be later than from');
  }
  const filter = {
    institution_id,
    subject_id: uuidIfGiven('subject_id', wanted.subject_id),
    purpose: wanted.purpose,
    from_ms,
    to_ms,
    before_id: idFromCursor(wanted.cursor),
  };
  return readPage(
    wanted,
    async (limit) => {
      const on = db.read(ctx);
      return unlessMerged(on, filter.subject_id, await inquiriesOfInstitution(on, filter, limit));
    },
    (last) => [last.id],
  );
}
