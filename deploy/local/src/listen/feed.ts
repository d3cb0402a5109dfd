import { canonicalJson, type Json } from '@credit/platform/signing';
import { FEED_EVENT_NAMES, type FeedEventName, isUuid } from '@credit/platform/values';
import type { Answer, Client } from '../demo/client';

/** Events of one answer: as many as the API gives. */
const PAGE = 100;
/** What a feed has few of. */
const SELDOM = 'dispute.resolved';

/** The feed does not hold the place any more, or never did. */
export class PlaceGone extends Error {}

/** An event of the feed. */
export interface FeedEvent {
  readonly id: string;
  readonly type: FeedEventName;
  readonly created_at_ms: number;
  /** The text that a webhook would bring, byte for byte. */
  readonly body: string;
}

/** Part of the feed. */
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Where to go on behind them. */
  readonly after: string;
  /** Whether more may be there already. */
  readonly is_full: boolean;
}

/** An institution's events, read in their order through the public API. */
export class Feed {
  constructor(private readonly api: Client) {}

  /** The events after a place; from the oldest without one. */
  async read(after: string | undefined, type?: FeedEventName): Promise<FeedPage> {
    const query = new URLSearchParams({
      limit: `${PAGE}`,
      ...(after === undefined ? {} : { after }),
      ...(type === undefined ? {} : { type }),
    });
    const answer = await this.api.request<Json[]>('GET', `/events?${query}`);
    if (answer.status !== 200) throw refused(answer, after !== undefined);
    if (!Array.isArray(answer.body)) {
      throw new Error('What answers there is no credit network: look at the address.');
    }
    return {
      events: answer.body.map(eventOf),
      after: nextOf(answer),
      is_full: answer.body.length >= PAGE,
    };
  }

  /**
   * The end of the feed as it is now. Every answer that is not full names it, whatever it was asked
   * for: the seldom event spares reading all others.
   */
  async end(): Promise<string> {
    let page = await this.read(undefined, SELDOM);
    while (page.is_full) page = await this.read(page.after, SELDOM);
    return page.after;
  }
}

function nextOf({ headers }: Answer<unknown>): string {
  const [, link] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  const after = link && URL.parse(link, 'http://network')?.searchParams.get('after');
  if (!after) throw new Error('The network does not say where to go on (no Link header).');
  return after;
}

/** What is shown and signed is checked first: a base address may be another's. */
function eventOf(value: Json): FeedEvent {
  const { id, type, created_at } = value as Readonly<Record<string, unknown>>;
  const name = FEED_EVENT_NAMES.find((known) => known === type);
  const created_at_ms = Date.parse(String(created_at));
  if (typeof id !== 'string' || !isUuid(id) || name === undefined || Number.isNaN(created_at_ms)) {
    throw new Error('The feed holds an event that this version does not know.');
  }
  return { id, type: name, created_at_ms, body: canonicalJson(value) };
}

function refused({ status, body }: Answer<unknown>, with_place: boolean): Error {
  const { code, reason, message } =
    (body as { error?: Readonly<Record<string, string>> } | undefined)?.error ?? {};
  if (with_place && (reason === 'CURSOR_EXPIRED' || status === 422)) {
    return new PlaceGone(
      'The feed holds what comes after this place no longer: begin anew, without the file of --state.',
    );
  }
  return new Error(
    `The network refuses: ${status} ${code ?? ''} ${reason ?? ''}. ${message ?? ''}`,
  );
}
