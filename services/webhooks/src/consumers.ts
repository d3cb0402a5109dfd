import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { Environment } from '@credit/platform/context';
import type { DefaultReported, DelinquencyReported, Event } from '@credit/proto/events/v1/events';
import { type PlanDeliveries, planDeliveries } from './commands/plan-deliveries';
import { recordInstitution } from './commands/record-institution';
import type { ReportedEvent } from './domain/event-body';
import type { EventName } from './domain/event-catalogue';

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
