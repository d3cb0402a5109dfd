import { type CallContext, systemContext } from '@credit/platform/context';
import { conflict, notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import { type Dispute, isResolved } from '../domain/dispute';
import { checkMove, chosenOf, type MoveOrder, mendingOf, parseMove } from '../domain/move';
import type { AccountPreview, HealthForecast, RehearsedAccount } from '../reporting-client';
import { accountsReviewedOnlyFor } from '../store/account-reviews';
import { findDispute, type LocatedDispute, undecidedOfGroup } from '../store/disputes';
import { pendingMove } from '../store/moves';
import { institutionsOf } from '../store/places';
import {
  coveredAccounts,
  type MoveDeps,
  mendingOfEvent,
  refusedInRehearsal,
  voidingOf,
  whereItIs,
} from './carry-out-move';
import type { MoveDispute } from './move-dispute';

/** As many accounts are rehearsed; the others would go the same way. */
const MAX_REHEARSED = 20;
const MAX_COUNTED = 1_000;

/** What a decision would do. */
export interface MovePreview {
  /** As it would stand. */
  readonly dispute: Dispute;
  readonly accounts: readonly AccountPreview[];
  /** How many there are altogether. */
  readonly account_count: number;
  /** Disputes that would be decided. */
  readonly decided_count: number;
  /** Of whom it counts against. */
  readonly health: (HealthForecast & { readonly institution_id: string }) | undefined;
}

interface Touched {
  readonly account_id: string;
  /** The event to mend. */
  readonly event_id?: string | undefined;
  readonly under_review?: boolean | undefined;
}

/**
 * Says what a decision would do, by what would do it: reporting carries it out and takes it back. It is
 * refused as the decision would be.
 */
export async function rehearseMove(
  deps: MoveDeps,
  caller: CallContext,
  { dispute_id: named_id, ...draft }: MoveDispute,
): Promise<MovePreview> {
  const dispute_id = uuidFrom('dispute_id', named_id);
  const order = parseMove(draft);
  const { environment, deadline_at_ms, request_id } = caller;
  const ctx = systemContext(environment, { actor: caller.actor, deadline_at_ms, request_id });
  const on = deps.db.read(ctx);
  const stored = await findDispute(on, dispute_id);
  if (stored === undefined) throw notFound('There is no such dispute.');
  const pending = await pendingMove(on, stored);
  if (pending !== undefined) {
    throw conflict(`The dispute is on its way to ${pending.status}.`, { reason: 'DISPUTE_MOVED' });
  }
  checkMove(stored, order);
  const dispute = await whereItIs(deps, ctx, stored);
  try {
    const preview = await rehearsed(deps, ctx, order, dispute);
    caller.reply_metadata.set('dry-run', 'true');
    return preview;
  } catch (error) {
    throw refusedInRehearsal(error);
  }
}

async function rehearsed(
  deps: MoveDeps,
  ctx: CallContext,
  order: MoveOrder,
  dispute: LocatedDispute,
): Promise<MovePreview> {
  const on = deps.db.read(ctx);
  const others = order.apply_to_group ? await undecidedOfGroup(on, dispute) : [];
  const touched = await touchedBy(deps, ctx, order, dispute, others);
  const outcomes: RehearsedAccount[] = [];
  for (const { account_id, event_id, under_review } of touched.slice(0, MAX_REHEARSED)) {
    const mending = event_id === undefined ? undefined : mendingOfEvent(order, dispute, event_id);
    outcomes.push(await deps.reporting.rehearse(ctx, { account_id, mending, under_review }));
  }
  const voided_inquiry_ids = await inquiriesVoided(deps, ctx, order, dispute);
  return {
    dispute: asItWouldStand(deps, order, dispute, { touched, outcomes, voided_inquiry_ids }),
    accounts: outcomes.map(({ after, before }) => ({ after, before })),
    account_count: touched.length,
    decided_count: 1 + others.length,
    health: await healthAfter(deps, ctx, order, dispute),
  };
}

/** Accounts that would be mended or whose review would begin or end. */
async function touchedBy(
  deps: MoveDeps,
  ctx: CallContext,
  order: MoveOrder,
  dispute: LocatedDispute,
  others: readonly string[],
): Promise<readonly Touched[]> {
  const covered = await coveredAccounts(deps, ctx, order, dispute);
  const accounts = chosenOf(covered, order.named_account_ids);
  if (order.status === 'UNDER_REVIEW') {
    return accounts.map(({ account_id }) => ({ account_id, under_review: true }));
  }
  const touched = new Map<string, Touched>();
  const mending = mendingOf(dispute, order);
  if (mending === 'EVENT' && dispute.account_id !== undefined) {
    const { account_id, credit_event_id: event_id } = dispute;
    touched.set(account_id, { account_id, event_id });
  }
  if (mending === 'ACCOUNTS') {
    for (const { account_id, opening_event_id: event_id } of accounts) {
      touched.set(account_id, { account_id, event_id });
    }
  }
  const decided = [dispute.id, ...others];
  const ending = await accountsReviewedOnlyFor(deps.db.read(ctx), decided, MAX_COUNTED);
  for (const account_id of ending) {
    touched.set(account_id, { account_id, ...touched.get(account_id), under_review: false });
  }
  return [...touched.values()];
}

async function inquiriesVoided(
  deps: MoveDeps,
  ctx: CallContext,
  order: MoveOrder,
  dispute: LocatedDispute,
): Promise<readonly string[]> {
  if (mendingOf(dispute, order) !== 'INQUIRIES') return [];
  const voiding = await voidingOf(deps, ctx, order, dispute);
  if (voiding === undefined) return [];
  return deps.reporting.voidInquiries(ctx, { ...voiding, dry_run: true });
}

function asItWouldStand(
  { clock }: MoveDeps,
  { resolution, status }: MoveOrder,
  dispute: LocatedDispute,
  done: {
    readonly touched: readonly Touched[];
    readonly outcomes: readonly RehearsedAccount[];
    readonly voided_inquiry_ids: readonly string[];
  },
): Dispute {
  const mended = done.outcomes.filter((_one, index) => done.touched[index]?.event_id !== undefined);
  const corrected = mended.find(({ cannot_be_corrected }) => !cannot_be_corrected);
  const is_mended = corrected !== undefined || done.voided_inquiry_ids.length > 0;
  const is_whole = mended.every(({ cannot_be_corrected }) => !cannot_be_corrected);
  return {
    ...dispute,
    status,
    resolution,
    resolved_at: isResolved(status) ? toTimestamp(clock.now_ms()) : undefined,
    correction_event_id: corrected && (corrected.linked_event_id ?? NIL_UUID),
    correction_pending: status === 'RESOLVED_CORRECTED' && !(is_mended && is_whole),
    voided_inquiry_ids: done.voided_inquiry_ids,
  };
}

/** Of several that report about a subject nobody knows who was wrong. */
async function healthAfter(
  { db, reporting }: MoveDeps,
  ctx: CallContext,
  { status }: MoveOrder,
  { group_id, id }: LocatedDispute,
): Promise<MovePreview['health']> {
  if (status !== 'RESOLVED_CORRECTED') return undefined;
  const [institution_id, ...more] = (await institutionsOf(db.read(ctx), [id])).get(id) ?? [];
  if (institution_id === undefined || more.length > 0) return undefined;
  return { institution_id, ...(await reporting.forecastHealth(ctx, { institution_id, group_id })) };
}
