import { EVENT_NAMES, TEST_EVENT_NAME } from '@credit/platform/values';
import { DeliveryStatus, DisabledReason } from '@credit/proto/webhooks/v1/webhooks';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  freeObject,
  id,
  integer,
  label,
  list,
  map,
  named,
  oneOf,
  orNull,
  page,
  queryFlag,
  queryInteger,
  RECEIVER_URL,
  reply,
  request,
  timestamp,
  url,
} from '../wire';
import recorded from './recorded-answers.json';

const MAX_DELIVERIES = 100;

const webhookFields = {
  id: id(),
  url: label(),
  events: list(oneOf(EVENT_NAMES)),
  enabled: boolean(),
  created_at: timestamp(),
};
const webhookWithHealth = named(
  'WebhookWithHealth',
  reply({
    ...webhookFields,
    health: reply({
      disabled_at: orNull(timestamp()),
      disabled_reason: orNull(
        enumeration(DisabledReason, {
          description: 'REQUESTED by your institution, or GONE: your endpoint answered 410.',
        }),
      ),
      last_success_at: orNull(timestamp()),
      last_failure_at: orNull(timestamp()),
      consecutive_failures: integer({ description: 'Since the last success.' }),
      failure_rate_percent: orNull(
        integer({
          description: 'Of the latest 100 attempts within 24 hours; null when there were none.',
        }),
      ),
      paused_until: orNull(
        timestamp('While nothing is sent because attempts in a row have failed: until when.'),
      ),
      last_error_class: orNull(
        label('What the latest attempt failed of that failed within 24 hours.', 'TIMEOUT'),
      ),
    }),
  }),
);
const webhook = named('Webhook', reply(webhookFields));
const webhookWithSecret = named(
  'WebhookWithSecret',
  reply({
    ...webhookFields,
    secret: label('The key of the signatures, prefix included. Shown here only.'),
  }),
);

const delivery = named(
  'Delivery',
  reply({
    id: id(),
    event_id: id('As in the Svc-Event-ID header.'),
    event_type: label(),
    status: enumeration(DeliveryStatus),
    attempts: integer(),
    max_attempts: integer(),
    next_attempt_at: orNull(timestamp()),
    last_attempt_at: orNull(timestamp()),
    last_response_status: orNull(integer()),
    last_error: orNull(label()),
    delivered_at: orNull(timestamp()),
    created_at: timestamp(),
  }),
);

const attemptFields = {
  started_at: timestamp(),
  duration_ms: integer(),
  response_status: orNull(integer({ description: 'Null when there was no answer.' })),
  error_class: orNull(label('Null when it arrived, else what kept it from arriving.')),
};
const headers = (description: string) => list(header, { description });
const header = named('Header', reply({ name: label(), value: label() }));
const response = orNull(
  named(
    'WebhookAnswer',
    reply({
      headers: headers(
        'In their order, names in lower case, 2,048 characters in all. The value is left out of ' +
          'those that may carry a credential or a cookie, and so are queries in addresses.',
      ),
      body: label(
        'Its first 2,048 bytes as UTF-8; what does not show is replaced by U+FFFD.',
        '{"error":"maintenance"}',
      ),
      truncated: boolean('Whether there was more than that.'),
    }),
  ),
);
const attempt = named(
  'Attempt',
  reply({
    attempt: integer({ description: 'From 1 on.' }),
    ...attemptFields,
    request: orNull(
      named(
        'WebhookMessage',
        reply({
          headers: headers('Those that the network set, the signature among them.'),
          body: label('The canonical text that was signed.'),
        }),
      ),
    ),
    response,
  }),
);
const sentTest = named('SentTest', reply({ ...attemptFields, response }));

export const createWebhook = operation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/CreateSubscription'],
  summary: 'Subscribe to events',
  description:
    'Has the named events sent, signed, to your HTTPS endpoint. Addresses that are not ' +
    'on the public internet are refused. 409 when your institution has 20 enabled ' +
    'subscriptions already.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    url: url(['https'], 'HTTPS, without user information or fragment.', RECEIVER_URL),
    events: list(oneOf(EVENT_NAMES), { min: 1, max: EVENT_NAMES.length, unique: true }),
  }),
  status: 201,
  response: webhookWithSecret,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { url: 'https://hooks.harbour.example/credit', events: ['credit.default.reported'] },
    response: recorded.createWebhook,
  },
});

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ListSubscriptions'],
  summary: 'List subscriptions',
  description:
    "Your institution's subscriptions, newest first, without their secrets, and how your " +
    'endpoints fare.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(webhookWithHealth),
  paging: 'PAGE',
  errors: [],
  examples: {
    response: recorded.listWebhooks,
  },
});

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/{webhook_id}',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/UpdateSubscription'],
  summary: 'Change a subscription',
  description:
    'Changes where events are sent, which are, or whether any are; the secret stays. Deliveries ' +
    'that wait go to the new address. `enabled: false` cancels them as DELETE does; `enabled: ' +
    'true` begins anew, also after your endpoint was gone, and 409 when your institution has ' +
    '20 enabled subscriptions already. What happened in between is in the feed and can be replayed.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { webhook_id: id('The subscription.') },
  body: request({
    url: url(['https'], 'HTTPS, without user information or fragment.', RECEIVER_URL).optional(),
    events: list(oneOf(EVENT_NAMES), { min: 1, max: EVENT_NAMES.length, unique: true }).optional(),
    enabled: boolean().optional(),
  }),
  status: 200,
  response: webhook,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { webhook_id: recorded.createWebhook.id },
    body: { url: 'https://hooks.harbour.example/credit' },
    response: recorded.updateWebhook,
  },
});

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/{webhook_id}/rotate-secret',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/RotateSecret'],
  summary: 'Rotate the signing secret',
  description:
    'Replaces the secret at once: the next attempt of any delivery is signed with the new one.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { webhook_id: id('The subscription.') },
  status: 200,
  response: webhookWithSecret,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { webhook_id: recorded.createWebhook.id },
    response: recorded.rotateWebhookSecret,
  },
});

export const disableWebhook = operation({
  id: 'disableWebhook',
  method: 'DELETE',
  path: '/webhooks/{webhook_id}',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/DisableSubscription'],
  summary: 'Disable a subscription',
  description: 'Nothing more is sent, and what was still to be delivered is cancelled.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { webhook_id: id('The subscription.') },
  status: 204,
  errors: ['NOT_FOUND'],
  examples: { params: { webhook_id: recorded.createWebhook.id } },
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ListDeliveries'],
  summary: 'List deliveries',
  description:
    'The latest deliveries of a subscription, newest first. Each attempt, with what was sent and ' +
    'answered, is in `GET /webhooks/deliveries/{delivery_id}/attempts`.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { webhook_id: id('The subscription.') },
  query: {
    limit: queryInteger({
      min: 1,
      max: MAX_DELIVERIES,
      default: MAX_DELIVERIES,
      description: 'How many deliveries at most.',
    }),
  },
  status: 200,
  response: list(delivery),
  errors: ['NOT_FOUND'],
  examples: {
    params: { webhook_id: recorded.createWebhook.id },
    response: recorded.listDeliveries,
  },
});

export const listAttempts = operation({
  id: 'listAttempts',
  method: 'GET',
  path: '/webhooks/deliveries/{delivery_id}/attempts',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ListAttempts'],
  summary: 'List the attempts of a delivery',
  description:
    'The attempts to deliver it, in their order, 8 at most: what was sent, and what your endpoint ' +
    'answered, as far as it is kept. `request` is null in attempts of before it was kept, ' +
    '`response` in those too and when no complete answer came.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { delivery_id: id('The delivery.') },
  status: 200,
  response: list(attempt),
  errors: ['NOT_FOUND'],
  examples: {
    params: { delivery_id: recorded.retryDelivery.id },
    response: recorded.listAttempts,
  },
});

export const retryDelivery = operation({
  id: 'retryDelivery',
  method: 'POST',
  path: '/webhooks/deliveries/{delivery_id}/retry',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/RetryDelivery'],
  summary: 'Retry a delivery',
  description:
    'Queues the delivery for an attempt now. 409 when its attempts are used up, or when it is ' +
    'delivered, cancelled or being sent.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { delivery_id: id('The delivery.') },
  status: 200,
  response: delivery,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { delivery_id: recorded.retryDelivery.id },
    response: recorded.retryDelivery,
  },
});

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/{webhook_id}/test',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/TestSubscription'],
  summary: 'Sign a test payload',
  description:
    `Returns a fixed ${TEST_EVENT_NAME} payload with the headers of a delivery, signed with the ` +
    'subscription’s secret. Nothing is sent: check your verifier against `body`. With ' +
    '`deliver=true` it is sent to your endpoint too, once, as a delivery is, and `sent` says what ' +
    'came of it. That is no delivery: it is not listed, costs no health and is not retried, it is ' +
    'sent while a webhook is paused, and whatever your endpoint answers changes nothing. A ' +
    'disabled webhook is 409; more than 5 a minute of a webhook, or 20 of an institution, are 429.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { webhook_id: id('The subscription.') },
  query: { deliver: queryFlag('Whether it is sent to your endpoint too.') },
  status: 200,
  response: named(
    'SignedExample',
    reply({
      headers: map(label(), 'The headers of the delivery.'),
      payload: freeObject('The payload.'),
      body: label('The canonical text that was signed.'),
      sent: orNull(sentTest),
    }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { webhook_id: recorded.createWebhook.id },
    query: { deliver: 'true' },
    response: recorded.testWebhook,
  },
});

export const replayDeliveries = operation({
  id: 'replayDeliveries',
  method: 'POST',
  path: '/webhooks/{webhook_id}/replay',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ReplayDeliveries'],
  summary: 'Deliver past events again',
  description:
    'Makes a new delivery of each event that the subscription names and that was created from ' +
    '`from` on and before `to`, within the last 30 days. The events keep their ids. What is on ' +
    'its way already is left out. At most 1,000 events at a time: a span with more is 422.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: { webhook_id: id('The subscription.') },
  body: request({ from: timestamp(), to: timestamp() }),
  status: 201,
  response: named(
    'Replay',
    reply({ deliveries: integer({ description: 'How many deliveries were made.' }) }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { webhook_id: recorded.createWebhook.id },
    body: { from: '2026-02-03T08:00:00Z', to: '2026-02-03T12:00:00Z' },
    response: recorded.replayDeliveries,
  },
});
