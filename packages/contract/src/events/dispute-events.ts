import { DisputeReason, DisputeStatus, DisputeVerdict } from '@credit/proto/disputes/v1/disputes';
import { boolean, enumeration, id, list, named, orNull, timestamp } from '../wire';
import { eventBody } from './webhook-event';

/** Told about every event of a dispute: what is contested, as far as the dispute names it. */
const disputeData = {
  dispute_id: id(),
  subject_id: orNull(id()),
  account_id: orNull(id()),
  credit_event_id: orNull(id()),
  reason: enumeration(DisputeReason),
  opened_at: timestamp(),
};

/** In the feed of the institution whose report is contested. */
export const disputeOpened = named(
  'DisputeOpenedEvent',
  eventBody('dispute.opened', {
    ...disputeData,
    due_at: timestamp('By when it is to be resolved.'),
  }),
);

/** In the feed of the institution that has answered, and of no other. */
export const disputeAnswered = named(
  'DisputeAnsweredEvent',
  eventBody('dispute.answered', {
    ...disputeData,
    verdict: enumeration(DisputeVerdict),
    answered_at: timestamp(),
    correction_event_ids: list(id(), { description: 'CORRECTED: the corrections that it names.' }),
  }),
);

/** In the same feed, when the outcome is final. */
export const disputeResolved = named(
  'DisputeResolvedEvent',
  eventBody('dispute.resolved', {
    ...disputeData,
    status: enumeration(DisputeStatus, {
      without: ['OPEN', 'UNDER_REVIEW'],
      description: 'The outcome.',
    }),
    resolved_at: timestamp(),
    correction_event_id: orNull(id('The event that corrects the record.')),
    correction_pending: boolean('The correction is decided, and not yet in the record.'),
  }),
);
