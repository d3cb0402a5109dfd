import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { ReportingClient } from '../../reporting-client';
import { listSnapshotsUntil } from '../../store/snapshots';
import type { DocumentThread, WrittenDocument } from '../documents/document-thread';
import { MAX_DOCUMENT_BYTES, type StoredReport } from '../domain/report';
import type { PastScore } from '../domain/report-content';

export interface BuildReportDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'fileAt' | 'eventsAt' | 'subject'>;
  readonly documents: Pick<DocumentThread, 'write'>;
}

const SCORES_SHOWN = 100;

/** Puts a report together from the record as it was at its moment, whenever this is done. */
export async function buildReport(
  deps: BuildReportDeps,
  ctx: CallContext,
  report: StoredReport,
): Promise<WrittenDocument> {
  const { subject_id, as_of } = report;
  // The accounts are seen through the requester's eyes.
  const as_requester: CallContext = { ...ctx, institution_id: report.institution_id };
  const [subject, file, accounts, scores] = await Promise.all([
    deps.reporting.subject(as_requester, subject_id),
    deps.reporting.fileAt(as_requester, subject_id, as_of, as_of),
    report.report_type === 'SUMMARY' || report.report_type === 'NOTICE'
      ? []
      : deps.reporting.eventsAt(as_requester, subject_id, as_of),
    scoresUntil(deps.db, ctx, subject_id, as_of),
  ]);
  const document = await deps.documents.write({
    report,
    subject,
    file,
    accounts,
    scores,
  });
  if (document.content.length > MAX_DOCUMENT_BYTES) {
    throw new RangeError('The document is too large.');
  }
  return document;
}

async function scoresUntil(
  db: Database,
  ctx: CallContext,
  subject_id: string,
  as_of: string,
): Promise<PastScore[]> {
  const snapshots = await listSnapshotsUntil(db.read(ctx), subject_id, as_of, SCORES_SHOWN);
  return snapshots.map(({ calculated_at, score, grade, previous_score, trigger_type }) => ({
    calculated_at,
    score,
    grade,
    previous_score,
    trigger_type,
  }));
}
