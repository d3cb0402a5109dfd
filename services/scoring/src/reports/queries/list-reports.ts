import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  idFromCursor,
  institutionOf,
  type Page,
  type PageRequest,
  readPage,
  uuidIfGiven,
} from '@credit/platform/requests';
import type { ReportStatus, StoredReport } from '../domain/report';
import { reportsOfInstitution } from '../store/reports';

/** The institution's own reports, newest first. */
export function listReports(
  db: Database,
  ctx: CallContext,
  wanted: PageRequest & {
    readonly subject_id?: string | undefined;
    readonly status?: ReportStatus | undefined;
  },
  now_ms: number,
): Promise<Page<StoredReport>> {
  const filter = {
    institution_id: institutionOf(ctx),
    subject_id: uuidIfGiven('subject_id', wanted.subject_id),
    status: wanted.status,
    before_id: idFromCursor(wanted.cursor),
  };
  return readPage(
    wanted,
    (limit) => reportsOfInstitution(db.read(ctx), filter, now_ms, limit),
    (last) => [last.id],
  );
}
