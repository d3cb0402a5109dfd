import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Run } from '../interleave';
import type { World } from '../world';
import { atRate, type BenchCase, latencies, nth, sharedWorld } from './case';

const EVENTS_PER_S = 200;
const LOOK_EVERY_MS = 10;
const WAIT_LIMIT_MS = 30_000;
const WANTED_P99_MS = 60;

/** From the gateway's acknowledgement of an event until its snapshot can be read. */
export const snapshotLatency: BenchCase = {
  name: 'snapshot-latency',
  title: `Event acknowledged to snapshot written, ${EVENTS_PER_S} a second whatever comes back`,
  bound_s: 18,
  shares_world: true,
  async open() {
    const world = await sharedWorld();
    const client = new pg.Client({ connectionString: world.admin_url });
    await client.connect();
    // For the looks of this bench alone.
    await client.query('CREATE INDEX bench_trigger ON scoring_live.score_snapshots (trigger_id)');
    return {
      contest: {
        runs: [reportAndWatch(world, client), atRate(EVENTS_PER_S, WANTED_P99_MS)],
        comparisons: latencies(snapshotLatency),
      },
      output: () => world.system.output(),
      async stop() {
        await client.query('DROP INDEX scoring_live.bench_trigger');
        await client.end();
      },
    };
  },
};

function reportAndWatch(world: World, client: pg.Client): Run {
  let reported = 0;
  return async (slice_s) => {
    const count = Math.round(slice_s * EVENTS_PER_S);
    const watch = new Watch(client);
    const watching = watch.until(count);
    const started_at_ms = performance.now();
    const calls: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      const due_ms = started_at_ms + (index * 1_000) / EVENTS_PER_S;
      const wait_ms = due_ms - performance.now();
      if (wait_ms > 0) await sleep(wait_ms);
      calls.push(reportNews(world, reported, watch));
      reported += 1;
    }
    await Promise.all(calls);
    const waits_ms = await watching;
    const at = (share: number) => waits_ms[Math.floor(share * (waits_ms.length - 1))] ?? 0;
    const elapsed_s = (performance.now() - started_at_ms) / 1_000;
    return { count, elapsed_s, p50_ms: at(0.5), p99_ms: at(0.99) };
  };
}

/** Defaults and cures by turns on each account: each changes the score, so each has a snapshot. */
async function reportNews(world: World, number: number, watch: Watch): Promise<void> {
  const { accounts, member } = world;
  const is_default = Math.floor(number / accounts.length) % 2 === 0;
  const event = await member.key.create(
    `/accounts/${nth(accounts, number).id}/events`,
    {
      event_type: is_default ? 'DEFAULT_REPORTED' : 'DEFAULT_CURED',
      occurred_at: new Date().toISOString(),
    },
    `bench-news-${number}`,
  );
  watch.acknowledged(event.id);
}

/** Looks for the snapshots of events until it has seen them all. */
class Watch {
  private readonly waiting = new Map<string, number>();
  private readonly waits_ms: number[] = [];

  constructor(private readonly client: pg.Client) {}

  acknowledged(event_id: string): void {
    this.waiting.set(event_id, performance.now());
  }

  /** Waits in ascending order, each as long as a look found it at the latest. */
  async until(count: number): Promise<number[]> {
    const deadline_ms = performance.now() + WAIT_LIMIT_MS;
    while (this.waits_ms.length < count) {
      if (performance.now() > deadline_ms) throw new Error('Not all snapshots were written.');
      if (this.waiting.size > 0) await this.look();
      await sleep(LOOK_EVERY_MS);
    }
    return this.waits_ms.sort((a, b) => a - b);
  }

  private async look(): Promise<void> {
    const { rows } = await this.client.query<{ trigger_id: string }>({
      name: 'bench_look',
      text: 'SELECT trigger_id FROM scoring_live.score_snapshots WHERE trigger_id = ANY ($1::uuid[])',
      values: [[...this.waiting.keys()]],
    });
    const now_ms = performance.now();
    for (const { trigger_id } of rows) {
      const acknowledged_at_ms = this.waiting.get(trigger_id);
      if (acknowledged_at_ms === undefined) continue;
      this.waiting.delete(trigger_id);
      this.waits_ms.push(now_ms - acknowledged_at_ms);
    }
  }
}
