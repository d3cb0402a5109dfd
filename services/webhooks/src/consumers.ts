import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { Environment } from '@credit/platform/context';
import type {
  DefaultReported,
  DelinquencyReported,
  DisputeOpened,
  DisputeResolved,
  Event,
} from '@credit/proto/events/v1/events';
import { type PlanDeliveries, planDeliveries } from './commands/plan-deliveries';
import { type RecordedEvent, recordEvents } from './commands/record-events';
import { recordInstitution } from './commands/record-institution';
import { eventText, type ReportedEvent } from './domain/event-body';
import type { EventName, FeedEventName } from './domain/event-catalogue';

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What the consumers need. */
export interface WebhookConsumersDeps {
  readonly newId: () => string;
  readonly wakeSender: (environment: Environment) => void;
}

/** What the service listens to. */
export function webhookConsumers(deps: WebhookConsumersDeps): ConsumerDefinition[] {
  const { newId, wakeSender } = deps;
  return [
    consumer({
      name: 'webhooks',
      type: 'default_reported',
      handleBatch: (ctx, entries, tx) => {
        const commands = entries.map(({ event, payload }) =>
          plan(event, 'credit.default.reported', payload, {
            default_severity: bareName('DEFAULT_SEVERITY', payload.default_severity),
          }),
        );
        return planDeliveries(tx, commands, newId, () => wakeSender(ctx.environment));
      },
    }),
    consumer({
      name: 'webhooks',
      type: 'delinquency_reported',
      handleBatch: (ctx, entries, tx) => {
        const commands = entries.map(({ event, payload }) =>
          plan(event, 'credit.delinquency.reported', payload, {
            bucket: bareName('BUCKET', payload.bucket),
          }),
        );
        return planDeliveries(tx, commands, newId, () => wakeSender(ctx.environment));
      },
    }),
    consumer({
      name: 'webhooks',
      type: 'dispute_opened',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload }) =>
            disputeEvent(event, 'dispute.opened', payload, {
              due_at: required(payload.due_at),
            }),
          ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'dispute_resolved',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload }) =>
            disputeEvent(event, 'dispute.resolved', payload, {
              status: bareName('DISPUTE_STATUS', payload.status),
              resolved_at: required(payload.resolved_at),
              correction_event_id: payload.correction_event_id ?? null,
              correction_pending: payload.correction_pending,
            }),
          ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'institution_changed',
      handle: (_ctx, _event, payload, tx) =>
        recordInstitution(tx, {
          id: payload.institution_id,
          name: payload.name,
          status: payload.status,
          version: payload.version,
        }),
    }),
  ];
}

function plan(
  event: Event,
  type: EventName,
  payload: DefaultReported | DelinquencyReported,
  degree: ReportedEvent['degree'],
): PlanDeliveries {
  return {
    event: {
      id: event.id,
      type,
      created_at: required(event.created_at),
      environment: event.environment,
      subject_id: payload.subject_id,
      credit_event_id: payload.credit_event_id,
      account_type: bareName('ACCOUNT_TYPE', payload.account_type),
      status: bareName('ACCOUNT_STATUS', payload.status),
      degree,
      occurred_at: required(payload.occurred_at),
      reported_at: required(payload.reported_at),
      account_id: payload.account_id,
      external_account_id: payload.external_account_id,
    },
    receiver_institution_ids: payload.receiver_institution_ids,
    reporting_institution_id: payload.reporting_institution_id,
    traceparent: event.traceparent,
  };
}

/** An event about an institution's own reporting: all its receivers read the same. */
function disputeEvent(
  event: Event,
  type: FeedEventName,
  payload: DisputeOpened | DisputeResolved,
  outcome: Readonly<Record<string, string | boolean | null>>,
): RecordedEvent {
  const created_at = required(event.created_at);
  const { id, environment, traceparent } = event;
  const body = eventText(
    { id, type, created_at, environment },
    {
      dispute_id: payload.dispute_id,
      subject_id: payload.subject_id ?? null,
      account_id: payload.account_id ?? null,
      credit_event_id: payload.credit_event_id ?? null,
      reason: bareName('DISPUTE_REASON', payload.reason),
      opened_at: required(payload.opened_at),
      ...outcome,
    },
  );
  return {
    id,
    type,
    created_at,
    traceparent,
    body,
    // Nobody is told more than the others.
    reporting_institution_id: NOBODY,
    reporter_body: body,
    receiver_institution_ids: payload.institution_ids,
  };
}

/** The public name of an enum's value: `DEFAULTED` of `ACCOUNT_STATUS_DEFAULTED`. */
function bareName(enum_name: string, value: string): string {
  return value.startsWith(`${enum_name}_`) ? value.slice(enum_name.length + 1) : value;
}

function required(timestamp: string | undefined): string {
  if (timestamp === undefined) throw new Error('An event lacks one of its times.');
  return timestamp;
}
