import {
  AccountStatus,
  CorrectionChange,
  DefaultSeverity,
  EventType,
} from '@credit/proto/reporting/v1/types';
import { enumeration, id, oneOf, orNull, timestamp } from '../wire';
import { eventBody, eventData, type WebhookEvent } from './webhook-event';

export const recordCorrected: WebhookEvent = {
  name: 'credit.record.corrected',
  schema_name: 'RecordCorrectedEvent',
  summary: 'A record was corrected',
  description:
    'Sent when a correction changes a default or delinquency that was told of and that still ' +
    'stands, its date or its severity, to the institutions that the fact was told to. And sent when ' +
    'what a file has shown was corrected or taken off, by a dispute or because what its furnisher ' +
    'reported against the person was wrong: to every institution that looked at the file in the six ' +
    'months before, and to the furnisher; `kind` is RECORD then. Of one correction each institution ' +
    'is told once. Look again before you decide on what you saw.',
  body: eventBody('credit.record.corrected', {
    ...eventData,
    kind: oneOf(
      ['DEFAULT', 'DELINQUENCY', 'RECORD'],
      'What was told of; RECORD of anything that a look has shown.',
    ),
    credit_event_id: id('The event that was told of, or corrected.'),
    correction_event_id: id('The correction that changed it.'),
    status: enumeration(AccountStatus, { description: 'The shown status after the correction.' }),
    default_severity: orNull(enumeration(DefaultSeverity, { description: 'Of a default.' })),
    event_type: orNull(
      enumeration(EventType, { description: 'Of a RECORD: what it was reported as.' }),
    ),
    change: orNull(
      enumeration(CorrectionChange, { description: 'Of a RECORD: what became of it.' }),
    ),
    occurred_at: timestamp('Where the fact stands now, or stood.'),
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
      kind: 'RECORD',
      account_type: 'TERM_LOAN',
      status: 'CURRENT',
      default_severity: null,
      event_type: 'PAYMENT_LATE',
      change: 'REMOVED',
      occurred_at: '2026-01-30T00:00:00.000Z',
      reported_at: '2026-02-10T09:59:59.000Z',
    },
  },
};
