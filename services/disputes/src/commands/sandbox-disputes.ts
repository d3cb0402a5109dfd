// Disputes for those who integrate: opened and decided by one institution, in test alone.

import type { CallContext } from '@credit/platform/context';
import { invalid, isAppError, notFound, rateLimited } from '@credit/platform/errors';
import { institutionOf, requireTest, uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { DAY_MS } from '../domain/business-days';
import type { Dispute, DisputeReason } from '../domain/dispute';
import { findDispute } from '../store/disputes';
import { takeSandboxDispute, undecidedOfSandbox } from '../store/sandboxes';
import type { MoveDeps } from './carry-out-move';
import { type MoveDispute, moveDispute } from './move-dispute';
import { auditOpening, keepIntake, type OpenDisputeDeps } from './open-dispute';

/** Enough for a test suite that runs on every change; each may set several webhooks going. */
export const SANDBOX_DISPUTES_A_DAY = 200;
/** Past the 30 days in which a dispute is to be resolved. */
const MOST_DAYS_AGO = 40;
const REJECTED_A_CALL = 20;
/** No further rejection begins after this long: the caller waits. */
const LONGEST_MS = 2_000;

/** What sandbox disputes need. */
export type SandboxDisputesDeps = MoveDeps & OpenDisputeDeps;

/** Which event to contest, and as of when. */
export interface SandboxIntake {
  readonly credit_event_id: string;
  readonly reason: DisputeReason | undefined;
  readonly opened_days_ago: number;
}

/**
 * Opens a dispute in the name of an event's subject. Whoever opens it is the institution concerned: it
 * reported the event, or stands in for a persona's furnisher, who is nobody.
 */
export async function openSandboxDispute(
  deps: SandboxDisputesDeps,
  ctx: CallContext,
  { credit_event_id: named_id, opened_days_ago, reason = 'OTHER' }: SandboxIntake,
): Promise<Dispute> {
  requireTest(ctx);
  const institution_id = institutionOf(ctx);
  const credit_event_id = uuidFrom('credit_event_id', named_id);
  if (opened_days_ago < 0 || opened_days_ago > MOST_DAYS_AGO) {
    throw invalid('opened_days_ago', `must be 0 to ${MOST_DAYS_AGO}`);
  }
  const place = await deps.reporting.locateSandboxEvent(ctx, credit_event_id);
  const now_ms = deps.clock.now_ms();
  const intake = {
    subject_id: place.subject_id,
    credit_event_id,
    reported_institution_id: undefined,
    opened_by: 'The subject, in the sandbox.',
    reason,
    description: 'Opened in the sandbox.',
    contact_email: undefined,
    evidence_links: [],
  };
  return deps.db.transaction(ctx, async (tx) => {
    const at = toTimestamp(now_ms);
    if (!(await takeSandboxDispute(tx, institution_id, at, SANDBOX_DISPUTES_A_DAY))) {
      throw rateLimited(
        `The ${SANDBOX_DISPUTES_A_DAY} disputes of the day are opened; there are more at 00:00 UTC.`,
        Math.ceil((DAY_MS - (now_ms % DAY_MS)) / 1_000),
        'DISPUTES_OF_THE_DAY',
      );
    }
    const dispute = await keepIntake(tx, deps, intake, {
      opened_at_ms: now_ms - opened_days_ago * DAY_MS,
      sandbox_institution_id: institution_id,
      place: { ...place, institution_ids: [institution_id] },
    });
    auditOpening(tx, ctx, dispute, { institution_id, at, opened_at: dispute.opened_at });
    return dispute;
  });
}

/** Takes a dispute where the institution that opened it in test says. */
export async function moveSandboxDispute(
  deps: SandboxDisputesDeps,
  ctx: CallContext,
  decision: MoveDispute,
): Promise<Dispute> {
  requireTest(ctx);
  const institution_id = institutionOf(ctx);
  const dispute_id = uuidFrom('dispute_id', decision.dispute_id);
  const dispute = await findDispute(deps.db.read(ctx), dispute_id);
  if (dispute?.sandbox_institution_id !== institution_id) {
    throw notFound('You have opened no such dispute in test.');
  }
  return moveDispute(deps, ctx, decision);
}

/**
 * Rejects a bounded part of what an institution opened in test and nobody has decided. Another call
 * goes on, and one with nothing left to do does nothing.
 */
export async function rejectSandboxDisputes(
  deps: SandboxDisputesDeps,
  ctx: CallContext,
): Promise<{ readonly disputes: number; readonly done: boolean }> {
  requireTest(ctx);
  const institution_id = institutionOf(ctx);
  const until_ms = deps.clock.now_ms() + LONGEST_MS;
  const found = await undecidedOfSandbox(deps.db.read(ctx), institution_id, REJECTED_A_CALL + 1);
  let disputes = 0;
  for (const dispute_id of found.slice(0, REJECTED_A_CALL)) {
    if (deps.clock.now_ms() > until_ms) return { disputes, done: false };
    if (await reject(deps, ctx, dispute_id)) disputes += 1;
  }
  return { disputes, done: found.length <= REJECTED_A_CALL };
}

/** False for one that somebody else has decided meanwhile. */
async function reject(
  deps: SandboxDisputesDeps,
  ctx: CallContext,
  dispute_id: string,
): Promise<boolean> {
  const decision: MoveDispute = {
    dispute_id,
    status: 'REJECTED',
    resolution: 'Cleared from the sandbox.',
    correction: undefined,
    account_ids: [],
    inquiry_ids: [],
    apply_to_group: false,
  };
  try {
    await moveDispute(deps, ctx, decision);
    return true;
  } catch (error) {
    if (isAppError(error) && error.reason === 'DISPUTE_MOVED') return false;
    throw error;
  }
}
