import { canonicalJson, type Json } from '@credit/platform/signing';
import { type EventName, type FeedEventName, TEST_EVENT_NAME } from '@credit/platform/values';

/** What a network event tells of: ids and codes only, no names, no amounts. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: EventName;
  readonly created_at: string;
  readonly environment: string;
  readonly subject_id: string;
  readonly credit_event_id: string;
  readonly account_type: string;
  readonly status: string;
  /** What this type of event tells beside that: a severity or bucket, the correction. */
  readonly particulars: Readonly<Record<string, string | undefined>>;
  readonly occurred_at: string;
  readonly reported_at: string;
  readonly account_id: string;
  readonly external_account_id: string;
}

/** What every event says of itself. */
export interface EventEnvelope {
  readonly id: string;
  readonly type: FeedEventName | typeof TEST_EVENT_NAME;
  readonly created_at: string;
  readonly environment: string;
}

/** What an event tells; what is absent is told as null. */
export type EventData = Readonly<Record<string, Json | undefined>>;

/** The canonical text of an event that tells `data`. */
export function eventText(envelope: EventEnvelope, data: EventData): string {
  const { id, type, created_at, environment } = envelope;
  const told = Object.entries(data).map(([name, value]) => [name, value ?? null]);
  return canonicalJson({ id, type, created_at, environment, data: Object.fromEntries(told) });
}

/** The canonical texts of an event. */
export interface EventBodies {
  /** For every receiver but the reporter. */
  readonly body: string;
  /** For the reporter alone: also says which of its accounts it is. */
  readonly reporter_body: string;
}

/** Makes an event's texts, once. */
export function eventBodies(event: ReportedEvent): EventBodies {
  const data = {
    subject_id: event.subject_id,
    credit_event_id: event.credit_event_id,
    account_type: event.account_type,
    status: event.status,
    ...event.particulars,
    occurred_at: event.occurred_at,
    reported_at: event.reported_at,
  };
  return {
    body: eventText(event, data),
    reporter_body: eventText(event, {
      ...data,
      account_id: event.account_id,
      external_account_id: event.external_account_id,
    }),
  };
}

/** The id of every test event: receivers may know it and let it pass. */
export const TEST_EVENT_ID = '01900000-0000-7000-8000-000000000000';

/** The canonical text of the test endpoint: the same every time, shaped like a default. */
export function testBody(environment: string): string {
  const envelope: EventEnvelope = {
    id: TEST_EVENT_ID,
    type: TEST_EVENT_NAME,
    created_at: '2026-01-01T00:00:00.000Z',
    environment,
  };
  return eventText(envelope, {
    subject_id: '01900000-0000-7000-8000-000000000001',
    credit_event_id: '01900000-0000-7000-8000-000000000002',
    account_type: 'TERM_LOAN',
    status: 'DEFAULTED',
    default_severity: 'MODERATE',
    occurred_at: '2025-12-31T12:00:00.000Z',
    reported_at: '2026-01-01T00:00:00.000Z',
  });
}
