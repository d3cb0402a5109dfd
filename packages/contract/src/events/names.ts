/** Events that can be subscribed to. */
export const EVENT_NAMES = [
  'credit.default.reported',
  'credit.delinquency.reported',
  'credit.default.voided',
  'credit.delinquency.voided',
  'credit.record.corrected',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** Events of the feed; those about disputes and names cannot be subscribed to. */
export const FEED_EVENT_NAMES = [
  ...EVENT_NAMES,
  'dispute.opened',
  'dispute.resolved',
  'subject.renamed',
] as const;

export type FeedEventName = (typeof FEED_EVENT_NAMES)[number];

/** Only ever returned by the test operation. */
export const TEST_EVENT_NAME = 'svc.test';
