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
import type { StoredReport } from '../domain/report';
import { reportsOfInstitution } from '../store/reports';

/** The institution's own reports, newest first. */
export function listReports(
  db: Database,
  ctx: CallContext,
  wanted: PageRequest & { readonly subject_id?: string | undefined },
): Promise<Page<StoredReport>> {
  const filter = {
    institution_id: institutionOf(ctx),
    subject_id: uuidIfGiven('subject_id', wanted.subject_id),
    before_id: idFromCursor(wanted.cursor),
  };
  return readPage(
    wanted,
    (limit) => reportsOfInstitution(db.read(ctx), filter, limit),
    (last) => [last.id],
  );
}
