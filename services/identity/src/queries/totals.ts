import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { InstitutionStatus } from '../domain/institutions';
import { countInstitutionsByStatus } from '../store/institutions';

/** Institutions by status; a status that none has is left out. */
export function readTotals(
  db: Database,
  ctx: CallContext,
): Promise<{ status: InstitutionStatus; count: bigint }[]> {
  return countInstitutionsByStatus(db.read(ctx));
}
