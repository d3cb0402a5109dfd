import { type AppError, notFound } from '@credit/platform/errors';
import { businessDaysAfter, DAY_MS } from './business-days';

/** Where a dispute stands. */
export type DisputeStatus =
  | 'OPEN'
  | 'UNDER_REVIEW'
  | 'RESOLVED_CORRECTED'
  | 'RESOLVED_UPHELD'
  | 'REJECTED';

/** Why a record is contested. */
export type DisputeReason =
  | 'PAYMENT_REPORTED_LATE'
  | 'NOT_MY_ACCOUNT'
  | 'IDENTITY_MISMATCH'
  | 'INCORRECT_BALANCE'
  | 'INCORRECT_STATUS'
  | 'INCORRECT_DATES'
  | 'ALREADY_PAID'
  | 'DUPLICATE_ACCOUNT'
  | 'OBSOLETE_INFORMATION'
  | 'UNAUTHORISED_INQUIRY'
  | 'FRAUD'
  | 'OTHER'
  | 'IDENTITY_THEFT';

/** Why a record is left out of the file until it is decided. */
export type DisputeSuppression = 'BLOCK' | 'OVERDUE';

/** A contested record. */
export interface Dispute {
  readonly id: string;
  readonly status: DisputeStatus;
  readonly subject_id: string | undefined;
  readonly credit_event_id: string | undefined;
  readonly reported_institution_id: string | undefined;
  readonly opened_by: string;
  /** Where its opener is told of it; until some time after the outcome. */
  readonly contact_email: string | undefined;
  readonly reason: DisputeReason;
  readonly description: string;
  readonly evidence_links: readonly string[];
  readonly resolution: string | undefined;
  readonly opened_at: string;
  readonly due_at: string;
  readonly resolved_at: string | undefined;
  readonly correction_event_id: string | undefined;
  readonly correction_pending: boolean;
  /** The first dispute of its group; its own id when it is that. */
  readonly group_id: string;
  /** The dispute whose outcome was applied to it too; undefined when it was decided by itself. */
  readonly decided_with: string | undefined;
  readonly voided_inquiry_ids: readonly string[];
  readonly reinserted_event_id: string | undefined;
  readonly reinsertion_certification: string | undefined;
  readonly reinserted_at: string | undefined;
  /** Whose own file it is about, where that person has opened it. */
  readonly person_subject_id: string | undefined;
  /** The whole account is contested, by its opening. */
  readonly contested_account_id: string | undefined;
  readonly contested_inquiry_id: string | undefined;
  /** While the record is left out of the file, or about to be. */
  readonly suppression: DisputeSuppression | undefined;
  readonly suppressed_since: string | undefined;
}

/** As many disputes of a group are counted, and decided together. */
export const MAX_GROUP = 1_000;

const DAYS_TO_RESOLVE = 30;
/** What is left out at once is decided soon. */
const BUSINESS_DAYS_OF_BLOCK = 4;

/** When a dispute opened now is to be resolved. */
export function dueAtMs(opened_at_ms: number, reason: DisputeReason): number {
  if (isBlock(reason)) return businessDaysAfter(opened_at_ms, BUSINESS_DAYS_OF_BLOCK);
  return opened_at_ms + DAYS_TO_RESOLVE * DAY_MS;
}

/** Whether the record is left out of the file from the intake on. */
export function isBlock(reason: DisputeReason): boolean {
  return reason === 'IDENTITY_THEFT';
}

/** Whether a dispute is past its due date and has no outcome. */
export function isOverdue(dispute: Pick<Dispute, 'status' | 'due_at'>, now_ms: number): boolean {
  return !isResolved(dispute.status) && Date.parse(dispute.due_at) < now_ms;
}

/** Whether a dispute has its outcome. */
export function isResolved(status: DisputeStatus): boolean {
  switch (status) {
    case 'OPEN':
    case 'UNDER_REVIEW':
      return false;
    case 'RESOLVED_CORRECTED':
    case 'RESOLVED_UPHELD':
    case 'REJECTED':
      return true;
    default:
      return status satisfies never;
  }
}

/** Whether there is one that concerns somebody else is not for an institution to know. */
export function noSuchDispute(): AppError {
  return notFound('There is no such dispute about your reporting.');
}
