import type { JsonText } from '@credit/contract';
import type { Subscription } from '@credit/proto/webhooks/v1/webhooks';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type WebhookOperations =
  | 'createWebhook'
  | 'listWebhooks'
  | 'updateWebhook'
  | 'rotateWebhookSecret'
  | 'disableWebhook'
  | 'listDeliveries'
  | 'listAttempts'
  | 'retryDelivery'
  | 'testWebhook'
  | 'replayDeliveries'
  | 'listFeed';

interface WithSecret {
  readonly subscription: Subscription | undefined;
  readonly secret: string;
}

function withSecret({ subscription, secret }: WithSecret) {
  return { ...present(subscription), secret };
}

export function webhookRoutes({ webhooks }: Clients): HandlersOf<WebhookOperations> {
  return {
    createWebhook: async ({ ctx, body }) =>
      withSecret(await webhooks.createSubscription(ctx, body)),
    listWebhooks: async ({ ctx, query }) => {
      const { subscriptions, next_cursor } = await webhooks.listSubscriptions(ctx, query);
      const items = subscriptions.map((one) => ({ ...one, health: present(one.health) }));
      return { items, next_cursor };
    },
    updateWebhook: async ({ ctx, params, body: { events = [], ...changes }, body }) => {
      const changes_events = body.events !== undefined;
      const request = { ...params, ...changes, events, changes_events };
      return present((await webhooks.updateSubscription(ctx, request)).subscription);
    },
    rotateWebhookSecret: async ({ ctx, params }) =>
      withSecret(await webhooks.rotateSecret(ctx, params)),
    disableWebhook: async ({ ctx, params }) => {
      await webhooks.disableSubscription(ctx, params);
    },
    listDeliveries: async ({ ctx, params, query }) =>
      (await webhooks.listDeliveries(ctx, { ...params, ...query })).deliveries,
    listAttempts: async ({ ctx, params }) => (await webhooks.listAttempts(ctx, params)).attempts,
    retryDelivery: async ({ ctx, params }) =>
      present((await webhooks.retryDelivery(ctx, params)).delivery),
    testWebhook: async ({ ctx, params, query: { deliver = false } }) => {
      const request = { ...params, deliver };
      const { headers, body, sent } = await webhooks.testSubscription(ctx, request);
      return { headers, payload_json: body as JsonText, body, sent };
    },
    replayDeliveries: ({ ctx, params, body }) =>
      webhooks.replayDeliveries(ctx, { ...params, ...body }),
    listFeed: async ({ ctx, query }) => {
      const { events, next_after } = await webhooks.listFeed(ctx, query);
      const items = events.map((event) => event.body as JsonText);
      return { items, next_cursor: next_after, cursor_parameter: 'after' };
    },
  };
}
