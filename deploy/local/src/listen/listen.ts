import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryHeaders } from '@credit/platform/signing';
import type { FeedEventName } from '@credit/platform/values';
import type { Feed, FeedEvent } from './feed';
import { forward, type Outcome, type Target } from './forward';
import type { Place } from './place';

/** How often the end of the feed is looked at: well within what a key may ask in a minute. */
const REST_MS = 1_000;

/** What a listener works with. */
export interface Listening {
  readonly feed: Feed;
  readonly target: Target;
  readonly secret: string;
  readonly types: ReadonlySet<FeedEventName>;
  /** Begin with events of then; with those of now unless said. */
  readonly since_ms: number | undefined;
  readonly place: Place;
  readonly print: (line: string) => void;
  /** Ends it. */
  readonly stop: AbortSignal;
}

/** How many messages were taken by the receiver, and how many were not. */
export interface Counts {
  delivered: number;
  failed: number;
}

/**
 * Follows the feed until it is stopped. Events are forwarded one at a time in the feed's order, each
 * once: what the receiver does not take is not sent again. The place is kept behind each answer, so a
 * listener that is killed in between repeats one event at most.
 */
export async function listen(listening: Listening): Promise<Counts> {
  const counts: Counts = { delivered: 0, failed: 0 };
  try {
    await follow(listening, counts);
  } catch (error) {
    if (!listening.stop.aborted) throw error;
  }
  return counts;
}

async function follow(listening: Listening, counts: Counts): Promise<void> {
  const { feed, place, print, since_ms, stop, types } = listening;
  const is_fresh = place.kept === undefined;
  let after = is_fresh && since_ms === undefined ? await feed.end() : place.kept;
  if (after !== undefined) place.keep(after);
  print('Following the feed. Ctrl+C ends it.');
  while (!stop.aborted) {
    const page = await feed.read(after);
    for (const event of page.events) {
      const is_due = !is_fresh || since_ms === undefined || event.created_at_ms >= since_ms;
      if (!is_due || !types.has(event.type)) continue;
      const outcome = await send(listening, event);
      // What was cut off by the end is left for the next time.
      if (stop.aborted) return;
      const is_taken = 'status' in outcome && outcome.status >= 200 && outcome.status <= 299;
      counts[is_taken ? 'delivered' : 'failed'] += 1;
      place.keep(event.id);
    }
    after = page.after;
    place.keep(after);
    if (!page.is_full) await sleep(REST_MS, undefined, { signal: stop });
  }
}

async function send(listening: Listening, event: FeedEvent): Promise<Outcome> {
  const { target, secret, print, stop } = listening;
  const started_ms = Date.now();
  const { id: event_id, body } = event;
  const headers = deliveryHeaders({ secret, event_id, body, now_ms: started_ms });
  const outcome = await forward(target, headers, body, stop);
  const answer = 'status' in outcome ? `${outcome.status}` : `no answer: ${outcome.error}`;
  const at = new Date(started_ms).toISOString();
  print(`${at} ${event.type} ${event_id} -> ${answer} (${Date.now() - started_ms} ms)`);
  return outcome;
}
