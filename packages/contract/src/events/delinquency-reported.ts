import { Bucket } from '@credit/proto/reporting/v1/types';
import { enumeration } from '../wire';
import { eventBody, eventData, type WebhookEvent } from './webhook-event';

export const delinquencyReported: WebhookEvent = {
  name: 'credit.delinquency.reported',
  schema_name: 'DelinquencyReportedEvent',
  summary: 'A delinquency was reported',
  description:
    'Sent once for every delinquency that takes effect, to the same receivers as a default. A ' +
    'late payment alone sends nothing.',
  body: eventBody('credit.delinquency.reported', {
    ...eventData,
    bucket: enumeration(Bucket, { description: 'How far past due the account was.' }),
  }),
  example: {
    id: '0198a1c7-8e00-7a0b-8d1c-2e3f4a5b6c7d',
    type: 'credit.delinquency.reported',
    created_at: '2026-01-20T10:00:00.000Z',
    environment: 'live',
    data: {
      subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
      credit_event_id: '0198a1c7-8d00-7f0a-8c0b-1e2f3a4b5c6d',
      account_type: 'TERM_LOAN',
      status: 'DELINQUENT',
      occurred_at: '2026-01-19T00:00:00.000Z',
      reported_at: '2026-01-20T09:59:59.000Z',
      bucket: 'DPD_30',
    },
  },
};
