import type { Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import type { Institution } from '../domain/institutions';
import { findInstitutionByName, insertInstitution } from '../store/institutions';
import { tellAdministration, tellInstitution } from './tell';

/**
 * Writes a new institution. One of the name of another is made only when its maker says that it
 * is another: it is the same lender twice more often than not. Called under the lock of access.
 */
export async function makeInstitution(
  tx: Transaction,
  deps: Pick<Dependencies, 'clock' | 'newId'>,
  wanted: Pick<Institution, 'name' | 'website' | 'status'> & { confirm_distinct: boolean },
): Promise<Institution> {
  const { name, website, status, confirm_distinct } = wanted;
  const namesake = await findInstitutionByName(tx, name);
  if (namesake !== undefined && !confirm_distinct) {
    throw conflict(
      `The institution ${namesake} has this name: use that one, or set confirm_distinct when it is another.`,
      { reason: 'NAME_TAKEN', existing_id: namesake },
    );
  }
  const institution = await insertInstitution(tx, { id: deps.newId(), name, website, status });
  tellInstitution(tx, institution);
  const told = {
    action: 'institution.created',
    target_type: 'institution',
    target_id: institution.id,
    changes: {
      name,
      status,
      ...(namesake === undefined ? {} : { confirmed_distinct_from: namesake }),
    },
  };
  tellAdministration(tx, deps.clock, told, [institution.id]);
  return institution;
}
