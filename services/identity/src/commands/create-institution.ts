import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import type { Institution } from '../domain/institutions';
import { optionalText, requiredText } from '../domain/texts';
import { lockAccess } from '../store/users';
import { requirePlatformRole } from './actor';
import { makeInstitution } from './make-institution';

/**
 * Makes an institution that did not apply, PENDING: its users can be made, and sign in from the
 * day on which it is set ACTIVE.
 */
export async function createInstitution(
  deps: Dependencies,
  ctx: CallContext,
  wanted: { name: string; website?: string | undefined; confirm_distinct: boolean },
): Promise<Institution> {
  const faults: ErrorDetail[] = [];
  const name = requiredText(faults, 'name', wanted.name, TEXTS.institution_name);
  const website = optionalText(faults, 'website', wanted.website, TEXTS.link);
  if (faults.length > 0) throw invalid(faults);
  const { confirm_distinct } = wanted;
  return deps.db.transaction(ctx, async (tx) => {
    await lockAccess(tx);
    await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    return makeInstitution(tx, deps, { name, website, status: 'PENDING', confirm_distinct });
  });
}
