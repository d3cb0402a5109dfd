import type { Contest } from '../interleave';
import type { World } from '../world';
import { type BenchCase, inWorld, nth, throughGateway } from './case';

const EVENTS = 10_000;
const EVENTS_A_BATCH = 500;
const DAY_MS = 86_400_000;
/** By so much a post to the long history may take longer. */
const MOST_TIMES_LONGER = 1.3;

/** A post to an account with a long history, against one with a short history. */
export const hotAccount: BenchCase = {
  name: 'hot-account',
  title: `POST one event to an account with ${EVENTS} events, one connection`,
  target: 1 / MOST_TIMES_LONGER,
  bound_s: 45,
  open: inWorld(async (world) => {
    // The first account gets the history; the others stay short because they take turns.
    const [hot, ...short] = world.accounts;
    if (hot === undefined) throw new Error('There is no account.');
    await fill(world, hot.id);
    return {
      unit: 'events',
      limit_name: 'the same post to accounts with about 10 events',
      system: posts(world, [hot.id], 'hot'),
      limit: posts(
        world,
        short.map(({ id }) => id),
        'short',
      ),
    };
  }),
};

function posts(world: World, account_ids: readonly string[], side: string): Contest['system'] {
  return throughGateway(
    world,
    (number) => ({
      path: `/accounts/${nth(account_ids, number)}/events`,
      body: {
        event_type: 'PAYMENT_MADE',
        occurred_at: new Date().toISOString(),
        amount: 10,
        balance_after: 1000 + (number % 1000),
        source_reference: `${side}-${number}`,
      },
    }),
    1,
  );
}

async function fill(world: World, account_id: string): Promise<void> {
  const first_ms = Date.now() - 300 * DAY_MS;
  for (let done = 0; done < EVENTS; done += EVENTS_A_BATCH) {
    await world.member.key.create(
      '/events/bulk',
      {
        events: Array.from({ length: EVENTS_A_BATCH }, (_unused, index) => ({
          credit_account_id: account_id,
          event_type: 'PAYMENT_MADE',
          occurred_at: new Date(first_ms + (done + index) * 60_000).toISOString(),
          amount: 1,
        })),
      },
      `bench-hot-account-${done}`,
    );
  }
}
