import { defaultReported } from './default-reported';
import { delinquencyReported } from './delinquency-reported';
import type { WebhookEvent } from './webhook-event';

export { EVENT_NAMES, type EventName, FEED_EVENT_NAMES, TEST_EVENT_NAME } from './names';
export type { WebhookEvent } from './webhook-event';
export { defaultReported };

/** Every event that can be subscribed to. */
export const webhookEvents: readonly WebhookEvent[] = [defaultReported, delinquencyReported];
