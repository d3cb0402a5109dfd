import { createHash } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { contentCsv } from '../documents/csv';
import { contentJson } from '../documents/json';
import { contentPdf } from '../documents/pdf';
import { MAX_DOCUMENT_BYTES, type ReportFormat, type StoredReport } from '../domain/report';
import { buildContent, type PastScore, type ReportContent } from '../domain/report-content';
import type { ReportingClient } from '../reporting-client';
import { listSnapshotsUntil } from '../store/snapshots';

export interface BuildReportDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'fileAt' | 'eventsAt' | 'subject'>;
}

export interface ReportDocument {
  readonly content: Buffer;
  readonly sha256: Buffer;
}

const SCORES_SHOWN = 100;

/** Puts a report together from the record as it was at its moment, whenever this is done. */
export async function buildReport(
  deps: BuildReportDeps,
  ctx: CallContext,
  report: StoredReport,
): Promise<ReportDocument> {
  const { subject_id, as_of } = report;
  // The accounts are seen through the requester's eyes.
  const as_requester: CallContext = { ...ctx, institution_id: report.institution_id };
  const [subject, file, accounts, scores] = await Promise.all([
    deps.reporting.subject(as_requester, subject_id),
    deps.reporting.fileAt(as_requester, subject_id, as_of, as_of),
    report.report_type === 'SUMMARY'
      ? []
      : deps.reporting.eventsAt(as_requester, subject_id, as_of),
    scoresUntil(deps.db, ctx, subject_id, as_of),
  ]);
  const content = await write(
    report.format,
    buildContent({
      report: { ...report, inquiry_id: report.id },
      subject,
      file,
      accounts,
      scores,
    }),
  );
  if (content.length > MAX_DOCUMENT_BYTES) throw new RangeError('The document is too large.');
  return { content, sha256: createHash('sha256').update(content).digest() };
}

async function write(format: ReportFormat, content: ReportContent): Promise<Buffer> {
  switch (format) {
    case 'JSON':
      return Buffer.from(contentJson(content));
    case 'CSV':
      return Buffer.from(contentCsv(content));
    case 'PDF':
      return contentPdf(content);
    default:
      return format satisfies never;
  }
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
