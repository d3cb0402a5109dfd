import { scope } from '../access';
import { defaultReported, FEED_EVENT_NAMES } from '../events';
import { operation } from '../operation';
import { boolean, freeObject, label, list, named, oneOf, queryInteger, reply, text } from '../wire';

const MAX_EVENTS = 100;

export const listFeed = operation({
  id: 'listFeed',
  method: 'GET',
  path: '/events',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ListFeed'],
  summary: 'Read the events of the last 30 days',
  description:
    'All events that your institution may hear of, oldest first, subscribed to or not: each as ' +
    'a webhook would bring it. Keep `next_after` and give it as `after` the next time; nothing ' +
    'is missed or repeated. A cursor older than 30 days whose events are gone is 400.',
  access: scope('webhooks:manage'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    after: text({
      max: 500,
      description: '`next_after` of an earlier answer; without it, the oldest events are first.',
    }).optional(),
    type: oneOf(FEED_EVENT_NAMES, 'Only events of this name.').optional(),
    limit: queryInteger({
      min: 1,
      max: MAX_EVENTS,
      default: MAX_EVENTS,
      description: 'How many events at most.',
    }),
  },
  status: 200,
  response: named(
    'Feed',
    reply({
      events: list(freeObject('The body of the webhook.')),
      next_after: label('Where to go on; there even when there was no event.'),
      has_more: boolean('Whether more events are waiting already.'),
    }),
  ),
  errors: ['REQUEST_ERROR'],
  examples: {
    query: { type: 'credit.default.reported' },
    response: {
      events: [defaultReported.example],
      next_after: 'WyJsaXZlIiwiMDE5OGExYzQtMGYwMC03YzExLTlkMmUtM2Y0YTViNmM3ZDhlIiwiNDIiXQ',
      has_more: false,
    },
  },
});
