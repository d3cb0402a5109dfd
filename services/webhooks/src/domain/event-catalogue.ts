import { type ErrorDetail, invalid } from '@credit/platform/errors';
import {
  EVENT_NAMES,
  type EventName,
  FEED_EVENT_NAMES,
  type FeedEventName,
} from '@credit/platform/values';

/** The name that a feed is asked for. */
export function parseFeedEventName(name: string): FeedEventName {
  const known = FEED_EVENT_NAMES.find((one) => one === name);
  if (known === undefined) throw invalid('type', `must be one of ${FEED_EVENT_NAMES.join(', ')}`);
  return known;
}

function isEventName(name: string): name is EventName {
  return EVENT_NAMES.some((known) => known === name);
}

/** The names of a subscription: at least one, all known, none twice. */
export function parseEventNames(names: readonly string[]): EventName[] {
  if (names.length === 0) throw invalid('events', 'must name at least one event');
  const details: ErrorDetail[] = [];
  const known: EventName[] = [];
  // More names than events exist cannot all be different.
  for (const [index, name] of names.slice(0, EVENT_NAMES.length + 1).entries()) {
    const path = `events[${index}]`;
    if (!isEventName(name))
      details.push({ path, message: `must be one of ${EVENT_NAMES.join(', ')}` });
    else if (known.includes(name)) details.push({ path, message: 'must not be repeated' });
    else known.push(name);
  }
  if (details.length > 0) throw invalid(details);
  return known;
}
