// Disputes and reporting as they meet in the network: real databases, real encoding. Any number of
// processes of disputes share the one database, and each can be made to die at a given point.

import { setTimeout as sleep } from 'node:timers/promises';
import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { createChannel, type RpcChannel, type Stub } from '@credit/platform/rpc';
import { newId } from '@credit/platform/runtime';
import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import { Event } from '@credit/proto/events/v1/events';
import { startTestService, type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import pg from 'pg';
import { Harness, TestClock } from '../../../reporting/test/harness';
import { build } from '../../src/service';
import { DisputeWorker } from '../../src/workers/dispute-worker';

export type Disputes = Stub<typeof DisputesServiceDefinition>;

/** `before:correctForDispute`, `after:setNetworkReview`, `before:COUNT` (a step's transaction). */
export type Point = `${'before' | 'after'}:${string}`;

/** One process of the service. */
export interface DisputesProcess {
  readonly disputes: Disputes;
  /** The transactions it has committed, by the step they were of; empty for what is no step. */
  readonly committed: string[];
  /** Takes events in as the bus would. */
  take(...events: Event[]): Promise<void>;
  /** Has its workers look once for what there is to do. */
  work(): Promise<void>;
  /** Does nothing more once it comes to this point; resolves when it has. */
  dieAt(point: Point): Promise<void>;
  /** What had stopped goes on, as a process does that was only thought dead. */
  revive(): void;
  stop(): Promise<void>;
}

/** How a process is run. */
export interface ProcessOptions {
  /** Runs its workers too. */
  readonly works?: boolean;
  /** What becomes of what is not decided in time; KEEP without. */
  readonly overdue?: 'KEEP' | 'SUPPRESS';
  /** Where reporting is. */
  readonly reporting_address?: string;
}

export interface World {
  readonly reporting: Harness;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  start(options?: ProcessOptions): Promise<DisputesProcess>;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** What disputes has told, in the order it was written. */
  told(environment?: Environment): Promise<Event[]>;
  stop(): Promise<void>;
}

/** `migrations` is the folder of a schema that is to be another than today's. */
export async function startWorld(migrations?: string): Promise<World> {
  const reporting = new Harness();
  const [database] = await Promise.all([testDatabase('disputes', migrations), reporting.start()]);
  const clock = new TestClock();
  const pool = (environment: Environment) =>
    new pg.Pool({ connectionString: database.urls[environment], max: 2 });
  const outside = { live: pool('live'), test: pool('test') };
  const processes: DisputesProcess[] = [];
  const rows = async <Row>(text: string, values: unknown[] = []) =>
    (await outside.live.query(text, values)).rows as Row[];
  return {
    reporting,
    clock,
    database,
    async start(options = {}) {
      const address = options.reporting_address ?? reporting.address;
      const started = await startProcess(database, clock, address, options);
      processes.push(started);
      return started;
    },
    rows,
    async told(environment = 'live') {
      const found = await outside[environment].query<{ payload: Buffer }>(
        'SELECT payload FROM outbox ORDER BY id',
      );
      return found.rows.map((row) => Event.decode(row.payload));
    },
    async stop() {
      await Promise.all(processes.map((one) => one.stop()));
      await Promise.all([outside.live.end(), outside.test.end()]);
      await Promise.all([reporting.stop(), database.stop()]);
    },
  };
}

/** Where a process stops, and until when. */
class Mortality {
  private point: Point | undefined;
  private died: () => void = () => {};
  private revived = Promise.withResolvers<void>();

  dieAt(point: Point): Promise<void> {
    this.point = point;
    return new Promise((resolve) => {
      this.died = resolve;
    });
  }

  revive(): void {
    this.point = undefined;
    this.revived.resolve();
    this.revived = Promise.withResolvers();
  }

  async passes(point: Point): Promise<void> {
    if (this.point !== point) return;
    this.died();
    await this.revived.promise;
  }
}

async function startProcess(
  database: TestDatabase,
  clock: TestClock,
  reporting_address: string,
  { overdue = 'KEEP', works = false }: ProcessOptions,
): Promise<DisputesProcess> {
  const mortality = new Mortality();
  const committed: string[] = [];
  const channels: RpcChannel[] = [];
  const db = mortalDatabase(database.open(), mortality, committed);
  const parts = build({
    config: {
      RPC_ADDRESS: '127.0.0.1:0',
      NATS_STREAM_REPLICAS: 1,
      NATS_URL: 'nats://unused',
      DB_POOL_SIZE: 8,
      DATABASE_URL_LIVE: database.urls.live,
      DATABASE_URL_TEST: database.urls.test,
      REPORTING_ADDRESS: reporting_address,
      DISPUTES_POLL_MS: 30,
      DISPUTES_LEASE_MS: 30_000,
      DISPUTE_OVERDUE: overdue,
    },
    db,
    logger: testLogger,
    clock,
    newId,
    channel: (target) => {
      const channel = createChannel({ target, logger: testLogger });
      channels.push(channel);
      return mortalChannel(channel, mortality);
    },
  });
  const service = await startTestService(parts.services);
  const workers = works ? (parts.workers ?? []) : [];
  for (const worker of workers) worker.start();
  return {
    disputes: service.channel.stub(DisputesServiceDefinition),
    committed,
    async take(...events) {
      for (const event of events) {
        const definition = parts.consumers?.find(({ type }) => type === event.payload?.$case);
        if (definition === undefined) throw new Error(`Nobody takes ${event.payload?.$case}.`);
        const ctx = systemContext('live', { request_id: event.request_id });
        await db.transaction(ctx, (tx) => definition.run(ctx, [{ ctx, event }], tx));
      }
    },
    async work() {
      for (const worker of parts.workers ?? []) {
        if (worker instanceof DisputeWorker) await worker.work();
      }
    },
    dieAt: (point) => mortality.dieAt(point),
    revive: () => mortality.revive(),
    async stop() {
      mortality.revive();
      await Promise.all(workers.map((worker) => worker.stop()));
      await service.stop();
      for (const channel of channels) channel.close();
    },
  };
}

/** Stops before a step's transaction, and after its commit. */
function mortalDatabase(db: Database, mortality: Mortality, committed: string[]): Database {
  const transaction = db.transaction.bind(db);
  db.transaction = async (ctx, run) => {
    const step = ctx.idempotency_key.split(':').at(-1) ?? '';
    await mortality.passes(`before:${step}`);
    const result = await transaction(ctx, run);
    committed.push(step);
    await mortality.passes(`after:${step}`);
    return result;
  };
  return db;
}

function mortalChannel(channel: RpcChannel, mortality: Mortality): RpcChannel {
  return {
    stub: (definition) =>
      new Proxy(channel.stub(definition), {
        get(stub, name) {
          const call = Reflect.get(stub, name) as (ctx: CallContext, request: never) => unknown;
          return async (ctx: CallContext, request: never) => {
            await mortality.passes(`before:${String(name)}`);
            const answer = await call(ctx, request);
            await mortality.passes(`after:${String(name)}`);
            return answer;
          };
        },
      }),
    close: () => channel.close(),
  };
}

/** Asks until the answer is what is wanted. */
export async function until<T>(ask: () => Promise<T>, is: (answer: T) => boolean): Promise<T> {
  for (let round = 0; round < 300; round += 1) {
    const answer = await ask();
    if (is(answer)) return answer;
    await sleep(20);
  }
  throw new Error('It did not come to pass.');
}
