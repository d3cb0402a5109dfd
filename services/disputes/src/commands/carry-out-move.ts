// The steps of a move. Each ends by a compare-and-set on the step, in the transaction of what it
// changes here; what it asks of reporting carries a key or an id of its own, so that asking again
// has no second effect. Whoever goes on from any point after a crash therefore ends at the same.

import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import { auditEvent, type Database, type Transaction } from '@credit/platform/db';
import { type AppError, type ErrorCode, isAppError } from '@credit/platform/errors';
import { type Clock, type Logger, toTimestamp } from '@credit/platform/runtime';
import { isResolved } from '../domain/dispute';
import { correctionReason, pauseAfter, reviewsAdded, stepAfter } from '../domain/move';
import { resolvedEvent } from '../messages';
import type { ReportingClient } from '../reporting-client';
import { countReview, readReview, reviewToggled } from '../store/account-reviews';
import { findDispute, type LocatedDispute, lockDispute, moveDisputes } from '../store/disputes';
import { advanceMove, endMove, type Move, type Refusal, releaseMove } from '../store/moves';
import { institutionsOf } from '../store/places';
import { locateDisputes } from './locate-disputes';

/** What carrying out moves needs. */
export interface MoveDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly reporting: ReportingClient;
  /** How long a process may be silent before another takes a move over. */
  readonly lease_ms: number;
}

/** One call, repetitions included; well within a lease. */
const CALL_TIMEOUT_MS = 8_000;
/** More than ever run at once for one account. */
const MAX_TOGGLES = 100;

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'REQUEST_ERROR',
  'NOT_FOUND',
  'INVALID_STATE_TRANSITION',
  'VALIDATION_ERROR',
]);
const CORRECTION_FIELDS: ReadonlySet<string> = new Set([
  'corrected_event_type',
  'corrected_occurred_at',
  'amount',
  'balance_after',
  'default_severity',
]);

/**
 * Carries a claimed move out, to its end unless something fails: then it is given back, to be
 * taken up again after a pause, and the failure is thrown.
 */
export async function carryOutMove(
  deps: MoveDeps,
  environment: Environment,
  claimed: Move,
): Promise<void> {
  const { db, lease_ms, logger } = deps;
  const own = systemContext(environment);
  let move: Move | undefined = claimed;
  try {
    while (move !== undefined) move = await takeStep(deps, environment, move);
  } catch (error) {
    const { attempts, dispute_id, id } = claimed;
    const step = move?.step;
    logger.warn({ err: error, move_id: id, dispute_id, step, attempts }, 'a dispute has to wait');
    await releaseMove(db.read(own), claimed, pauseAfter(attempts)).catch((broken: unknown) => {
      logger.warn({ err: broken, move_id: id, lease_ms }, 'a move is kept until its lease ends');
    });
    throw error;
  }
}

/** Undefined when nothing is left to do, or another has gone on. */
async function takeStep(
  deps: MoveDeps,
  environment: Environment,
  move: Move,
): Promise<Move | undefined> {
  const ctx = contextOf(environment, move);
  const dispute = await findDispute(deps.db.read(ctx), move.dispute_id);
  if (dispute === undefined) throw new Error(`The dispute ${move.dispute_id} has no row.`);
  switch (move.step) {
    case 'LOCATE':
      return locate(deps, ctx, move, dispute);
    case 'CORRECT':
      return correct(deps, ctx, move, dispute);
    case 'COUNT':
      return count(deps, ctx, move, dispute);
    case 'SETTLE':
      return settle(deps, ctx, move, dispute);
    case 'FINISH':
      await finish(deps, ctx, move);
      return undefined;
    default:
      return move.step satisfies never;
  }
}

/** In the name of who decided, whoever completes it. */
function contextOf(environment: Environment, move: Move): CallContext {
  return systemContext(environment, {
    actor: { type: move.actor_type, id: move.actor_id },
    client_address: move.client_address,
    request_id: move.request_id,
    deadline_at_ms: Date.now() + CALL_TIMEOUT_MS,
    idempotency_key: `dispute:${move.id}:${move.step}`,
  });
}

async function locate(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  if (dispute.located_at !== null) return advance(deps, ctx, move, dispute);
  await locateDisputes(deps, ctx, [dispute]);
  const located = await findDispute(deps.db.read(ctx), dispute.id);
  return advance(deps, ctx, move, located ?? dispute);
}

async function correct(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  const { credit_event_id, opened_at } = dispute;
  if (credit_event_id === null || move.resolution === null) {
    throw new Error(`The move ${move.id} cannot correct anything.`);
  }
  try {
    const correction_event_id = await deps.reporting.correct(ctx, {
      dispute_id: dispute.id,
      credit_event_id,
      filed_since: opened_at,
      replacement: move.correction,
      correction_reason: correctionReason(move.resolution),
    });
    return advance(deps, ctx, { ...move, correction_event_id }, dispute);
  } catch (error) {
    if (!isAppError(error) || !REFUSALS.has(error.code)) throw error;
    await endMove(deps.db.read(ctx), move, refusalOf(error));
    return undefined;
  }
}

/** A refusal of reporting in terms of what the administrator sent. */
function refusalOf({ code, details, message }: AppError): Refusal {
  return {
    // The dispute was found; what it contests was not.
    code: code === 'NOT_FOUND' ? 'INVALID_STATE_TRANSITION' : code,
    message,
    details: details.map((detail) => ({
      ...detail,
      path: CORRECTION_FIELDS.has(detail.path) ? `correction.${detail.path}` : detail.path,
    })),
  };
}

function count(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  return deps.db.transaction(ctx, async (tx) => {
    const next = await advance(deps, ctx, move, dispute, tx);
    if (next !== undefined) {
      await countReview(tx, accountOf(dispute), reviewsAdded(move.status), deps.newId());
    }
    return next;
  });
}

/**
 * Has the account stand in reporting as its reviews are counted, whoever counted them. Several may
 * be at it: a change has one id, so it is made once, and is counted once.
 */
async function settle(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  const { db, newId, reporting } = deps;
  const account_id = accountOf(dispute);
  for (let round = 0; round < MAX_TOGGLES; round += 1) {
    const { next_change_id, open_reviews, toggles_done } = await readReview(
      db.read(ctx),
      account_id,
    );
    const stands = toggles_done % 2n === 1n;
    if (open_reviews > 0 === stands) return advance(deps, ctx, move, dispute);
    const key = `review:${next_change_id}`;
    await reporting.setReview(
      { ...ctx, idempotency_key: key, deadline_at_ms: Date.now() + CALL_TIMEOUT_MS },
      { account_id, under_review: !stands, change_id: next_change_id },
    );
    await reviewToggled(db.read(ctx), account_id, next_change_id, newId());
  }
  throw new Error(`The review of the account ${account_id} does not settle.`);
}

/** Moves the dispute and its duplicates, and tells of it. */
function finish(deps: MoveDeps, ctx: CallContext, move: Move): Promise<void> {
  const at = toTimestamp(deps.clock.now_ms());
  return deps.db.transaction(ctx, async (tx) => {
    // First, in a statement of its own: a duplicate that was on its way is seen by the next.
    const dispute = await lockDispute(tx, move.dispute_id);
    if (!(await endMove(tx, move, null))) return;
    const is_outcome = isResolved(move.status);
    const is_corrected = move.status === 'RESOLVED_CORRECTED';
    const change = {
      status: move.status,
      resolution: move.resolution,
      resolved_at: is_outcome ? at : null,
      correction_event_id: move.correction_event_id,
      correction_pending: is_corrected && move.correction_event_id === null,
    };
    const moved = await moveDisputes(tx, dispute.id, change);
    const institution_ids = await institutionsOf(tx, dispute.id);
    // In the network's log, and in those of whom it concerns.
    for (const institution_id of ['', ...institution_ids]) {
      tx.outbox(
        auditEvent({
          ctx,
          institution_id,
          action: is_outcome ? 'dispute.resolved' : 'dispute.reviewed',
          target_type: 'dispute',
          target_id: dispute.id,
          changes: {
            status: { from: dispute.status, to: move.status },
            resolution: move.resolution,
            correction_event_id: change.correction_event_id,
            correction_pending: change.correction_pending,
            duplicates: moved - 1,
          },
          at,
        }),
      );
    }
    if (!is_outcome) return;
    const place = {
      subject_id: dispute.located_subject_id,
      account_id: dispute.account_id,
      institution_ids,
    };
    tx.outbox(resolvedEvent({ ...dispute, ...change }, place, at));
  });
}

/** The move at its next step; undefined when somebody else has gone on from this one. */
async function advance(
  { db, lease_ms }: MoveDeps,
  ctx: CallContext,
  move: Move,
  { account_id, credit_event_id, status }: LocatedDispute,
  on: Transaction | ReturnType<Database['read']> = db.read(ctx),
): Promise<Move | undefined> {
  const step = stepAfter(move.step, {
    from: status,
    to: move.status,
    credit_event_id,
    account_id,
  });
  const gone_on = await advanceMove(on, move, step, lease_ms);
  return gone_on ? { ...move, step } : undefined;
}

function accountOf({ account_id, id }: LocatedDispute): string {
  if (account_id === null) throw new Error(`The dispute ${id} is about no account.`);
  return account_id;
}
