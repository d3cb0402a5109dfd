// Where an administrator takes a dispute, and the steps on the way there.

import { conflict, type ErrorDetail, invalid } from '@credit/platform/errors';
import { backoffMs, checkText, isUuid, TEXTS } from '@credit/platform/values';
import { type Dispute, type DisputeReason, type DisputeStatus, isResolved } from './dispute';

/** As many as reporting lists of a subject. */
const MAX_ACCOUNTS = 1_000;
const MAX_INQUIRIES = 100;

/** Where a dispute can be taken. */
export type MoveTarget = Exclude<DisputeStatus, 'OPEN'>;

/**
 * What is done for a move, in this order. LOCATE finds the record and the accounts that it covers;
 * CORRECT has what is contested mended; RELEASE ends that it is left out; COUNT counts the reviews of the accounts; SETTLE has them
 * stand as counted; FINISH moves the dispute, with those of its group that are decided too.
 */
export type MoveStep = 'LOCATE' | 'CORRECT' | 'RELEASE' | 'COUNT' | 'SETTLE' | 'FINISH';

const STEPS: readonly MoveStep[] = ['LOCATE', 'CORRECT', 'RELEASE', 'COUNT', 'SETTLE', 'FINISH'];

/** What an administrator sends. */
export interface MoveDraft {
  readonly status: DisputeStatus | undefined;
  readonly resolution: string | undefined;
  /** What to put in the contested event's place, as reporting takes it. */
  readonly correction: Uint8Array | undefined;
  readonly account_ids: readonly string[];
  readonly inquiry_ids: readonly string[];
  readonly apply_to_group: boolean;
}

/** A complete decision. */
export interface MoveOrder {
  readonly status: MoveTarget;
  readonly resolution: string | undefined;
  readonly correction: Uint8Array | undefined;
  /** The accounts to review, or to take off the file. */
  readonly named_account_ids: readonly string[];
  readonly inquiry_ids: readonly string[];
  /** Decides the others of the group that have no outcome too. */
  readonly apply_to_group: boolean;
}

type Wrong = (path: string, message: string) => void;

/** Checks a decision's form; VALIDATION_ERROR names every field that is wrong. */
export function parseMove(draft: MoveDraft): MoveOrder {
  const { apply_to_group, correction, resolution, status } = draft;
  const details: ErrorDetail[] = [];
  const wrong: Wrong = (path, message) => void details.push({ path, message });
  if (status === undefined) wrong('status', 'is required');
  else if (status === 'OPEN') wrong('status', 'must be UNDER_REVIEW or an outcome');
  else if (resolution === undefined && isResolved(status)) {
    wrong('resolution', `is required for ${status}`);
  }
  if (resolution !== undefined)
    checkText('resolution', resolution, TEXTS.dispute_resolution, wrong);
  const is_corrected = status === 'RESOLVED_CORRECTED';
  if (correction !== undefined && !is_corrected) {
    wrong('correction', 'is for RESOLVED_CORRECTED only');
  }
  const named_account_ids = ids(draft.account_ids, 'account_ids', MAX_ACCOUNTS, wrong);
  if (named_account_ids.length > 0 && status !== 'UNDER_REVIEW' && !is_corrected) {
    wrong('account_ids', 'is for UNDER_REVIEW and RESOLVED_CORRECTED only');
  }
  const inquiry_ids = ids(draft.inquiry_ids, 'correction.inquiry_ids', MAX_INQUIRIES, wrong);
  if (inquiry_ids.length > 0 && !is_corrected) {
    wrong('correction', 'is for RESOLVED_CORRECTED only');
  }
  if (apply_to_group && !is_corrected && status !== 'RESOLVED_UPHELD') {
    wrong('apply_to_group', 'is for RESOLVED_CORRECTED and RESOLVED_UPHELD only');
  }
  if (details.length > 0 || status === undefined || status === 'OPEN') throw invalid(details);
  return {
    status,
    resolution,
    correction,
    named_account_ids,
    inquiry_ids,
    apply_to_group,
  };
}

function ids(texts: readonly string[], path: string, maximum: number, wrong: Wrong): string[] {
  if (texts.length > maximum) {
    wrong(path, `must hold at most ${maximum} ids`);
    return [];
  }
  const known = new Set<string>();
  for (const [index, text] of texts.entries()) {
    const id = text.toLowerCase();
    if (!isUuid(id)) wrong(`${path}[${index}]`, 'must be a UUID');
    else if (known.has(id)) wrong(`${path}[${index}]`, 'must not be repeated');
    else known.add(id);
  }
  return [...known];
}

/** What a dispute contests, as far as a decision has to know. */
export type Decidable = Pick<
  Dispute,
  'status' | 'reason' | 'subject_id' | 'credit_event_id' | 'reported_institution_id'
>;

/** Whose account is not the subject's is taken off the file; of any other reason it is mended. */
const OFF_THE_FILE: ReadonlySet<DisputeReason> = new Set([
  'NOT_MY_ACCOUNT',
  'DUPLICATE_ACCOUNT',
  'IDENTITY_MISMATCH',
  'FRAUD',
]);

/** Throws when the dispute cannot be taken there. */
export function checkMove(dispute: Decidable, order: MoveOrder): void {
  const details: ErrorDetail[] = [];
  const wrong: Wrong = (path, message) => void details.push({ path, message });
  const names_event = dispute.credit_event_id !== undefined;
  const is_inquiry = isOfInquiry(dispute);
  const is_corrected = order.status === 'RESOLVED_CORRECTED';
  if (order.correction !== undefined && is_inquiry) {
    wrong('correction', 'of an UNAUTHORISED_INQUIRY takes inquiry_ids only');
  } else if (order.correction !== undefined && !names_event) {
    wrong('correction', 'must be left out, as the dispute names no event');
  }
  if (order.inquiry_ids.length > 0 && !is_inquiry) {
    wrong('correction.inquiry_ids', 'is for UNAUTHORISED_INQUIRY only');
  }
  const whose = dispute.reported_institution_id ?? dispute.credit_event_id;
  if (is_corrected && is_inquiry && whose === undefined && order.inquiry_ids.length === 0) {
    wrong('correction.inquiry_ids', 'is required, as the dispute names no institution');
  }
  if (order.named_account_ids.length > 0 && is_corrected) {
    if (names_event) wrong('account_ids', 'must be left out, as the dispute names an event');
    else if (!OFF_THE_FILE.has(dispute.reason)) {
      wrong('account_ids', `takes accounts off the file, which ${dispute.reason} is no reason for`);
    }
  }
  if (details.length > 0) throw invalid(details);
  if (isResolved(dispute.status)) {
    throw conflict(`The dispute is ${dispute.status}, and outcomes are final.`, {
      reason: 'DISPUTE_MOVED',
    });
  }
  if (dispute.status === order.status)
    throw conflict(`The dispute is ${dispute.status} already.`, { reason: 'DISPUTE_MOVED' });
}

/** Whether inquiries are contested, and not what somebody reported. */
function isOfInquiry({ reason }: Pick<Dispute, 'reason'>): boolean {
  return reason === 'UNAUTHORISED_INQUIRY';
}

/** True for the same decision made again. */
export function isSameOrder(one: MoveOrder, other: MoveOrder): boolean {
  return (
    one.status === other.status &&
    one.resolution === other.resolution &&
    bytesOf(one).equals(bytesOf(other)) &&
    (one.correction === undefined) === (other.correction === undefined) &&
    isSameSet(one.named_account_ids, other.named_account_ids) &&
    isSameSet(one.inquiry_ids, other.inquiry_ids) &&
    one.apply_to_group === other.apply_to_group
  );
}

/** Of lists that repeat nothing. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length;
}

function bytesOf({ correction }: MoveOrder): Buffer {
  return Buffer.from(correction ?? []);
}

/** What an outcome that corrects has mended. */
export type Mending = 'EVENT' | 'ACCOUNTS' | 'INQUIRIES' | 'NOTHING';

/** What there is to mend: nothing, unless the decision is a correction of something that is named. */
export function mendingOf(
  dispute: Pick<Dispute, 'reason' | 'credit_event_id'>,
  order: Pick<MoveOrder, 'status' | 'named_account_ids'>,
): Mending {
  if (order.status !== 'RESOLVED_CORRECTED') return 'NOTHING';
  if (isOfInquiry(dispute)) return 'INQUIRIES';
  if (dispute.credit_event_id !== undefined) return 'EVENT';
  return order.named_account_ids.length > 0 ? 'ACCOUNTS' : 'NOTHING';
}

/** Which accounts a dispute covers: one that is known, those of a subject, or none. */
export type Coverage =
  | { readonly kind: 'ACCOUNT'; readonly account_id: string }
  | {
      readonly kind: 'SUBJECT';
      readonly subject_id: string;
      /** Empty for all that report about the subject. */
      readonly institution_ids: readonly string[];
    }
  | { readonly kind: 'NONE' };

/**
 * The accounts that a decision is about. An inquiry is on no account, so that one is covered only
 * when the administrator names it; an institution without a subject covers none either.
 */
export function coverageOf(
  dispute: Pick<
    Dispute,
    'reason' | 'subject_id' | 'credit_event_id' | 'reported_institution_id'
  > & { readonly located_subject_id: string | undefined; readonly account_id: string | undefined },
  order: Pick<MoveOrder, 'status' | 'named_account_ids'>,
): Coverage {
  const names_accounts = order.named_account_ids.length > 0;
  if (order.status !== 'UNDER_REVIEW' && !names_accounts) return { kind: 'NONE' };
  const { account_id, credit_event_id, reported_institution_id } = dispute;
  if (credit_event_id !== undefined) {
    return account_id === undefined ? { kind: 'NONE' } : { kind: 'ACCOUNT', account_id };
  }
  const subject_id = dispute.located_subject_id ?? dispute.subject_id;
  if (subject_id === undefined || (isOfInquiry(dispute) && !names_accounts))
    return { kind: 'NONE' };
  const institution_ids = reported_institution_id === undefined ? [] : [reported_institution_id];
  return { kind: 'SUBJECT', subject_id, institution_ids };
}

/** What is kept of the accounts that a dispute covers; VALIDATION_ERROR names those it does not. */
export function chosenOf<Account extends { readonly account_id: string }>(
  covered: readonly Account[],
  named_account_ids: readonly string[],
): readonly Account[] {
  if (named_account_ids.length === 0) return covered;
  const known = new Map(covered.map((account) => [account.account_id, account]));
  const details = named_account_ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `account_ids[${index}]`, message: 'is no account that the dispute covers' }],
  );
  if (details.length > 0) throw invalid(details);
  return named_account_ids.flatMap((id) => known.get(id) ?? []);
}

/** A dispute on its way. */
export interface Moving {
  /** Where it comes from. */
  readonly from: DisputeStatus;
  readonly to: MoveTarget;
  readonly mending: Mending;
  /** Its record is left out of the file until it is decided. */
  readonly left_out: boolean;
  /** Accounts that are to be under review by it. */
  readonly reviewed_count: number;
  readonly apply_to_group: boolean;
}

/** The next step that has something to do. */
export function stepAfter(step: MoveStep, moving: Moving): MoveStep {
  const next = STEPS.slice(STEPS.indexOf(step) + 1).find((one) => isNeeded(one, moving));
  if (next === undefined) throw new Error(`Nothing comes after ${step}.`);
  return next;
}

function isNeeded(step: MoveStep, moving: Moving): boolean {
  switch (step) {
    case 'CORRECT':
      return moving.mending !== 'NOTHING';
    case 'RELEASE':
      return isResolved(moving.to) && (moving.left_out || moving.apply_to_group);
    case 'COUNT':
    case 'SETTLE':
      return moving.to === 'UNDER_REVIEW'
        ? moving.reviewed_count > 0
        : // Others of the group may be under review though this one is not.
          moving.from === 'UNDER_REVIEW' || moving.apply_to_group;
    case 'LOCATE':
    case 'FINISH':
      return true;
    default:
      return step satisfies never;
  }
}

const PAUSES = { first_ms: 1_000, longest_ms: 60_000 };

/** How long a move is left alone after a failed attempt. */
export function pauseAfter(attempts: number): number {
  return backoffMs(PAUSES, attempts);
}

/** The reason that is kept with a correction: as much of the resolution as has room there. */
export function correctionReason(resolution: string): string {
  return [...resolution].slice(0, TEXTS.correction_reason.max).join('');
}
