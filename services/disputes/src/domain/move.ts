// Where an administrator takes a dispute, and the steps on the way there.

import { conflict, type ErrorDetail, invalid } from '@credit/platform/errors';
import { backoffMs } from '@credit/platform/values';
import { type DisputeStatus, isResolved } from './dispute';
import { checkText } from './text';

const MAX_RESOLUTION_LENGTH = 5_000;

/** Where a dispute can be taken. */
export type MoveTarget = Exclude<DisputeStatus, 'OPEN'>;

/**
 * What is done for a move, in this order. LOCATE finds the record; CORRECT has the contested event
 * mended; COUNT counts the review of its account; SETTLE has the account stand as counted; FINISH
 * moves the dispute.
 */
export type MoveStep = 'LOCATE' | 'CORRECT' | 'COUNT' | 'SETTLE' | 'FINISH';

const STEPS: readonly MoveStep[] = ['LOCATE', 'CORRECT', 'COUNT', 'SETTLE', 'FINISH'];

/** What an administrator sends. */
export interface MoveDraft {
  readonly status: DisputeStatus | undefined;
  readonly resolution: string | undefined;
  /** What to put in the contested event's place, as reporting takes it. */
  readonly correction: Uint8Array | undefined;
}

/** A complete decision. */
export interface MoveOrder {
  readonly status: MoveTarget;
  readonly resolution: string | null;
  readonly correction: Uint8Array | null;
}

/** Checks a decision's form; VALIDATION_ERROR names every field that is wrong. */
export function parseMove({ status, resolution, correction }: MoveDraft): MoveOrder {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => void details.push({ path, message });
  if (status === undefined) wrong('status', 'is required');
  else if (status === 'OPEN') wrong('status', 'must be UNDER_REVIEW or an outcome');
  else if (resolution === undefined && isResolved(status)) {
    wrong('resolution', `is required for ${status}`);
  }
  if (resolution !== undefined)
    checkText(resolution, 'resolution', 1, MAX_RESOLUTION_LENGTH, wrong);
  if (correction !== undefined && status !== 'RESOLVED_CORRECTED') {
    wrong('correction', 'is for RESOLVED_CORRECTED only');
  }
  if (details.length > 0 || status === undefined || status === 'OPEN') throw invalid(details);
  return { status, resolution: resolution ?? null, correction: correction ?? null };
}

/** Throws when the dispute cannot be taken there. */
export function checkMove(
  dispute: { readonly status: DisputeStatus; readonly credit_event_id: string | null },
  order: MoveOrder,
): void {
  if (order.correction !== null && dispute.credit_event_id === null) {
    throw invalid('correction', 'must be left out, as the dispute names no event');
  }
  if (isResolved(dispute.status)) {
    throw conflict(`The dispute is ${dispute.status}, and outcomes are final.`);
  }
  if (dispute.status === order.status) throw conflict(`The dispute is ${dispute.status} already.`);
}

/** True for the same decision made again. */
export function isSameOrder(one: MoveOrder, other: MoveOrder): boolean {
  return (
    one.status === other.status &&
    one.resolution === other.resolution &&
    bytesOf(one).equals(bytesOf(other)) &&
    (one.correction === null) === (other.correction === null)
  );
}

function bytesOf({ correction }: MoveOrder): Buffer {
  return Buffer.from(correction ?? []);
}

/** A dispute on its way. */
export interface Moving {
  /** Where it comes from. */
  readonly from: DisputeStatus;
  readonly to: MoveTarget;
  readonly credit_event_id: string | null;
  /** The account of the contested event, once it is located and on record. */
  readonly account_id: string | null;
}

/** The next step that has something to do. */
export function stepAfter(step: MoveStep, moving: Moving): MoveStep {
  const next = STEPS.slice(STEPS.indexOf(step) + 1).find((one) => isNeeded(one, moving));
  if (next === undefined) throw new Error(`Nothing comes after ${step}.`);
  return next;
}

function isNeeded(step: MoveStep, { from, to, credit_event_id, account_id }: Moving): boolean {
  switch (step) {
    case 'CORRECT':
      return to === 'RESOLVED_CORRECTED' && credit_event_id !== null;
    case 'COUNT':
    case 'SETTLE':
      return account_id !== null && (to === 'UNDER_REVIEW' || from === 'UNDER_REVIEW');
    case 'LOCATE':
    case 'FINISH':
      return true;
    default:
      return step satisfies never;
  }
}

/** How many reviews of its account more there are through a move that is counted. */
export function reviewsAdded(to: MoveTarget): 1 | -1 {
  return to === 'UNDER_REVIEW' ? 1 : -1;
}

const PAUSES = { first_ms: 1_000, longest_ms: 60_000 };

/** How long a move is left alone after a failed attempt. */
export function pauseAfter(attempts: number): number {
  return backoffMs(PAUSES, attempts);
}

const MAX_CORRECTION_REASON_LENGTH = 1_000;

/** The reason that is kept with a correction: as much of the resolution as has room there. */
export function correctionReason(resolution: string): string {
  let reason = '';
  for (const character of resolution) {
    if (reason.length + character.length > MAX_CORRECTION_REASON_LENGTH) break;
    reason += character;
  }
  return reason;
}
