import { DefaultSeverity } from '@credit/proto/reporting/v1/types';
import { enumeration } from '../wire';
import { eventBody, eventData, type WebhookEvent } from './webhook-event';

export const defaultReported: WebhookEvent = {
  name: 'credit.default.reported',
  schema_name: 'DefaultReportedEvent',
  summary: 'A default was reported',
  description:
    'Sent once for every default that takes effect, to subscribed institutions that reported ' +
    'it, hold an account of the subject, or made a hard inquiry in the last 30 days.',
  body: eventBody('credit.default.reported', {
    ...eventData,
    default_severity: enumeration(DefaultSeverity),
  }),
  example: {
    id: '0198a1c7-9e00-7a0b-8d1c-2e3f4a5b6c7d',
    type: 'credit.default.reported',
    created_at: '2026-02-03T10:00:00.000Z',
    environment: 'live',
    data: {
      subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
      credit_event_id: '0198a1c7-9d00-7f0a-8c0b-1e2f3a4b5c6d',
      account_type: 'TERM_LOAN',
      status: 'DEFAULTED',
      occurred_at: '2026-02-02T00:00:00.000Z',
      reported_at: '2026-02-03T09:59:59.000Z',
      default_severity: 'MODERATE',
    },
  },
};
