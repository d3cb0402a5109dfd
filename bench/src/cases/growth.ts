import { copyAccounts } from '../copies';
import type { Comparison, Run } from '../interleave';
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
    try {
      for (const accounts of [ACCOUNTS, ACCOUNTS / TIMES]) {
        worlds.push(await grown(accounts));
      }
      const runs = REQUESTS.flatMap(({ next }) =>
        worlds.map((world) => throughGateway(world, (number) => next(world, number))),
      );
      const small = worlds.at(-1);
      if (small === undefined) throw new Error('There is no world.');
      return {
        contest: { runs: [...runs, ...(await hotAndShort(small))], comparisons: comparisons() },
        output: () => worlds.map(({ system }) => system.output()).join('\n'),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

function comparisons(): Comparison[] {
  const records = REQUESTS.map(
    ({ name, title, unit }, request): Comparison => ({
      ...{ name, unit, measure: 'rate', target: 1 / MOST_TIMES_LONGER },
      ...{ system: 2 * request, limit: 2 * request + 1 },
      title: `${title}, ${CONNECTIONS} connections, ${ACCOUNTS} accounts of ${EVENTS_AN_ACCOUNT} events`,
      limit_name: `the same with ${ACCOUNTS / TIMES} accounts`,
    }),
  );
  return [
    ...records,
    {
      ...{
        name: 'hot-account',
        unit: 'events',
        measure: 'rate',
        target: 1 / HOT.most_times_longer,
      },
      ...{ system: 2 * REQUESTS.length, limit: 2 * REQUESTS.length + 1 },
      title: `POST one event to an account with ${HOT.events} events, one connection`,
      limit_name: `the same post to accounts with about ${EVENTS_AN_ACCOUNT} events`,
    },
  ];
}

/** The first account gets the history; the others stay short because they take turns. */
async function hotAndShort(world: World): Promise<Run[]> {
  const [hot, ...short] = world.accounts;
  if (hot === undefined) throw new Error('There is no account.');
  await fill(world, hot.id);
  return [[hot], short].map((accounts) =>
    throughGateway(world, (number) => payment(nth(accounts, number).id, number), 1),
  );
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
