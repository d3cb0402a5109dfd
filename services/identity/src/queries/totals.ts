import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { InstitutionStatus } from '../domain/institutions';
import { type Waiting, waitingApplications } from '../store/applications';
import { waitingContactRequests } from '../store/contact-requests';
import { countInstitutionsByStatus } from '../store/institutions';

/** What administrators watch of the network's members and queues. */
export interface IdentityTotals {
  /** A status that none has is left out. */
  readonly by_status: { status: InstitutionStatus; count: bigint }[];
  readonly applications_waiting: Waiting;
  readonly contact_requests_waiting: Waiting;
}

/** Institutions by status, and what waits for the network. */
export async function readTotals(db: Database, ctx: CallContext): Promise<IdentityTotals> {
  const on = db.read(ctx);
  const [by_status, applications_waiting, contact_requests_waiting] = await Promise.all([
    countInstitutionsByStatus(on),
    waitingApplications(on),
    waitingContactRequests(on),
  ]);
  return { by_status, applications_waiting, contact_requests_waiting };
}
