import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import type { Institution } from '../domain/institutions';
import { assertChange, optionalText } from '../domain/texts';
import { lockInstitution, updateInstitutionRow } from '../store/institutions';
import { requirePermission } from './actor';
import { tellAudit, tellInstitution, withNulls } from './tell';

/**
 * Changes what the caller's institution says of itself. Its name and its standing are the
 * network's.
 */
export async function updateOwnInstitution(
  deps: Dependencies,
  ctx: CallContext,
  change: {
    /** An empty one takes it away. */
    website?: string | undefined;
    publicly_listed?: boolean | undefined;
  },
): Promise<Institution> {
  assertChange(change, ['website', 'publicly_listed']);
  const faults: ErrorDetail[] = [];
  const website = optionalText(faults, 'website', change.website, TEXTS.link);
  if (faults.length > 0) throw invalid(faults);
  return deps.db.transaction(ctx, async (tx) => {
    const { institution_id } = await requirePermission(tx, ctx, 'institution.users.manage');
    const before = await lockInstitution(tx, institution_id);
    if (before === undefined) throw notFound('There is no such institution.');
    const wanted = {
      website: change.website === undefined ? before.website : website,
      publicly_listed: change.publicly_listed ?? before.publicly_listed,
    };
    const changes = Object.fromEntries(
      (['website', 'publicly_listed'] as const)
        .filter((field) => wanted[field] !== before[field])
        .map((field) => [field, withNulls({ from: before[field], to: wanted[field] })]),
    );
    // A repeat is no change, and nobody need hear of it.
    if (Object.keys(changes).length === 0) return before;
    const after = await updateInstitutionRow(tx, before.id, {
      ...wanted,
      status: before.status,
      reason: undefined,
    });
    tellInstitution(tx, after);
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'institution.updated',
      target_type: 'institution',
      target_id: institution_id,
      changes,
    });
    return after;
  });
}
