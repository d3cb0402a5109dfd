import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import type { Clock } from '@credit/platform/runtime';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { assertTransition, type Institution, type InstitutionStatus } from '../domain/institutions';
import { assertChange, requiredText } from '../domain/texts';
import { lockInstitution, updateInstitutionRow } from '../store/institutions';
import { requirePlatformRole } from './actor';
import { tellAdministration, tellInstitution } from './tell';

const ACTIONS: Readonly<Record<InstitutionStatus, string>> = {
  PENDING: 'institution.updated',
  ACTIVE: 'institution.activated',
  SUSPENDED: 'institution.suspended',
  CLOSED: 'institution.closed',
};

/** Changes an institution's status or listing. Authorisation sees it from the commit on. */
export async function updateInstitution(
  deps: Dependencies,
  ctx: CallContext,
  change: {
    institution_id: string;
    status?: InstitutionStatus | undefined;
    reason?: string | undefined;
    publicly_listed?: boolean | undefined;
  },
): Promise<Institution> {
  const reason = checkChange(change);
  return deps.db.transaction(ctx, async (tx) => {
    await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    const before = await lockInstitution(tx, change.institution_id);
    if (before === undefined) throw notFound('There is no such institution.');
    return changeInstitution(tx, deps.clock, before, { ...change, reason });
  });
}

/** Changes a row that is locked, and tells of it; `also` goes into the log beside that. */
export async function changeInstitution(
  tx: Transaction,
  clock: Clock,
  before: Institution,
  change: {
    status?: InstitutionStatus | undefined;
    reason: string | undefined;
    publicly_listed?: boolean | undefined;
  },
  also: Readonly<Record<string, string>> = {},
): Promise<Institution> {
  const { reason } = change;
  if (change.status !== undefined) assertTransition(before.status, change.status);
  const publicly_listed = change.publicly_listed ?? before.publicly_listed;
  // A repeat is no change, and nobody need hear of it.
  if (change.status === undefined && publicly_listed === before.publicly_listed) return before;
  const after = await updateInstitutionRow(tx, before.id, {
    status: change.status ?? before.status,
    reason,
    publicly_listed,
    website: before.website,
  });
  tellInstitution(tx, after);
  const told = {
    action: change.status === undefined ? 'institution.updated' : ACTIONS[change.status],
    target_type: 'institution',
    target_id: after.id,
    changes: {
      ...(before.status === after.status
        ? {}
        : { status: { from: before.status, to: after.status }, reason }),
      ...(before.publicly_listed === after.publicly_listed
        ? {}
        : { publicly_listed: { from: before.publicly_listed, to: after.publicly_listed } }),
      ...also,
    },
  };
  tellAdministration(tx, clock, told, [after.id]);
  return after;
}

/** There is something to change, and a change of status says why. Returns the reason. */
function checkChange(change: {
  status?: unknown;
  reason?: string | undefined;
  publicly_listed?: unknown;
}): string | undefined {
  if (change.status === undefined) {
    if (change.reason !== undefined) throw invalid('reason', 'belongs to a change of status');
    assertChange(change, ['status', 'publicly_listed']);
    return undefined;
  }
  const faults: ErrorDetail[] = [];
  const reason = requiredText(faults, 'reason', change.reason ?? '', TEXTS.status_reason);
  if (faults.length > 0) throw invalid(faults);
  return reason;
}
