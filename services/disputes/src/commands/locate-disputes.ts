import type { CallContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import {
  institutionsConcerned,
  isOnRecord,
  NOWHERE,
  type Place,
  referenceOf,
} from '../domain/place';
import { openedEvent } from '../messages';
import type { ReportingClient } from '../reporting-client';
import { disputesNotLocated, keepPlaces, type UnlocatedDispute } from '../store/places';

/** As many as reporting is asked for at once. */
export const LOCATED_AT_ONCE = 100;

/** What locating needs. */
export interface LocateDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly reporting: Pick<ReportingClient, 'locate'>;
}

/** Finds out whose reporting the oldest disputes are about; returns how many there were. */
export async function locateOldest(deps: LocateDeps, ctx: CallContext): Promise<number> {
  const disputes = await disputesNotLocated(deps.db.read(ctx), LOCATED_AT_ONCE);
  await locateDisputes(deps, ctx, disputes);
  return disputes.length;
}

/** Finds out whose reporting disputes are about, and tells those institutions. */
export async function locateDisputes(
  deps: LocateDeps,
  ctx: CallContext,
  disputes: readonly UnlocatedDispute[],
): Promise<void> {
  if (disputes.length === 0) return;
  const references = disputes.map(referenceOf);
  const asked = references.filter((reference) => reference !== undefined);
  const answers = asked.length === 0 ? [] : await deps.reporting.locate(ctx, asked);
  let next = 0;
  const located = disputes.map((dispute, index) => {
    const place = references[index] === undefined ? undefined : answers[next++];
    return { dispute, place: place ?? NOWHERE };
  });
  await deps.db.transaction(ctx, (tx) => keepLocated(tx, located, deps.clock));
}

/** Keeps where disputes belong. Each is told of once, by whoever keeps it first. */
export async function keepLocated(
  tx: Transaction,
  located: readonly { readonly dispute: UnlocatedDispute; readonly place: Place }[],
  clock: Clock,
): Promise<void> {
  const concerned = located.map(({ dispute, place }) => ({
    dispute,
    place: { ...place, institution_ids: institutionsConcerned(dispute, place) },
  }));
  const places = concerned.map(({ dispute, place }) => ({ dispute_id: dispute.id, ...place }));
  const fresh = await keepPlaces(tx, places, toTimestamp(clock.now_ms()));
  for (const { dispute, place } of concerned) {
    if (fresh.has(dispute.id) && isOnRecord(place)) tx.outbox(openedEvent(dispute, place));
  }
}
