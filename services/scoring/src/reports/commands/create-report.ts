import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { type Clock, crashPoint, toTimestamp } from '@credit/platform/runtime';
import type { ReportingClient } from '../../reporting-client';
import type { ReportFormat, ReportType, StoredReport } from '../domain/report';
import { takeInHand } from './take-in-hand';

export interface ReportRequest {
  readonly report_id: string;
  readonly subject_id: string;
  readonly report_type: ReportType | undefined;
  readonly format: ReportFormat | undefined;
  /** As the record names it. */
  readonly purpose: Parameters<ReportingClient['recordInquiry']>[1]['purpose'];
  readonly consent_reference: string | undefined;
}

export interface CreateReportDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly reporting: Pick<ReportingClient, 'recordInquiry' | 'subject'>;
}

/**
 * Records the inquiry, under the report's own id, and takes the report in hand. Called again with
 * the same id it finds both.
 */
export async function createReport(
  { db, clock, reporting }: CreateReportDeps,
  ctx: CallContext,
  request: ReportRequest,
): Promise<StoredReport> {
  const institution_id = institutionOf(ctx);
  const { report_id, subject_id, report_type, format, purpose } = request;
  if (report_type === undefined) throw invalid('report_type', 'is required');
  if (format === undefined) throw invalid('format', 'is required');
  if (report_type === 'NOTICE')
    throw invalid('report_type', 'of an inquiry is asked for as a notice');
  // Before the inquiry: what cannot be reported is not looked at.
  if (report_type === 'COMMERCIAL') {
    const subject = await reporting.subject(ctx, subject_id);
    if (subject.type !== 'ORGANISATION') {
      throw invalid('report_type', 'COMMERCIAL is for organisations');
    }
  }
  const inquiry = await reporting.recordInquiry(ctx, {
    inquiry_id: report_id,
    subject_id,
    purpose,
    consent_reference: request.consent_reference,
  });
  crashPoint('report.inquired');
  const asked = {
    id: report_id,
    institution_id,
    subject_id,
    report_type,
    format,
    purpose,
    as_of: inquiry.created_at,
    created_at: toTimestamp(clock.now_ms()),
    earlier_inquiry_id: undefined,
    parties: undefined,
    model_version: undefined,
  };
  return db.transaction(ctx, (tx) =>
    takeInHand(tx, ctx, asked, {
      action: 'report.requested',
      changes: { subject_id, report_type, format, purpose },
    }),
  );
}
