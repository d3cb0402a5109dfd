const DAY_MS = 86_400_000;

/** How long an event can be read from the feed, and replayed. */
export const FEED_DAYS = 30;

/** How long a delivery and its attempts are kept. */
const DELIVERY_DAYS = 90;

// A replay on the feed's last day makes a delivery that needs the event's text
// for as long as it is kept itself; a day more for a sweep that is late.
const EVENT_DAYS = FEED_DAYS + DELIVERY_DAYS + 1;

/** Up to when things are swept, seen from a moment. */
export interface RetentionBounds {
  readonly feed_before_ms: number;
  readonly deliveries_before_ms: number;
  readonly events_before_ms: number;
}

/** What may go at a moment. */
export function retentionBounds(now_ms: number): RetentionBounds {
  return {
    feed_before_ms: now_ms - FEED_DAYS * DAY_MS,
    deliveries_before_ms: now_ms - DELIVERY_DAYS * DAY_MS,
    events_before_ms: now_ms - EVENT_DAYS * DAY_MS,
  };
}
