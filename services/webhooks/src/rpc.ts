import type { CallContext, Environment } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { forbidden, invalid } from '@credit/platform/errors';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import {
  type Delivery,
  DeliveryStatus,
  DisabledReason,
  type Subscription,
  type SubscriptionHealth,
  WebhooksServiceDefinition,
} from '@credit/proto/webhooks/v1/webhooks';
import { createSubscription } from './commands/create-subscription';
import { disableSubscription } from './commands/disable-subscription';
import { replayDeliveries } from './commands/replay-deliveries';
import { retryDelivery } from './commands/retry-delivery';
import { rotateSecret } from './commands/rotate-secret';
import type { WebhooksConfig } from './config';
import { parseId } from './domain/id';
import { MAX_ATTEMPTS } from './domain/retry-schedule';
import { deliveryFigures, deliveryOutcomes } from './queries/delivery-figures';
import { listDeliveries } from './queries/list-deliveries';
import { listFeed } from './queries/list-feed';
import { listSubscriptions } from './queries/list-subscriptions';
import { testDelivery } from './queries/test-delivery';
import type { Egress } from './sending/egress';
import type { DeliveryRow } from './store/deliveries';
import type { SubscriptionHealthRow, SubscriptionRow } from './store/subscriptions';

/** What the handlers need. */
export interface WebhooksRpcDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly wakeSender: (environment: Environment) => void;
  readonly egress: Egress;
  readonly config: WebhooksConfig;
}

/** The gRPC face of the service. */
export function webhooksRpc(deps: WebhooksRpcDeps): ServiceRegistration {
  const { clock, config, db, egress, newId, wakeSender } = deps;
  const { keys } = config;
  const now = () => toTimestamp(clock.now_ms());
  const tools = {
    keys,
    opened: config.WEBHOOK_ALLOWED_PRIVATE_CIDRS,
    isRefusedName: (host: string) => egress.isRefusedName(host),
  };
  return serviceRegistration(WebhooksServiceDefinition, {
    createSubscription: async (ctx, { url, events }) => {
      const created = await createSubscription(db, ctx, tools, {
        id: newId(),
        institution_id: institutionOf(ctx),
        url,
        events,
        at: now(),
      });
      return { subscription: toSubscription(created.subscription), secret: created.secret };
    },
    listSubscriptions: async (ctx, { limit, cursor }) => {
      const institution_id = institutionOf(ctx);
      const page = await listSubscriptions(db, ctx, { institution_id, limit, cursor });
      return {
        subscriptions: page.subscriptions.map((row) => ({
          ...toSubscription(row),
          health: toHealth(row),
        })),
        next_cursor: page.next_cursor,
      };
    },
    rotateSecret: async (ctx, { webhook_id }) => {
      const rotated = await rotateSecret(db, ctx, keys, {
        subscription_id: parseId('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return { subscription: toSubscription(rotated.subscription), secret: rotated.secret };
    },
    disableSubscription: async (ctx, { webhook_id }) => {
      await disableSubscription(db, ctx, {
        subscription_id: parseId('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return {};
    },
    listDeliveries: async (ctx, { webhook_id, limit }) => {
      const rows = await listDeliveries(db, ctx, {
        subscription_id: parseId('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        limit,
      });
      return { deliveries: rows.map(toDelivery) };
    },
    retryDelivery: async (ctx, { delivery_id }) => {
      const row = await retryDelivery(
        db,
        ctx,
        {
          delivery_id: parseId('delivery_id', delivery_id),
          institution_id: institutionOf(ctx),
          at: now(),
        },
        () => wakeSender(ctx.environment),
      );
      return { delivery: toDelivery(row) };
    },
    testSubscription: (ctx, { webhook_id }) =>
      testDelivery(db, ctx, keys, {
        subscription_id: parseId('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        now_ms: clock.now_ms(),
      }),
    replayDeliveries: async (ctx, { webhook_id, from, to }) => {
      const deliveries = await replayDeliveries(
        db,
        ctx,
        {
          subscription_id: parseId('webhook_id', webhook_id),
          institution_id: institutionOf(ctx),
          from: given('from', from),
          to: given('to', to),
          at: now(),
        },
        { newId, wakeSender: () => wakeSender(ctx.environment) },
      );
      return { deliveries };
    },
    listFeed: async (ctx, { after, type, limit }) => {
      const institution_id = institutionOf(ctx);
      const feed = await listFeed(db, ctx, { institution_id, after, type, limit });
      return { events: [...feed.events], next_after: feed.next_after, has_more: feed.has_more };
    },
    getDeliveryFigures: async (ctx) => {
      const [outcomes, figures] = await Promise.all([
        deliveryOutcomes(db, ctx, clock.now_ms()),
        deliveryFigures(db, ctx),
      ]);
      return {
        pending: outcomes.PENDING,
        delivered: outcomes.DELIVERED,
        failed: outcomes.FAILED,
        cancelled: outcomes.CANCELLED,
        due: figures.due,
        oldest_due_ms: figures.oldest_due_ms,
        in_flight: figures.in_flight,
      };
    },
  });
}

/** Webhooks belong to institutions; nobody else has any. */
function institutionOf(ctx: CallContext): string {
  if (ctx.institution_id === '') throw forbidden();
  return ctx.institution_id;
}

/** A time of a request that must be there. */
function given(path: string, timestamp: string | undefined): string {
  if (timestamp === undefined) throw invalid(path, 'is required');
  return timestamp;
}

function toHealth(row: SubscriptionHealthRow): SubscriptionHealth {
  return {
    disabled_at: row.disabled_at ?? undefined,
    disabled_reason: DisabledReason[row.disabled_reason ?? 'UNSPECIFIED'],
    last_success_at: row.last_success_at ?? undefined,
    last_failure_at: row.last_failure_at ?? undefined,
    consecutive_failures: row.consecutive_failures,
    failure_rate_percent: row.failure_rate_percent ?? undefined,
  };
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    created_at: row.created_at,
  };
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: DeliveryStatus[row.status],
    attempts: row.attempts,
    max_attempts: MAX_ATTEMPTS,
    next_attempt_at: row.next_attempt_at ?? undefined,
    last_attempt_at: row.last_attempt_at ?? undefined,
    last_response_status: row.last_response_status ?? undefined,
    last_error: row.last_error ?? undefined,
    delivered_at: row.delivered_at ?? undefined,
    created_at: row.created_at,
  };
}
