import type { EventName } from '@credit/platform/values';
import { AccountStatus } from '@credit/proto/reporting/v1/types';
import { enumeration, id, timestamp } from '../wire';
import { eventBody, eventData, type WebhookEvent } from './webhook-event';

/** What those hear who were told of a fact when a correction takes it away. */
function factVoided(
  name: Extract<EventName, 'credit.default.voided' | 'credit.delinquency.voided'>,
  schema_name: string,
  fact: 'default' | 'delinquency',
): WebhookEvent {
  return {
    name,
    schema_name,
    summary: `A ${fact} was taken away`,
    description:
      `Sent once when a correction takes a ${fact} away that \`credit.${fact}.reported\` told of, ` +
      'to the institutions that it was told to, as far as they subscribe to this event. What you ' +
      `decided on that ${fact} alone rests on nothing any more.`,
    body: eventBody(name, {
      ...eventData,
      credit_event_id: id(`The event that \`credit.${fact}.reported\` told of.`),
      correction_event_id: id('The correction that took it away.'),
      status: enumeration(AccountStatus, { description: 'The shown status after the correction.' }),
      occurred_at: timestamp(`When the ${fact} had been said to happen.`),
      reported_at: timestamp('When the correction was recorded.'),
    }),
    example: {
      id: '0198a1c8-9e00-7a0b-8d1c-2e3f4a5b6c7d',
      type: name,
      created_at: '2026-02-12T10:00:00.000Z',
      environment: 'live',
      data: {
        subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
        credit_event_id: '0198a1c7-9d00-7f0a-8c0b-1e2f3a4b5c6d',
        correction_event_id: '0198a1c8-2b3c-7d4e-8f5a-6b7c8d9e0f1a',
        account_type: 'TERM_LOAN',
        status: 'CURRENT',
        occurred_at: '2026-02-02T00:00:00.000Z',
        reported_at: '2026-02-12T09:59:59.000Z',
      },
    },
  };
}

export const defaultVoided = factVoided('credit.default.voided', 'DefaultVoidedEvent', 'default');
export const delinquencyVoided = factVoided(
  'credit.delinquency.voided',
  'DelinquencyVoidedEvent',
  'delinquency',
);
