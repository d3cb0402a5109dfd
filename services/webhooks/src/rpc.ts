import type { Environment } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import {
  type Attempt,
  type Delivery,
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
import { sendTest } from './commands/send-test';
import { updateSubscription } from './commands/update-subscription';
import type { WebhooksConfig } from './config';
import { MAX_ATTEMPTS } from './domain/retry-schedule';
import { deliveryAttempts, type ShownAttempt } from './queries/delivery-attempts';
import { deliveryFigures, deliveryOutcomes, deliveryTraffic } from './queries/delivery-figures';
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
      const created = await createSubscription(db, tools, ctx, {
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
        subscriptions: page.items.map((row) => ({ ...toSubscription(row), health: toHealth(row) })),
        next_cursor: page.next_cursor,
      };
    },
    rotateSecret: async (ctx, { webhook_id }) => {
      const rotated = await rotateSecret(db, keys, ctx, {
        subscription_id: uuidFrom('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return { subscription: toSubscription(rotated.subscription), secret: rotated.secret };
    },
    updateSubscription: async (ctx, { webhook_id, changes_events, events, ...changes }) => {
      const row = await updateSubscription(db, tools, ctx, {
        ...changes,
        events: changes_events ? events : undefined,
        subscription_id: uuidFrom('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return { subscription: toSubscription(row) };
    },
    disableSubscription: async (ctx, { webhook_id }) => {
      await disableSubscription(db, ctx, {
        subscription_id: uuidFrom('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return {};
    },
    listDeliveries: async (ctx, { webhook_id, limit }) => {
      const rows = await listDeliveries(db, ctx, {
        subscription_id: uuidFrom('webhook_id', webhook_id),
        institution_id: institutionOf(ctx),
        limit,
      });
      return { deliveries: rows.map(toDelivery) };
    },
    listAttempts: async (ctx, { delivery_id }) => {
      const attempts = await deliveryAttempts(db, ctx, {
        delivery_id: uuidFrom('delivery_id', delivery_id),
        institution_id: institutionOf(ctx),
      });
      return { attempts: attempts.map(toAttempt) };
    },
    retryDelivery: async (ctx, { delivery_id }) => {
      const row = await retryDelivery(db, () => wakeSender(ctx.environment), ctx, {
        delivery_id: uuidFrom('delivery_id', delivery_id),
        institution_id: institutionOf(ctx),
        at: now(),
      });
      return { delivery: toDelivery(row) };
    },
    testSubscription: async (ctx, { webhook_id, deliver }) => {
      const subscription_id = uuidFrom('webhook_id', webhook_id);
      const which = { subscription_id, institution_id: institutionOf(ctx) };
      if (deliver) {
        const test = await sendTest(db, { clock, keys, egress }, ctx, which);
        return { ...test, sent: toAttempt(test.sent) };
      }
      return testDelivery(db, keys, ctx, { ...which, now_ms: clock.now_ms() });
    },
    replayDeliveries: async (ctx, { webhook_id, from, to }) => {
      const deliveries = await replayDeliveries(
        db,
        { newId, wakeSender: () => wakeSender(ctx.environment) },
        ctx,
        {
          subscription_id: uuidFrom('webhook_id', webhook_id),
          institution_id: institutionOf(ctx),
          from: given('from', from),
          to: given('to', to),
          at: now(),
        },
      );
      return { deliveries };
    },
    listFeed: async (ctx, { after, type, limit }) => {
      const institution_id = institutionOf(ctx);
      const feed = await listFeed(db, ctx, { institution_id, after, type, limit });
      return { events: [...feed.events], next_after: feed.next_after, has_more: feed.has_more };
    },
    getDeliveryTraffic: (ctx) => deliveryTraffic(db, ctx, clock.now_ms()),
    getDeliveryFigures: async (ctx) => {
      const [outcomes, figures] = await Promise.all([
        deliveryOutcomes(db, ctx, clock.now_ms()),
        deliveryFigures(db, ctx),
      ]);
      return {
        ...figures,
        pending: outcomes.PENDING,
        delivered: outcomes.DELIVERED,
        failed: outcomes.FAILED,
        cancelled: outcomes.CANCELLED,
      };
    },
  });
}

/** A time of a request that must be there. */
function given(path: string, timestamp: string | undefined): string {
  if (timestamp === undefined) throw invalid(path, 'is required');
  return timestamp;
}

function toHealth(row: SubscriptionHealthRow): SubscriptionHealth {
  return {
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason ?? DisabledReason.UNSPECIFIED,
    last_success_at: row.last_success_at,
    last_failure_at: row.last_failure_at,
    consecutive_failures: row.consecutive_failures,
    failure_rate_percent: row.failure_rate_percent,
    paused_until: row.paused_until,
    last_error_class: row.last_error_class,
  };
}

function toSubscription(row: SubscriptionRow): Subscription {
  const { id, url, events, enabled, created_at } = row;
  return { id, url, events, enabled, created_at };
}

function toAttempt({ request, response, ...rest }: ShownAttempt): Attempt {
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => ({ name, value }));
  return {
    ...rest,
    request: request && { headers, body: request.body },
    response: response && { ...response, headers: [...response.headers] },
  };
}

function toDelivery({ in_flight: _, subscription_id: __, ...row }: DeliveryRow): Delivery {
  return { ...row, max_attempts: MAX_ATTEMPTS };
}
