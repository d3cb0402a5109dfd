import { AccountStatus, DefaultSeverity } from '@credit/proto/reporting/v1/types';
import { enumeration, id, oneOf, orNull, timestamp } from '../wire';
import { eventBody, eventData, type WebhookEvent } from './webhook-event';

export const recordCorrected: WebhookEvent = {
  name: 'credit.record.corrected',
  schema_name: 'RecordCorrectedEvent',
  summary: 'A default or delinquency was corrected',
  description:
    'Sent once when a correction changes a default or delinquency that was told of and that ' +
    'still stands: its date or its severity. It goes to the institutions that the fact was told ' +
    'to, as far as they subscribe to this event.',
  body: eventBody('credit.record.corrected', {
    ...eventData,
    kind: oneOf(['DEFAULT', 'DELINQUENCY'], 'What was told of.'),
    credit_event_id: id('The event that was told of.'),
    correction_event_id: id('The correction that changed it.'),
    status: enumeration(AccountStatus, { description: 'The shown status after the correction.' }),
    default_severity: orNull(enumeration(DefaultSeverity, { description: 'Of a default.' })),
    occurred_at: timestamp('Where the fact stands now.'),
    reported_at: timestamp('When the correction was recorded.'),
  }),
  example: {
    id: '0198a1c8-8e00-7a0b-8d1c-2e3f4a5b6c7d',
    type: 'credit.record.corrected',
    created_at: '2026-02-10T10:00:00.000Z',
    environment: 'live',
    data: {
      subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
      credit_event_id: '0198a1c7-9d00-7f0a-8c0b-1e2f3a4b5c6d',
      correction_event_id: '0198a1c8-1b3c-7d4e-8f5a-6b7c8d9e0f1a',
      kind: 'DEFAULT',
      account_type: 'TERM_LOAN',
      status: 'DEFAULTED',
      default_severity: 'MINOR',
      occurred_at: '2026-01-30T00:00:00.000Z',
      reported_at: '2026-02-10T09:59:59.000Z',
    },
  },
};
