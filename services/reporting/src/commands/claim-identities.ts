import { Overtaken, type Transaction } from '@credit/platform/db';
import { duplicate, type Identity, type NewSubject, recognise } from '../domain/subject';
import { reserveIdentities } from '../store/renames';
import { claimPlaces, holdersOf, type Place, type PlacedHolder } from '../store/subjects';

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
  const known = await holdersOf(tx, identities, now_ms);
  const holders = known.filter((holder) => !holder.free);
  const others = holders.filter((holder) => holder.subject_id !== subject_id);
  const recognition = recognise(fields, others);
  if (recognition.kind !== 'new') throw duplicate(recognition.likenesses);
  const own = identities.filter((identity) =>
    holders.some((holder) => holder.held_by === subject_id && isSame(holder, identity)),
  );
  await reserveIdentities(tx, subject_id, own, undefined);
  const missing = identities.filter((identity) => !own.includes(identity));
  await takePlaces(
    tx,
    missing.map((identity) => placeBehind(known, identity, subject_id)),
  );
}

/** Behind those that are free too: two newcomers still meet at one place. */
export function placeBehind(
  known: readonly PlacedHolder[],
  { kind, key }: Identity,
  subject_id: string,
): Place {
  const ordinal = known
    .filter((holder) => isSame(holder, { kind, key }))
    .reduce((next, holder) => Math.max(next, holder.ordinal + 1), 0);
  return { kind, key, subject_id, ordinal };
}

/** Takes all of the places; where somebody was quicker, the transaction begins again. */
export async function takePlaces(tx: Transaction, places: readonly Place[]): Promise<void> {
  if ((await claimPlaces(tx, places)) < places.length) throw new Overtaken();
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.kind === b.kind && a.key === b.key;
}
