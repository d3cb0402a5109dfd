import type { Transaction } from '@credit/platform/db';
import { checkDuplicates, type Identity, type NewSubject } from '../domain/subject';
import { reserveIdentities } from '../store/renames';
import { claimIdentities, holdersOf } from '../store/subjects';

/** Each round that claims too little has met a newcomer that committed in between. */
const MAX_CLAIM_ROUNDS = 5;

/** A subject that takes identities. */
export interface Claimant {
  readonly subject_id: string;
  readonly fields: NewSubject;
  readonly now_ms: number;
}

/**
 * Takes the identities, behind the holders of the same that the subject is distinct from; those
 * that it gave up and that are kept for it, it takes up again.
 */
export async function claimAll(
  tx: Transaction,
  { subject_id, fields, now_ms }: Claimant,
  identities: readonly Identity[],
): Promise<void> {
  let missing = [...identities];
  for (let round = 0; round < MAX_CLAIM_ROUNDS; round += 1) {
    const known = await holdersOf(tx, missing, now_ms);
    const holders = known.filter((holder) => !holder.free);
    checkDuplicates(
      fields,
      holders.filter((holder) => holder.subject_id !== subject_id),
    );
    const own = missing.filter((identity) =>
      holders.some((holder) => holder.subject_id === subject_id && isSame(holder, identity)),
    );
    await reserveIdentities(tx, subject_id, own, undefined);
    missing = missing.filter((identity) => !own.includes(identity));
    if (missing.length === 0) return;
    const claimed = await claimIdentities(
      tx,
      subject_id,
      missing.map((identity) => ({
        ...identity,
        // Behind those that are free too: two newcomers still meet at one place.
        ordinal: 1 + lastOrdinal(known.filter((holder) => isSame(holder, identity))),
      })),
    );
    missing = missing.filter((identity) => !claimed.some((taken) => isSame(taken, identity)));
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
