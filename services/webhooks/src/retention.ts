// How long each table of this service is kept, why, and what deletes it.

import {
  DAILY_COUNTS,
  forGood,
  goesWith,
  hourlyCounts,
  PLATFORM_TABLES,
  type RetentionPolicies,
  swept,
  writtenOver,
} from '@credit/platform/db';

export const RETENTION: RetentionPolicies = {
  ...PLATFORM_TABLES,
  attempts: goesWith('deliveries', 'contract', 'what a receiver answered'),
  daily_totals: DAILY_COUNTS,
  deliveries: swept(
    'sweep-expired',
    '90 days',
    'contract',
    'what was sent, when and with what outcome',
  ),
  endpoints: goesWith('subscriptions', 'need', "the sender's state"),
  events: swept(
    'sweep-expired',
    '121 days',
    'need',
    'the text that a delivery needs',
    'recorded_at',
    121,
  ),
  feed: swept(
    'sweep-expired',
    '30 days',
    'contract',
    'what an institution may read again',
    'recorded_at',
    30,
  ),
  feed_heads: writtenOver('one row an institution'),
  hourly_totals: hourlyCounts('sweep-expired'),
  institutions: writtenOver("a copy of identity's"),
  subscription_counts: writtenOver('one row an institution'),
  subscriptions: forGood('contract', 'until it is deleted by its institution; the log names it'),
  test_sends: swept('sweep-expired', 'as long as it counts', 'need', 'limits', 'window_ends_at'),
};
