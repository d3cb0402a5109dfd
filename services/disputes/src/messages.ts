// The domain's values as messages, for callers and for other services.

import type { NewOutboxEvent } from '@credit/platform/db';
import type * as wire from '@credit/proto/disputes/v1/disputes';
import type { DisputeMailOwed } from '@credit/proto/events/v1/events';
import type { KeptAnswer } from './domain/answer';
import { withoutContacts } from './domain/contact';
import { type Dispute, isOverdue } from './domain/dispute';
import type { Place } from './domain/place';
import type { DisputeFile } from './queries/get-dispute';
import type { DisputeRecord } from './queries/get-dispute-record';
import type { PersonDispute } from './queries/person-disputes';
import type { LocatedDispute } from './store/disputes';

/** Who looks at a dispute, and what only they see. */
export type View =
  | { readonly of: 'OPENER' | 'INSTITUTION' }
  | { readonly of: 'DESK'; readonly group_size: number };

/** A dispute as its opener, an institution or the network's desk sees it. */
export function disputeMessage(
  dispute: Dispute & { readonly answered_at?: string | undefined },
  now_ms: number,
  view: View,
): wire.Dispute {
  const is_desk = view.of === 'DESK';
  const { opened_by } = dispute;
  return {
    ...dispute,
    opened_by: view.of === 'INSTITUTION' ? withoutContacts(opened_by) : opened_by,
    evidence_links: [...dispute.evidence_links],
    identity_known: dispute.person_subject_id !== undefined,
    voided_inquiry_ids: [...dispute.voided_inquiry_ids],
    overdue: isOverdue(dispute, now_ms),
    // Not even its opener: whoever has a link that was passed on is not told whose mailbox it is.
    contact_email: is_desk ? dispute.contact_email : undefined,
    // To anybody else it would tell that there are others.
    group_id: is_desk ? dispute.group_id : undefined,
    group_size: is_desk ? view.group_size : undefined,
    // What one institution certified is not for another that the dispute concerns.
    reinsertion: view.of === 'INSTITUTION' ? undefined : reinsertionOf(dispute),
  };
}

/** A dispute with all that goes with it. */
export function fileMessage(
  { answers, dispute, record, steps }: DisputeFile,
  now_ms: number,
  view: View,
): wire.GetDisputeResponse {
  return {
    dispute: disputeMessage(dispute, now_ms, view),
    steps: [...steps],
    answers: answers.map(answerMessage),
    record,
  };
}

/** A dispute as the person sees it who has opened it. Of answers it sees that they came. */
export function personDisputeMessage(
  { changes, dispute, steps, told }: PersonDispute,
  now_ms: number,
): wire.GetPersonDisputeResponse {
  return {
    dispute: disputeMessage(dispute, now_ms, { of: 'OPENER' }),
    steps: steps.map((step) => (step.kind === 'ANSWERED' ? { ...step, verdict: undefined } : step)),
    changes: [...changes],
    told: [...told],
  };
}

/** A contested record, as the desk sees it. */
export function recordMessage(
  { group_sizes, inquiries, related, ...file }: DisputeRecord,
  now_ms: number,
): wire.GetDisputeRecordResponse {
  const viewOf = ({ group_id }: Dispute): View => ({
    of: 'DESK',
    group_size: group_sizes.get(group_id) ?? 0,
  });
  return {
    ...fileMessage(file, now_ms, viewOf(file.dispute)),
    inquiries: inquiries.inquiries,
    has_more_inquiries: inquiries.has_more,
    related: related.map((dispute) => disputeMessage(dispute, now_ms, viewOf(dispute))),
  };
}

/** What an institution has answered. */
export function answerMessage(answer: KeptAnswer): wire.DisputeAnswer {
  return { ...answer, correction_event_ids: [...answer.correction_event_ids] };
}

function reinsertionOf(dispute: Dispute): wire.Reinsertion | undefined {
  const { reinserted_at, reinserted_event_id, reinsertion_certification } = dispute;
  if (reinserted_event_id === undefined || reinserted_at === undefined) return undefined;
  return {
    credit_event_id: reinserted_event_id,
    certification: reinsertion_certification ?? '',
    at: reinserted_at,
  };
}

type Told = Pick<Dispute, 'id' | 'subject_id' | 'credit_event_id' | 'reason' | 'opened_at'>;

/** Tells the institutions concerned that their reporting is contested. */
export function openedEvent(
  dispute: Told & Pick<Dispute, 'due_at'>,
  place: Place,
  told_before = false,
): NewOutboxEvent {
  return {
    partition_key: dispute.id,
    payload: {
      $case: 'dispute_opened',
      value: { ...contestedRecord(dispute, place), due_at: dispute.due_at, told_before },
    },
  };
}

/** Tells the institution's own systems that it has answered. */
export function answeredEvent(dispute: LocatedDispute, answer: KeptAnswer): NewOutboxEvent {
  const { account_id, located_subject_id: subject_id } = dispute;
  const { institution_ids: _own, ...contested } = contestedRecord(dispute, {
    subject_id,
    account_id,
    institution_ids: [],
  });
  const { answered_at, correction_event_ids, institution_id, verdict } = answer;
  return {
    partition_key: dispute.id,
    payload: {
      $case: 'dispute_answered',
      value: {
        ...contested,
        institution_id,
        verdict,
        answered_at,
        correction_event_ids: [...correction_event_ids],
      },
    },
  };
}

/** Tells them of the outcome. */
export function resolvedEvent(
  dispute: Told &
    Pick<Dispute, 'status' | 'correction_event_id' | 'correction_pending' | 'group_id'>,
  place: Place,
  resolved_at: string,
): NewOutboxEvent {
  return {
    partition_key: dispute.id,
    payload: {
      $case: 'dispute_resolved',
      value: {
        ...contestedRecord(dispute, place),
        status: dispute.status,
        resolved_at,
        correction_event_id: dispute.correction_event_id,
        correction_pending: dispute.correction_pending,
        group_id: dispute.group_id,
      },
    },
  };
}

/** Has its opener be told by mail that a dispute was received; undefined without an address. */
export function receiptOwedEvent(
  dispute: Dispute,
  client_address: string,
): NewOutboxEvent | undefined {
  const { contact_email } = dispute;
  if (contact_email === undefined) return undefined;
  return mailOwedEvent(dispute, { contact_email, client_address });
}

/** The same of its outcome. It goes to where the receipt went. */
export function outcomeOwedEvent(dispute: Dispute): NewOutboxEvent | undefined {
  const { contact_email, correction_event_id, correction_pending, status } = dispute;
  if (contact_email === undefined) return undefined;
  const outcome = {
    status,
    is_corrected: correction_event_id !== undefined,
    correction_pending,
    voided_inquiry_count: dispute.voided_inquiry_ids.length,
  };
  return mailOwedEvent(dispute, { outcome });
}

function mailOwedEvent(
  { due_at, id, opened_at, reason }: Dispute,
  news: Pick<DisputeMailOwed, 'contact_email' | 'client_address' | 'outcome'>,
): NewOutboxEvent {
  return {
    partition_key: id,
    payload: {
      $case: 'dispute_mail_owed',
      value: { dispute_id: id, reason, opened_at, due_at, ...news },
    },
  };
}

function contestedRecord(dispute: Told, place: Place) {
  return {
    dispute_id: dispute.id,
    institution_ids: [...place.institution_ids],
    subject_id: place.subject_id ?? dispute.subject_id,
    account_id: place.account_id,
    credit_event_id: dispute.credit_event_id,
    reason: dispute.reason,
    opened_at: dispute.opened_at,
  };
}

/** What the log keeps of a change: what is absent is null there. */
export function logged(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? null]));
}
