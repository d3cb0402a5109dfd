import type { Transaction } from '@credit/platform/db';
import { cancelDeliveriesOfInstitution } from '../store/deliveries';
import { type InstitutionRow, upsertInstitution } from '../store/institutions';

/**
 * Keeps what identity says of an institution. A closed one never comes back, so
 * what it still had to receive is cancelled.
 */
export async function recordInstitution(
  tx: Transaction,
  institution: InstitutionRow,
): Promise<void> {
  const changed = await upsertInstitution(tx, institution);
  if (changed && institution.status === 'CLOSED') {
    await cancelDeliveriesOfInstitution(tx, institution.id);
  }
}
