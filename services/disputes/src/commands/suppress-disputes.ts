// What leaves a contested record out of the file, and brings it back. That it is wanted is stored with the
// dispute; what is asked of reporting has its effect once, and none after the record was brought back,
// so that whoever asks late, or again, changes nothing.

import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { isAppError } from '@credit/platform/errors';
import { type Clock, crashPoint, toTimestamp } from '@credit/platform/runtime';
import type { ReportingClient } from '../reporting-client';
import {
  keepSuppression,
  type SuppressedDispute,
  takeOverdue,
  wantedSuppression,
  wantedSuppressions,
} from '../store/suppressions';

/** What leaving out needs. */
export interface SuppressDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly reporting: Pick<ReportingClient, 'setSuppression'>;
}

/** As many are left out in one turn. */
export const SUPPRESSED_AT_ONCE = 100;
const CALL_TIMEOUT_MS = 8_000;

/** Has the record of a dispute left out before anybody is answered, where that is wanted. */
export async function suppressNow(
  deps: SuppressDeps,
  ctx: CallContext,
  dispute_id: string,
): Promise<void> {
  const wanted = await wantedSuppression(deps.db.read(ctx), dispute_id);
  if (wanted !== undefined) await suppress(deps, ctx.environment, wanted);
}

/** Leaves out what is wanted and nobody has seen to; returns how many there were. */
export async function suppressWanted(deps: SuppressDeps, ctx: CallContext): Promise<number> {
  const wanted = await wantedSuppressions(deps.db.read(ctx), SUPPRESSED_AT_ONCE);
  for (const dispute of wanted) await suppress(deps, ctx.environment, dispute);
  return wanted.length;
}

/** Has what was not decided in time be left out too; returns how many there were. */
export function suppressOverdue({ clock, db }: SuppressDeps, ctx: CallContext): Promise<number> {
  const now = toTimestamp(clock.now_ms());
  return takeOverdue(db.read(ctx), now, SUPPRESSED_AT_ONCE);
}

async function suppress(
  { db, reporting }: SuppressDeps,
  environment: Environment,
  { credit_event_id, id: dispute_id }: SuppressedDispute,
): Promise<void> {
  const ctx = systemContext(environment, {
    deadline_at_ms: Date.now() + CALL_TIMEOUT_MS,
    idempotency_key: `suppress:${dispute_id}`,
  });
  const wanted = { dispute_id, credit_event_id, suppressed: true };
  const is_done = await reporting.setSuppression(ctx, wanted).catch((error: unknown) => {
    // What is not on record is on nobody's file, and hinders no other.
    if (isAppError(error) && error.code === 'NOT_FOUND') return false;
    throw error;
  });
  crashPoint('dispute.left_out');
  await keepSuppression(db.read(ctx), dispute_id, is_done ? 'DONE' : 'IMPOSSIBLE');
}
