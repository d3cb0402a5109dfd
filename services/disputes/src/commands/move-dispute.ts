import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '@credit/platform/context';
import { conflict, isAppError, notFound, unavailable } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { crashPoint } from '@credit/platform/runtime';
import type { Dispute } from '../domain/dispute';
import { checkMove, isSameOrder, type MoveDraft, type MoveOrder, parseMove } from '../domain/move';
import { findDispute, lockDispute, lockGroup, takeDispute, takeGroup } from '../store/disputes';
import { claimMove, insertMove, type Move, moveState, pendingMove } from '../store/moves';
import { carryOutMove, giveMoveBack, type MoveDeps, refused } from './carry-out-move';

/** A caller without a deadline of its own waits for others this long. */
const LONGEST_WAIT_MS = 10_000;
/** So long before its caller gives up, an answer is sent that still comes in time. */
const ANSWER_BEFORE_MS = 1_000;
const LOOK_AGAIN_MS = 50;
const RETRY_AFTER_S = 2;

/** A decision as it comes in. */
export interface MoveDispute extends MoveDraft {
  readonly dispute_id: string;
}

/**
 * Takes a dispute where an administrator says, with others of its group when that is said too. It is
 * decided once and for good when this is stored; the answer comes when all is done. When it cannot
 * be done now, the caller is told to ask again, and it is done meanwhile.
 */
export async function moveDispute(
  deps: MoveDeps,
  ctx: CallContext,
  { dispute_id: named_id, ...draft }: MoveDispute,
): Promise<Dispute> {
  const dispute_id = uuidFrom('dispute_id', named_id);
  const order = parseMove(draft);
  const begun = await begin(deps, ctx, dispute_id, order);
  crashPoint('dispute.decided');
  await complete(deps, ctx, begun);
  const moved = await findDispute(deps.db.read(ctx), dispute_id);
  if (moved === undefined) throw new Error(`The dispute ${dispute_id} vanished.`);
  return moved;
}

interface Begun {
  readonly move_id: string;
  /** Undefined when somebody else has it. */
  readonly move: Move | undefined;
}

/** Stores the decision, or finds the same one on its way. */
async function begin(
  deps: MoveDeps,
  ctx: CallContext,
  dispute_id: string,
  order: MoveOrder,
): Promise<Begun> {
  const { db, lease_ms, newId } = deps;
  const own = { id: newId(), lease_token: newId() };
  let move_id = own.id;
  const stored = db.transaction(ctx, async (tx) => {
    const named = await findDispute(tx, dispute_id);
    if (named === undefined) throw notFound('There is no such dispute.');
    const group = order.apply_to_group ? await lockGroup(tx, named) : [];
    const dispute = await lockDispute(tx, dispute_id);
    const pending = await pendingMove(tx, dispute);
    if (pending !== undefined) {
      if (!isSameOrder(pending, order)) {
        throw conflict(`The dispute is on its way to ${pending.status}.`, {
          reason: 'DISPUTE_MOVED',
        });
      }
      move_id = pending.id;
      const move = await claimMove(tx, move_id, own.lease_token, lease_ms);
      return { move_id, move };
    }
    checkMove(dispute, order);
    const move = await insertMove(tx, { ...order, ...own, dispute_id }, ctx, lease_ms);
    await takeDispute(tx, dispute_id, own.id);
    if (order.apply_to_group) await takeGroup(tx, group, own.id);
    return { move_id, move };
  });
  try {
    return await stored;
  } catch (error) {
    // It may be stored all the same, in the hands of this caller, who will do nothing for it.
    const is_unknown = isAppError(error) && error.retry_after_s !== undefined;
    if (is_unknown) await giveMoveBack(deps, ctx, { ...own, id: move_id }, 0);
    throw error;
  }
}

async function complete(deps: MoveDeps, ctx: CallContext, { move, move_id }: Begun): Promise<void> {
  const { db, lease_ms, newId } = deps;
  const until_ms = Math.min(ctx.deadline_at_ms - ANSWER_BEFORE_MS, Date.now() + LONGEST_WAIT_MS);
  let mine = move;
  for (;;) {
    if (mine !== undefined) await carryOut(deps, ctx, mine);
    const { refusal, state } = await moveState(db.read(ctx), move_id);
    if (state === 'DONE') return;
    if (refusal !== undefined) throw refused(refusal);
    if (Date.now() + LOOK_AGAIN_MS >= until_ms) throw notYet();
    await sleep(LOOK_AGAIN_MS);
    mine = await claimMove(db.read(ctx), move_id, newId(), lease_ms);
  }
}

/** Apart from the caller's deadline and connection: what was begun goes on without the caller. */
async function carryOut(deps: MoveDeps, ctx: CallContext, move: Move): Promise<void> {
  try {
    await carryOutMove(deps, ctx.environment, move);
  } catch (error) {
    throw notYet(error);
  }
}

function notYet(cause?: unknown) {
  return unavailable(
    'The decision is stored and being carried out; repeat the request to see the outcome.',
    RETRY_AFTER_S,
    cause,
  );
}
