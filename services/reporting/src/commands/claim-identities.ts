import type { Transaction } from '@credit/platform/db';
import { checkDuplicates, type Identity, type NewSubject } from '../domain/subject';
import { claimIdentities, holdersOf } from '../store/subjects';

/** Each round that claims too little has met a newcomer that committed in between. */
const MAX_CLAIM_ROUNDS = 5;

/** Takes the identities, behind the holders of the same that the subject is distinct from. */
export async function claimAll(
  tx: Transaction,
  subject_id: string,
  subject: NewSubject,
  identities: readonly Identity[],
): Promise<void> {
  let missing = [...identities];
  for (let round = 0; round < MAX_CLAIM_ROUNDS; round += 1) {
    const holders = await holdersOf(tx, missing);
    checkDuplicates(subject, holders);
    const claimed = await claimIdentities(
      tx,
      subject_id,
      missing.map((identity) => ({
        ...identity,
        ordinal: 1 + lastOrdinal(holders.filter((holder) => isSame(holder, identity))),
      })),
    );
    missing = missing.filter((identity) => !claimed.some((own) => isSame(own, identity)));
    if (missing.length === 0) return;
  }
  throw new Error('The identities of a subject could not be claimed.');
}

function lastOrdinal(holders: readonly { ordinal: number }[]): number {
  return Math.max(-1, ...holders.map((holder) => holder.ordinal));
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.kind === b.kind && a.key === b.key;
}
