import { copyAccounts } from '../copies';
import { fieldOf, type NamedContest } from '../interleave';
import { createWorld, type World } from '../world';
import { type BenchCase, CONNECTIONS, look, nth, payment, throughGateway } from './case';

/** The large one has so many times the accounts of the small one. */
const TIMES = 100;
const EVENTS_AN_ACCOUNT = 20;
const MOST_TIMES_LONGER = 1.15;
/** Of the large one; by its name the case can take a million, and minutes to fill them in. */
const ACCOUNTS = Number(process.env.BENCH_GROWTH_ACCOUNTS ?? 50_000);

const REQUESTS = [
  {
    name: 'growth-event',
    title: 'POST one event',
    unit: 'events',
    next: ({ accounts }: World, number: number) => payment(nth(accounts, number).id, number),
  },
  {
    name: 'growth-profile',
    title: 'GET a profile, inquiry included',
    unit: 'profiles',
    next: ({ accounts }: World, number: number) => look(nth(accounts, number).subject_id),
  },
] as const;

/** An account with so many events, and by so much a post to it may take longer. */
const HOT = { events: 10_000, events_a_batch: 500, most_times_longer: 1.2 };
const DAY_MS = 86_400_000;

/**
 * The same requests to a record of many accounts and to one of few, all accounts of each by turns; and to
 * one account with a long history and to those with a short one.
 */
export const growth: BenchCase = {
  name: 'growth',
  title: 'The same requests to much and to little',
  bound_s: 96,
  async open() {
    const worlds: World[] = [];
    const stop = async () => {
      for (const world of worlds.splice(0)) await world.stop();
    };
    const grow = async (accounts: number) => {
      const world = await grown(accounts);
      worlds.push(world);
      return world;
    };
    try {
      const large = await grow(ACCOUNTS);
      const small = await grow(ACCOUNTS / TIMES);
      return {
        contest: fieldOf(...ofRecords(large, small), await ofHistories(small)),
        output: () => worlds.map(({ system }) => system.output()).join('\n'),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

function ofRecords(large: World, small: World): NamedContest[] {
  return REQUESTS.map(({ name, title, unit, next }) => ({
    ...{ name, unit, target: 1 / MOST_TIMES_LONGER },
    title: `${title}, ${CONNECTIONS} connections, ${ACCOUNTS} accounts of ${EVENTS_AN_ACCOUNT} events`,
    limit_name: `the same with ${ACCOUNTS / TIMES} accounts`,
    system: throughGateway(large, (number) => next(large, number)),
    limit: throughGateway(small, (number) => next(small, number)),
  }));
}

/** The first account gets the history; the others stay short because they take turns. */
async function ofHistories(world: World): Promise<NamedContest> {
  const [hot, ...short] = world.accounts;
  if (hot === undefined) throw new Error('There is no account.');
  await fill(world, hot.id);
  const posts = (accounts: World['accounts']) =>
    throughGateway(world, (number) => payment(nth(accounts, number).id, number), 1);
  return {
    ...{ name: 'hot-account', unit: 'events', target: 1 / HOT.most_times_longer },
    title: `POST one event to an account with ${HOT.events} events, one connection`,
    limit_name: `the same post to accounts with about ${EVENTS_AN_ACCOUNT} events`,
    system: posts([hot]),
    limit: posts(short),
  };
}

async function fill(world: World, account_id: string): Promise<void> {
  const first_ms = Date.now() - 300 * DAY_MS;
  for (let done = 0; done < HOT.events; done += HOT.events_a_batch) {
    await world.member.key.create(
      '/events/bulk',
      {
        events: Array.from({ length: HOT.events_a_batch }, (_unused, index) => ({
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

/** A world whose accounts are copied until there are so many; requests go to all of them by turns. */
async function grown(count: number): Promise<World> {
  const world = await createWorld(Math.min(100, count), {}, EVENTS_AN_ACCOUNT - 1);
  try {
    return { ...world, accounts: await copyAccounts(world, count) };
  } catch (error) {
    await world.stop();
    throw error;
  }
}
