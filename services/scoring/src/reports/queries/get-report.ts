import { createHash, randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { conflict, notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { MAX_INLINE_BYTES, type ReportStatus, type StoredReport, statusAt } from '../domain/report';
import { issueTicket, loadReport, readSlice } from '../store/reports';

export interface ReportAnswer {
  readonly report: StoredReport;
  readonly status: ReportStatus;
  /** JSON text; undefined unless the report is READY, in JSON, and small enough. */
  readonly content: string | undefined;
}

const TICKET_LIFETIME_MS = 30_000;

/** A report for its requester; for anyone else there is none. */
export async function getReport(
  db: Database,
  ctx: CallContext,
  report_id: string,
  now_ms: number,
): Promise<ReportAnswer> {
  const report = await ownReport(db, ctx, report_id);
  const status = statusAt(report, now_ms);
  const { format, content_bytes } = report;
  const is_inline =
    status === 'READY' &&
    format === 'JSON' &&
    content_bytes !== undefined &&
    content_bytes <= MAX_INLINE_BYTES;
  const text = is_inline
    ? await readSlice(db.read(ctx), report.id, 0, MAX_INLINE_BYTES)
    : undefined;
  return { report, status, content: text?.toString() };
}

/** A ticket for the report's document: random, for one use, kept as a hash. */
export async function openDocument(
  db: Database,
  ctx: CallContext,
  report_id: string,
  now_ms: number,
): Promise<string> {
  const report = await ownReport(db, ctx, report_id);
  const status = statusAt(report, now_ms);
  if (status !== 'READY')
    throw conflict(`The report is ${status}; it has no document.`, { reason: 'REPORT_NOT_READY' });
  const ticket = `${ctx.environment}.${randomBytes(32).toString('base64url')}`;
  await issueTicket(db.read(ctx), ticketHash(ticket), report.id, TICKET_LIFETIME_MS);
  return ticket;
}

export function ticketHash(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}

async function ownReport(db: Database, ctx: CallContext, report_id: string): Promise<StoredReport> {
  const id = uuidFrom('report_id', report_id);
  // Without an institution nothing is anyone's own.
  const report =
    ctx.institution_id === '' ? undefined : await loadReport(db.read(ctx), id, ctx.institution_id);
  if (report === undefined) throw notFound('The report does not exist.');
  return report;
}
