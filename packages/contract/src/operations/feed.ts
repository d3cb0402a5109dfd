import { FEED_EVENT_NAMES } from '@credit/platform/values';
import { scope } from '../access';
import { feedEvents } from '../events';
import { operation } from '../operation';
import { keptAsText, list, named, oneOf, page, text } from '../wire';
import recorded from './recorded-answers.json';

export const listFeed = operation({
  id: 'listFeed',
  method: 'GET',
  path: '/events',
  tag: 'Webhooks',
  rpc: ['credit.webhooks.v1.WebhooksService/ListFeed'],
  summary: 'Read the events of the last 30 days',
  description:
    'All events that your institution may hear of, oldest first, subscribed to or not: each as ' +
    'a webhook would bring it. Where to go on is in the `Link` header of every answer, also of ' +
    'one without events; the id of the last event that you have handled serves as `after` too. ' +
    'Read so, nothing is missed or repeated. An `after` whose events are kept no longer is 400.',
  access: scope('webhooks:manage', 'webhooks.manage'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    after: text({
      max: 500,
      description:
        'From the `Link` header of an earlier answer, or the id of an event of the feed; without ' +
        'it, the oldest events are first.',
    }).optional(),
    type: oneOf(FEED_EVENT_NAMES, 'Only events of this name.').optional(),
    limit: page.limit,
  },
  status: 200,
  response: list(named('FeedEvent', keptAsText(feedEvents))),
  paging: 'PAGE',
  errors: ['REQUEST_ERROR'],
  examples: {
    query: { type: 'credit.default.reported' },
    response: recorded.listFeed,
  },
});
