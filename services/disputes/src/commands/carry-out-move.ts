// The steps of a move. Each ends by a compare-and-set on the step, in the transaction of what it
// changes here; what it asks of reporting carries a key or an id of its own, so that asking again
// has no second effect. Whoever goes on from any point after a crash therefore ends at the same.

import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import { AppError, type ErrorCode, isAppError } from '@credit/platform/errors';
import {
  type Clock,
  crashPoint,
  giveBack,
  type Logger,
  toTimestamp,
} from '@credit/platform/runtime';
import { isResolved, MAX_GROUP } from '../domain/dispute';
import {
  chosenOf,
  correctionReason,
  coverageOf,
  type MoveOrder,
  mendingOf,
  pauseAfter,
  stepAfter,
} from '../domain/move';
import { inquiriesOf } from '../domain/place';
import { logged, outcomeOwedEvent, resolvedEvent } from '../messages';
import type { CoveredAccount, EventMending, Mended, ReportingClient } from '../reporting-client';
import {
  beginReviews,
  endReviews,
  reviewToggled,
  type UnsettledAccount,
  unsettledAccounts,
} from '../store/account-reviews';
import {
  disputesOnTheirWay,
  findDispute,
  type LocatedDispute,
  moveDisputes,
  releaseDisputes,
} from '../store/disputes';
import { advanceMove, endMove, type Move, type Refusal, releaseMove } from '../store/moves';
import { institutionsOf } from '../store/places';
import { endSuppression, suppressedOnTheirWay } from '../store/suppressions';
import { keepLocated, locateDisputes } from './locate-disputes';

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
/** Accounts that are brought into line before it is looked again which are not. */
const SETTLED_AT_ONCE = 100;
/** More than the accounts of a dispute take, and than ever run at once for one account. */
const MAX_ROUNDS = 200;

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
  'corrected_account',
  'inquiry_ids',
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
  const { logger } = deps;
  const own = systemContext(environment);
  let move: Move | undefined = claimed;
  try {
    while (move !== undefined) {
      move = await takeStep(deps, environment, move);
      crashPoint('dispute.step_taken');
    }
  } catch (error) {
    const { attempts, dispute_id, id } = claimed;
    const step = move?.step;
    logger.warn({ err: error, move_id: id, dispute_id, step, attempts }, 'a dispute has to wait');
    await giveMoveBack(deps, own, claimed, pauseAfter(attempts));
    throw error;
  }
}

/** For others to go on with, at once or by themselves after a pause. */
export function giveMoveBack(
  { db, lease_ms, logger }: MoveDeps,
  ctx: CallContext,
  move: Pick<Move, 'id' | 'lease_token'>,
  pause_ms: number,
): Promise<void> {
  return giveBack({
    lease_ms,
    release: () => releaseMove(db.read(ctx), move, pause_ms),
    onDelay: (failure) =>
      logger.warn({ err: failure, move_id: move.id }, 'a move cannot be given back yet'),
  });
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
    case 'RELEASE':
      return release(deps, ctx, move, dispute);
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
  const located = await whereItIs(deps, ctx, dispute);
  try {
    const accounts = chosenOf(
      await coveredAccounts(deps, ctx, move, located),
      move.named_account_ids,
    );
    const account_ids = accounts.map((account) => account.account_id);
    const opening_event_ids = accounts.flatMap((account) => account.opening_event_id ?? []);
    return await advance(deps, ctx, { ...move, account_ids, opening_event_ids }, located);
  } catch (error) {
    return refuse(deps, ctx, move, error);
  }
}

/** The dispute with its place, which is looked for when it is not known yet. */
export async function whereItIs(
  deps: MoveDeps,
  ctx: CallContext,
  dispute: LocatedDispute,
): Promise<LocatedDispute> {
  if (dispute.located_at !== undefined) return dispute;
  await locateDisputes(deps, ctx, [dispute]);
  return (await findDispute(deps.db.read(ctx), dispute.id)) ?? dispute;
}

/** The accounts that a decision is about. */
export async function coveredAccounts(
  { reporting }: MoveDeps,
  ctx: CallContext,
  move: MoveOrder,
  dispute: LocatedDispute,
): Promise<readonly (Pick<CoveredAccount, 'account_id'> & Partial<CoveredAccount>)[]> {
  const coverage = coverageOf(dispute, move);
  switch (coverage.kind) {
    case 'NONE':
      return [];
    case 'ACCOUNT':
      return [coverage];
    case 'SUBJECT':
      return reporting.coveredAccounts(ctx, coverage);
    default:
      return coverage satisfies never;
  }
}

async function correct(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  try {
    const after = await mended(deps, ctx, move, dispute);
    crashPoint('dispute.mended');
    return await advance(deps, ctx, after, dispute);
  } catch (error) {
    return refuse(deps, ctx, move, error);
  }
}

/** The move with what came of its mending. */
async function mended(
  deps: MoveDeps,
  ctx: CallContext,
  move: Move,
  dispute: LocatedDispute,
): Promise<Move> {
  const mending = mendingOf(dispute, move);
  switch (mending) {
    case 'EVENT': {
      const { credit_event_id } = dispute;
      if (credit_event_id === undefined) throw new Error(`The move ${move.id} names no event.`);
      const { correction_event_id } = await correctEvent(deps, ctx, move, dispute, credit_event_id);
      return { ...move, correction_event_id };
    }
    case 'ACCOUNTS':
      return takenOffTheFile(deps, ctx, move, dispute);
    case 'INQUIRIES':
      return { ...move, voided_inquiry_ids: await voidInquiries(deps, ctx, move, dispute) };
    case 'NOTHING':
      throw new Error(`The move ${move.id} cannot correct anything.`);
    default:
      return mending satisfies never;
  }
}

function correctEvent(
  { reporting }: MoveDeps,
  ctx: CallContext,
  move: Move,
  dispute: LocatedDispute,
  credit_event_id: string,
): Promise<Mended> {
  return reporting.correct(ctx, mendingOfEvent(move, dispute, credit_event_id));
}

/** What is asked of reporting to mend an event. */
export function mendingOfEvent(
  { correction, resolution }: MoveOrder,
  { id: dispute_id, opened_at: filed_since, reason }: LocatedDispute,
  credit_event_id: string,
): EventMending {
  return {
    dispute_id,
    credit_event_id,
    filed_since,
    reason,
    replacement: correction,
    correction_reason: correctionReason(resolution ?? ''),
  };
}

/**
 * Voids the openings of the named accounts. A refusal refuses the decision as long as nothing has
 * been voided by it; of the others it is kept that they still stand.
 */
async function takenOffTheFile(
  deps: MoveDeps,
  ctx: CallContext,
  move: Move,
  dispute: LocatedDispute,
): Promise<Move> {
  let correction_event_id: string | undefined;
  let unmended_count = 0;
  for (const event_id of move.opening_event_ids) {
    const own = {
      ...ctx,
      idempotency_key: `${ctx.idempotency_key}:${event_id}`,
      deadline_at_ms: Date.now() + CALL_TIMEOUT_MS,
    };
    try {
      const correction = await correctEvent(deps, own, move, dispute, event_id);
      correction_event_id ??= correction.correction_event_id;
      if (correction.correction_event_id === undefined) unmended_count += 1;
    } catch (error) {
      if (correction_event_id === undefined || !isRefusal(error)) throw error;
      deps.logger.warn({ err: error, dispute_id: dispute.id }, 'an account stays on the file');
      unmended_count += 1;
    }
  }
  return { ...move, correction_event_id, unmended_count };
}

async function voidInquiries(
  deps: MoveDeps,
  ctx: CallContext,
  move: Move,
  dispute: LocatedDispute,
): Promise<readonly string[]> {
  const voiding = await voidingOf(deps, ctx, move, dispute);
  return voiding === undefined ? [] : deps.reporting.voidInquiries(ctx, voiding);
}

/** What is asked of reporting to take inquiries' effect away; undefined when nobody's are meant. */
export async function voidingOf(
  { db }: MoveDeps,
  ctx: CallContext,
  { inquiry_ids }: MoveOrder,
  dispute: LocatedDispute,
) {
  const concerned = (await institutionsOf(db.read(ctx), [dispute.id])).get(dispute.id) ?? [];
  const of = inquiriesOf(dispute, concerned);
  if (of === undefined) return undefined;
  if (of.institution_ids.length === 0 && inquiry_ids.length === 0) return undefined;
  return { dispute_id: dispute.id, ...of, inquiry_ids };
}

function isRefusal(error: unknown): error is AppError {
  return isAppError(error) && REFUSALS.has(error.code);
}

/** Ends a move whose decision does not stand, with all whom it had taken along as they were. */
async function refuse(
  { db }: MoveDeps,
  ctx: CallContext,
  move: Move,
  error: unknown,
): Promise<undefined> {
  if (!isRefusal(error)) throw error;
  await db.transaction(ctx, async (tx) => {
    if (await endMove(tx, move, refusalOf(error))) await releaseDisputes(tx, move.id);
  });
  return undefined;
}

/** What the administrator hears of a decision that does not stand. */
export function refused({ code, details, message }: Refusal): AppError {
  return new AppError(code, message, { details: [...details] });
}

/** The same of a decision that was only rehearsed; anything but a refusal as it is. */
export function refusedInRehearsal(error: unknown): unknown {
  return isRefusal(error) ? refused(refusalOf(error)) : error;
}

/** A refusal of reporting in terms of what the administrator sent. */
function refusalOf({ code, details, message }: AppError): Refusal {
  return {
    // The dispute was found; what it contests was not.
    code: code === 'NOT_FOUND' ? 'INVALID_STATE_TRANSITION' : code,
    message,
    details: details.map((detail) => ({
      ...detail,
      path: CORRECTION_FIELDS.has(/^[a-z_]*/.exec(detail.path)?.[0] ?? '')
        ? `correction.${detail.path}`
        : detail.path,
    })),
  };
}

/** Ends that records are left out for disputes that are decided: what stands of them counts again. */
async function release(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  const on = deps.db.read(ctx);
  const left_out = await suppressedOnTheirWay(on, move.id, MAX_GROUP);
  for (const { credit_event_id, id: dispute_id } of left_out) {
    const own = {
      ...ctx,
      idempotency_key: `restore:${dispute_id}`,
      deadline_at_ms: Date.now() + CALL_TIMEOUT_MS,
    };
    const back = { dispute_id, credit_event_id, suppressed: false };
    await deps.reporting.setSuppression(own, back);
    crashPoint('dispute.brought_back');
    await endSuppression(on, dispute_id);
  }
  return advance(deps, ctx, move, dispute);
}

function count(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  return deps.db.transaction(ctx, async (tx) => {
    const next = await advance(deps, ctx, move, dispute, tx);
    if (next === undefined) return undefined;
    if (move.status === 'UNDER_REVIEW') {
      const own = { dispute_id: dispute.id, move_id: move.id };
      await beginReviews(tx, own, move.account_ids, deps.newId);
    } else {
      await endReviews(tx, move.id);
    }
    return next;
  });
}

/**
 * Has the accounts stand in reporting as their reviews are counted, whoever counted them. Several
 * may be at it: a change has one id, so it is made once, and is counted once.
 */
async function settle(deps: MoveDeps, ctx: CallContext, move: Move, dispute: LocatedDispute) {
  const on = deps.db.read(ctx);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const accounts = await unsettledAccounts(on, move.id, SETTLED_AT_ONCE);
    if (accounts.length === 0) return advance(deps, ctx, move, dispute);
    for (const account of accounts) await toggle(deps, ctx, account);
  }
  throw new Error(`The reviews of the dispute ${dispute.id} do not settle.`);
}

async function toggle(
  { db, newId, reporting }: MoveDeps,
  ctx: CallContext,
  { account_id, next_change_id, open_reviews }: UnsettledAccount,
): Promise<void> {
  await reporting.setReview(
    {
      ...ctx,
      idempotency_key: `review:${next_change_id}`,
      deadline_at_ms: Date.now() + CALL_TIMEOUT_MS,
    },
    { account_id, under_review: open_reviews > 0, change_id: next_change_id },
  );
  crashPoint('dispute.marked');
  await reviewToggled(db.read(ctx), account_id, next_change_id, newId());
}

/** Moves the dispute and those that go with it, and tells of each. */
function finish(deps: MoveDeps, ctx: CallContext, move: Move): Promise<void> {
  const at = toTimestamp(deps.clock.now_ms());
  return deps.db.transaction(ctx, async (tx) => {
    const disputes = await disputesOnTheirWay(tx, move);
    const decided = disputes.find(({ id }) => id === move.dispute_id);
    if (decided === undefined) throw new Error(`The dispute ${move.dispute_id} has no row.`);
    if (!(await endMove(tx, move, undefined))) return;
    const is_outcome = isResolved(move.status);
    const is_mended = move.correction_event_id !== undefined || move.voided_inquiry_ids.length > 0;
    const change = {
      status: move.status,
      resolution: move.resolution,
      resolved_at: is_outcome ? at : undefined,
      correction_event_id: move.correction_event_id,
      correction_pending:
        move.status === 'RESOLVED_CORRECTED' && (!is_mended || move.unmended_count > 0),
      voided_inquiry_ids: move.voided_inquiry_ids,
    };
    const ids = disputes.map(({ id }) => id);
    await moveDisputes(tx, ids, decided.id, change);
    await locateLike(tx, deps, decided, disputes);
    const concerned = await institutionsOf(tx, ids);
    for (const dispute of disputes) {
      const institution_ids = concerned.get(dispute.id) ?? [];
      const is_decided = dispute.id === decided.id;
      // In the network's log, and in those of whom it concerns.
      for (const institution_id of ['', ...institution_ids]) {
        tx.audit(
          {
            institution_id,
            action: is_outcome ? 'dispute.resolved' : 'dispute.reviewed',
            target_type: 'dispute',
            target_id: dispute.id,
            changes: logged({
              status: { from: dispute.status, to: move.status },
              correction_event_id: change.correction_event_id,
              correction_pending: change.correction_pending,
              ...(is_decided ? detailsOf(move, disputes.length) : { decided_with: decided.id }),
            }),
            at,
          },
          ctx,
        );
      }
      if (!is_outcome) continue;
      const place = {
        subject_id: decided.located_subject_id,
        account_id: decided.account_id,
        institution_ids,
      };
      const resolved = { ...dispute, ...change };
      tx.outbox(resolvedEvent(resolved, place, at));
      const mail = outcomeOwedEvent(resolved);
      if (mail !== undefined) tx.outbox(mail);
    }
  });
}

/** What the log keeps of a decision, with the dispute that it was made about. */
function detailsOf(move: Move, decided_count: number): Record<string, unknown> {
  return {
    resolution: move.resolution,
    ...(move.account_ids.length === 0 ? {} : { account_ids: move.account_ids }),
    ...(move.voided_inquiry_ids.length === 0
      ? {}
      : { voided_inquiry_ids: move.voided_inquiry_ids }),
    decided_count,
  };
}

/** Others of a group contest the same event: where it is need not be asked again. */
async function locateLike(
  tx: Transaction,
  { clock }: MoveDeps,
  decided: LocatedDispute,
  disputes: readonly LocatedDispute[],
): Promise<void> {
  const unlocated = disputes.filter(({ located_at }) => located_at === undefined);
  if (unlocated.length === 0) return;
  const institution_ids = (await institutionsOf(tx, [decided.id])).get(decided.id) ?? [];
  const { account_id, located_subject_id: subject_id } = decided;
  const place = { subject_id, account_id, institution_ids };
  await keepLocated(
    tx,
    unlocated.map((dispute) => ({ dispute, place })),
    clock,
  );
}

/** The move at its next step; undefined when somebody else has gone on from this one. */
async function advance(
  { db, lease_ms }: MoveDeps,
  ctx: CallContext,
  move: Move,
  dispute: LocatedDispute,
  on: Transaction | ReturnType<Database['read']> = db.read(ctx),
): Promise<Move | undefined> {
  const step = stepAfter(move.step, {
    from: dispute.status,
    to: move.status,
    mending: mendingOf(dispute, move),
    left_out: dispute.suppression !== undefined,
    reviewed_count: move.account_ids.length,
    apply_to_group: move.apply_to_group,
  });
  const gone_on = await advanceMove(on, move, step, lease_ms);
  return gone_on ? { ...move, step } : undefined;
}
