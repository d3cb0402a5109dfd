import {
  type ConsumerDefinition,
  consumer,
  type EventType,
  type PayloadOf,
} from '@credit/platform/bus';
import type { Environment } from '@credit/platform/context';
import type { FeedEventName } from '@credit/platform/values';
import type { DisputeOpened, Event } from '@credit/proto/events/v1/events';
import { type PlanDeliveries, planDeliveries } from './commands/plan-deliveries';
import { type RecordedEvent, recordEvents } from './commands/record-events';
import { recordInstitution } from './commands/record-institution';
import { type EventData, eventText, type ReportedEvent } from './domain/event-body';

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What the consumers need. */
export interface WebhookConsumersDeps {
  readonly newId: () => string;
  readonly wakeSender: (environment: Environment) => void;
}

/** What the service listens to. */
export function webhookConsumers(deps: WebhookConsumersDeps): ConsumerDefinition[] {
  return [
    planner(deps, 'default_reported', (payload) => ({
      type: 'credit.default.reported',
      particulars: { default_severity: payload.default_severity },
    })),
    planner(deps, 'delinquency_reported', (payload) => ({
      type: 'credit.delinquency.reported',
      particulars: { bucket: payload.bucket },
    })),
    planner(deps, 'fact_voided', ({ correction_event_id, kind }) => ({
      type: kindOf(kind) === 'DEFAULT' ? 'credit.default.voided' : 'credit.delinquency.voided',
      particulars: { correction_event_id },
    })),
    planner(deps, 'record_corrected', ({ correction_event_id, default_severity, ...told }) => ({
      type: 'credit.record.corrected',
      particulars: {
        kind: told.kind === 'RECORD' ? told.kind : kindOf(told.kind),
        correction_event_id,
        default_severity,
        event_type: told.event_type,
        change: told.change,
      },
    })),
    consumer({
      name: 'webhooks',
      type: 'dispute_opened',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries
            .filter(({ payload }) => payload.told_before !== true)
            .map(({ event, payload }) =>
              disputeEvent(event, 'dispute.opened', payload, {
                due_at: required(payload.due_at),
              }),
            ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'dispute_answered',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload: { institution_id, ...payload } }) =>
            disputeEvent(
              event,
              'dispute.answered',
              { ...payload, institution_ids: [institution_id] },
              {
                verdict: payload.verdict,
                answered_at: required(payload.answered_at),
                correction_event_ids: payload.correction_event_ids,
              },
            ),
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
              status: payload.status,
              resolved_at: required(payload.resolved_at),
              correction_event_id: payload.correction_event_id,
              correction_pending: payload.correction_pending,
            }),
          ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'subject_renamed',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload }) =>
            toldAlike(event, 'subject.renamed', payload.institution_ids, {
              subject_id: payload.subject_id,
              changed_fields: payload.changed_fields,
              renamed_at: required(payload.renamed_at),
            }),
          ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'subject_merged',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload: { institution_id, moved_at, ...told } }) =>
            toldAlike(event, 'credit.subject.merged', [institution_id], {
              ...told,
              moved_at: required(moved_at),
            }),
          ),
        ),
    }),
    consumer({
      name: 'webhooks',
      type: 'subject_split',
      handleBatch: (_ctx, entries, tx) =>
        recordEvents(
          tx,
          entries.map(({ event, payload: { institution_id, moved_at, ...told } }) =>
            toldAlike(event, 'credit.subject.split', [institution_id], {
              ...told,
              moved_at: required(moved_at),
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

/** The events that are sent to subscriptions. */
type PlannedType = Extract<
  EventType,
  'default_reported' | 'delinquency_reported' | 'fact_voided' | 'record_corrected'
>;

/** Plans the deliveries of one type of event; `tells` says what is particular to it. */
function planner<Type extends PlannedType>(
  { newId, wakeSender }: WebhookConsumersDeps,
  type: Type,
  tells: (payload: PayloadOf<Type>) => Pick<ReportedEvent, 'type' | 'particulars'>,
): ConsumerDefinition {
  return consumer({
    name: 'webhooks',
    type,
    handleBatch: (ctx, entries, tx) =>
      planDeliveries(
        tx,
        { newId, wakeSender: () => wakeSender(ctx.environment) },
        entries.map(({ event, payload }) => plan(event, payload, tells(payload))),
      ),
  });
}

function plan(
  event: Event,
  payload: PayloadOf<PlannedType>,
  { particulars, type }: Pick<ReportedEvent, 'type' | 'particulars'>,
): PlanDeliveries {
  return {
    event: {
      id: event.id,
      type,
      created_at: required(event.created_at),
      environment: event.environment,
      subject_id: payload.subject_id,
      credit_event_id: payload.credit_event_id,
      account_type: payload.account_type,
      status: payload.status,
      particulars,
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

/** An event about an institution's own reporting. */
function disputeEvent(
  event: Event,
  type: FeedEventName,
  payload: Pick<
    DisputeOpened,
    | 'dispute_id'
    | 'institution_ids'
    | 'subject_id'
    | 'account_id'
    | 'credit_event_id'
    | 'reason'
    | 'opened_at'
  >,
  outcome: EventData,
): RecordedEvent {
  return toldAlike(event, type, payload.institution_ids, {
    dispute_id: payload.dispute_id,
    subject_id: payload.subject_id,
    account_id: payload.account_id,
    credit_event_id: payload.credit_event_id,
    reason: payload.reason,
    opened_at: required(payload.opened_at),
    ...outcome,
  });
}

/** An event of which all its receivers read the same. */
function toldAlike(
  event: Event,
  type: FeedEventName,
  receiver_institution_ids: readonly string[],
  data: EventData,
): RecordedEvent {
  const created_at = required(event.created_at);
  const { id, environment, traceparent } = event;
  const body = eventText({ id, type, created_at, environment }, data);
  return {
    id,
    type,
    created_at,
    traceparent,
    body,
    // Nobody is told more than the others.
    reporting_institution_id: NOBODY,
    reporter_body: body,
    receiver_institution_ids,
  };
}

/** What was told: a kind that is not known must not be sent as another. */
function kindOf(kind: string): 'DEFAULT' | 'DELINQUENCY' {
  if (kind === 'DEFAULT' || kind === 'DELINQUENCY') return kind;
  throw new Error(`An event is about an unknown kind of fact, ${kind}.`);
}

function required(timestamp: string | undefined): string {
  if (timestamp === undefined) throw new Error('An event lacks one of its times.');
  return timestamp;
}
