import type { EventName, FeedEventName } from '@credit/platform/values';
import { AccountStatus, AccountType } from '@credit/proto/reporting/v1/types';
import type { z } from 'zod';
import { enumeration, id, label, literal, oneOf, reply, type Shape, timestamp } from '../wire';

/** An event that the network sends to subscribed endpoints. */
export interface WebhookEvent {
  readonly name: EventName;
  readonly schema_name: string;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodType;
  readonly example: unknown;
}

/** Told about every event; names, amounts and the reporter's identity stay out. */
export const eventData = {
  subject_id: id(),
  credit_event_id: id(),
  account_type: enumeration(AccountType),
  status: enumeration(AccountStatus, { description: 'The shown status after the event.' }),
  occurred_at: timestamp(),
  reported_at: timestamp(),
  account_id: id('Only in what the reporting institution itself receives.').optional(),
  external_account_id: label('Only in what the reporting institution itself receives.').optional(),
};

/** What is sent or read from the feed: the envelope is the same for all events. */
export function eventBody<Data extends Shape>(name: FeedEventName, data: Data) {
  return reply({
    id: id('Stable over all attempts; also the Svc-Event-ID header of a webhook.'),
    type: literal(name),
    created_at: timestamp(),
    environment: oneOf(['live', 'test']),
    data: reply(data),
  });
}
