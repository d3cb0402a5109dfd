import { setTimeout as sleep } from 'node:timers/promises';
import type { Comparison, Field, Run } from '../interleave';
import { secondsOfTrees } from '../processor-time';
import { buildRivals } from '../rivals/build';
import { checkDuties } from '../rivals/duties';
import { RIVALS } from '../rivals/rivals';
import { startRival } from '../rivals/start';
import { createWorld } from '../world';
import {
  ACCOUNTS,
  asMember,
  type BenchCase,
  CONNECTIONS,
  look,
  type MemberRequest,
  nth,
  payment,
} from './case';

/** Somebody who answers both requests, and the processes that it takes. */
interface Contestant {
  readonly base_url: string;
  readonly token: string;
  readonly accounts: readonly { id: string; subject_id: string }[];
  readonly pids: readonly number[];
}

interface RequestKind {
  readonly kind: 'event' | 'profile';
  readonly title: string;
  readonly unit: string;
  next(contestant: Contestant, number: number): MemberRequest;
}

const REQUESTS: readonly RequestKind[] = [
  {
    kind: 'event',
    title: `POST one event, ${CONNECTIONS} connections`,
    unit: 'events',
    next: ({ accounts }, number) => payment(nth(accounts, number).id, number),
  },
  {
    kind: 'profile',
    title: `GET a profile, inquiry included, ${CONNECTIONS} connections`,
    unit: 'profiles',
    next: ({ accounts }, number) => look(nth(accounts, number).subject_id),
  },
];

/** The network and what a lender would otherwise run, all with the same duties, by turns. */
export const rivals: BenchCase = {
  name: 'rivals',
  title: 'One event, and a profile with its inquiry, of the network and of its rivals',
  bound_s: 131,
  async open() {
    await buildRivals();
    const stops: (() => Promise<void>)[] = [];
    const stop = async () => {
      for (const one of stops.splice(0).reverse()) await one();
    };
    const outputs: (() => string)[] = [];
    try {
      const world = await createWorld(ACCOUNTS);
      stops.push(() => world.stop());
      outputs.push(() => world.system.output());
      const { base_url } = world.system;
      const { token, accounts } = world;
      const pids = world.system.runRecord().processes.map(({ pid }) => pid);
      const contestants: Contestant[] = [{ base_url, token, accounts, pids }];
      for (const rival of RIVALS) {
        const running = await startRival(rival, ACCOUNTS);
        stops.push(() => running.stop());
        outputs.push(() => running.output());
        await checkDuties(running).catch((error: unknown) => {
          throw new Error(`The rival ${rival.name} does not do its duties: ${error}`);
        });
        contestants.push(running);
      }
      const output = () => outputs.map((one) => one()).join('\n');
      return { contest: field(contestants), output, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

/** Ours is the first of the contestants; the others are the rivals, in their order. */
function field(contestants: readonly Contestant[]): Field {
  const runs = REQUESTS.flatMap(({ next }) =>
    contestants.map((contestant) =>
      withProcessorTime(
        contestant.pids,
        asMember(contestant, (number) => next(contestant, number)),
      ),
    ),
  );
  return { runs, comparisons: comparisons(contestants.length) };
}

/** What is compared of each request and rival, given how many run each request. */
export function comparisons(contestants: number): Comparison[] {
  return REQUESTS.flatMap(({ kind, title, unit }, request) =>
    RIVALS.flatMap((rival, index): Comparison[] => {
      const name = `rivals-${kind}-${rival.name}`;
      const system = request * contestants;
      const places = { system, limit: system + 1 + index };
      return [
        {
          ...{ name, title, unit, ...places, measure: 'rate', target: rival.target },
          limit_name: rival.title,
        },
        {
          ...{ name: `${name}-processor`, title: `${title}: processor time a request`, ...places },
          ...{ unit: 'ms', measure: 'processor', target: rival.processor_target?.[kind] },
          limit_name: `${rival.title}; PostgreSQL and NATS included`,
        },
        {
          ...{ name: `${name}-p99`, title: `${title}: the slowest hundredth`, ...places },
          ...{ unit: 'ms', measure: 'p99' },
          limit_name: rival.title,
        },
      ];
    }),
  );
}

const LOOK_EVERY_MS = 250;
/** Less than this share of a core: what a system does when nobody asks anything. */
const QUIET_SHARE = 0.15;
const QUIET_WITHIN_MS = 15_000;

/**
 * Counts the processor time of a slice until what follows its answers is done too. That is also
 * when the next one can begin without this one in its way.
 */
function withProcessorTime(pids: readonly number[], run: Run): Run {
  return async (slice_s) => {
    const before_s = secondsOfTrees(pids);
    const slice = await run(slice_s);
    const deadline_ms = performance.now() + QUIET_WITHIN_MS;
    let so_far_s = secondsOfTrees(pids);
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      const now_s = secondsOfTrees(pids);
      const share = ((now_s - so_far_s) * 1_000) / LOOK_EVERY_MS;
      so_far_s = now_s;
      if (share < QUIET_SHARE || performance.now() > deadline_ms) break;
    }
    return { ...slice, processor_s: so_far_s - before_s };
  };
}
