import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import type { Run } from '../interleave';
import type { World } from '../world';
import { atRate, type BenchCase, latencies, sharedWorld } from './case';

const EVENTS_PER_S = 100;
const MAX_BATCH = 500;
const WAIT_LIMIT_MS = 30_000;
const WANTED_P99_MS = 100;

/** From the gateway's acknowledgement of a default to its arrival at the receiver. */
export const webhookLatency: BenchCase = {
  name: 'webhook-latency',
  title: `Event acknowledged to webhook received, ${EVENTS_PER_S} a second`,
  bound_s: 22,
  shares_world: true,
  async open() {
    const world = await sharedWorld();
    const arrivals = new Map<string, number>();
    const receiver = await startReceiver(world.system.data_directory, {
      onReceived: ({ body }) =>
        void arrivals.set(JSON.parse(body).data.credit_event_id, performance.now()),
    });
    const { id } = await world.member.key.create('/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['credit.default.reported'],
    });
    return {
      contest: {
        runs: [reportAndWait(world, receiver, arrivals), atRate(EVENTS_PER_S, WANTED_P99_MS)],
        comparisons: latencies(webhookLatency),
      },
      output: () => world.system.output(),
      stop: async () => {
        // What other cases report is not for a receiver that is gone.
        await world.member.key.expect(204, 'DELETE', `/webhooks/${id}`);
        await receiver.stop();
      },
    };
  },
};

function reportAndWait(
  world: World,
  receiver: Receiver,
  arrivals: ReadonlyMap<string, number>,
): Run {
  let slice_number = 0;
  return async (slice_s) => {
    const count = Math.min(Math.round(slice_s * EVENTS_PER_S), world.accounts.length, MAX_BATCH);
    const before = receiver.received.length;
    slice_number += 1;
    const acknowledged = new Map<string, number>();
    const started_at_ms = performance.now();
    const calls: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      const due_ms = started_at_ms + (index * 1_000) / EVENTS_PER_S;
      const wait_ms = due_ms - performance.now();
      if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
      calls.push(reportDefault(world, index, `${slice_number}-${index}`, acknowledged));
    }
    await Promise.all(calls);
    await receiver.waitFor(before + count, WAIT_LIMIT_MS);
    const elapsed_s = (performance.now() - started_at_ms) / 1_000;
    const waits_ms = [...acknowledged]
      .map(([id, at_ms]) => Math.max(0, (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at_ms))
      .sort((a, b) => a - b);
    await cureAll(world, count, slice_number);
    const at = (share: number) => waits_ms[Math.floor(share * (waits_ms.length - 1))] ?? 0;
    return { count, elapsed_s, p50_ms: at(0.5), p99_ms: at(0.99) };
  };
}

async function reportDefault(
  world: World,
  index: number,
  key: string,
  acknowledged: Map<string, number>,
): Promise<void> {
  const event = await world.member.key.create(
    `/accounts/${world.accounts[index]?.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
    `bench-default-${key}`,
  );
  acknowledged.set(event.id, performance.now());
}

/** So that the same accounts can default in the next slice. */
async function cureAll(world: World, count: number, slice_number: number): Promise<void> {
  const occurred_at = new Date().toISOString();
  await world.member.key.create(
    '/events/bulk',
    {
      events: world.accounts.slice(0, count).map((account) => ({
        credit_account_id: account.id,
        event_type: 'DEFAULT_CURED',
        occurred_at,
      })),
    },
    `bench-cures-${slice_number}`,
  );
}
