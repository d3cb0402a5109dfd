import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { dayOfInstant } from '../../domain/model';
import { modelFor } from '../../queries/model-for';
import type { ReportingClient } from '../../reporting-client';
import type { NoticeParties, ReportFormat, StoredReport } from '../domain/report';
import { takeInHand } from './take-in-hand';

export interface NoticeRequest {
  readonly report_id: string;
  readonly inquiry_id: string;
  readonly format: ReportFormat | undefined;
  readonly parties: NoticeParties | undefined;
  /** What the score was made with that was seen; undefined for the model in force. */
  readonly model_version: string | undefined;
}

export interface CreateNoticeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly reporting: Pick<ReportingClient, 'inquiry'>;
}

const DAY_MS = 86_400_000;
/** Whoever decides says so soon; what was seen long ago decides nothing any more. */
export const NOTICE_DAYS = 60;

/**
 * Takes in hand a notice of what an inquiry of the caller's showed. There is none without a look:
 * it says nothing that the caller was not shown. Called again with the same id it finds the notice.
 */
export async function createNotice(
  { db, clock, reporting }: CreateNoticeDeps,
  ctx: CallContext,
  { report_id, inquiry_id, format, parties, model_version }: NoticeRequest,
): Promise<StoredReport> {
  const institution_id = institutionOf(ctx);
  if (format !== 'JSON' && format !== 'PDF') throw invalid('format', 'must be JSON or PDF');
  if (parties === undefined) throw invalid('parties', 'is required');
  const now_ms = clock.now_ms();
  const model = modelFor(model_version, dayOfInstant(now_ms));
  const inquiry = await reporting.inquiry(ctx, inquiry_id);
  const { subject_id, purpose, created_at: as_of } = inquiry;
  if (inquiry.was_refused) throw invalid('inquiry_id', 'was refused: it showed nothing');
  if (now_ms - Date.parse(as_of) > NOTICE_DAYS * DAY_MS) {
    throw invalid('inquiry_id', `must be of the last ${NOTICE_DAYS} days`);
  }
  const asked = {
    id: report_id,
    institution_id,
    subject_id,
    report_type: 'NOTICE' as const,
    format,
    purpose,
    as_of,
    created_at: toTimestamp(now_ms),
    earlier_inquiry_id: inquiry_id,
    parties,
    model_version: model.version,
  };
  return db.transaction(ctx, (tx) =>
    takeInHand(tx, ctx, asked, {
      action: 'notice.requested',
      changes: { subject_id, inquiry_id, format },
    }),
  );
}
