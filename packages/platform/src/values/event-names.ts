/** Events that can be subscribed to: a closed list. */
export const EVENT_NAMES = [
  'credit.default.reported',
  'credit.delinquency.reported',
  'credit.default.voided',
  'credit.delinquency.voided',
  'credit.record.corrected',
] as const;

/** Name of an event that can be subscribed to. */
export type EventName = (typeof EVENT_NAMES)[number];

/** Events that institutions find in their feeds; those about disputes and names only there. */
export const FEED_EVENT_NAMES = [
  ...EVENT_NAMES,
  'dispute.opened',
  'dispute.answered',
  'dispute.resolved',
  'subject.renamed',
  'credit.subject.merged',
  'credit.subject.split',
] as const;

/** Name of an event of the feed. */
export type FeedEventName = (typeof FEED_EVENT_NAMES)[number];

/** What the test operation answers with; nobody subscribes to it and it is never sent. */
export const TEST_EVENT_NAME = 'svc.test';
