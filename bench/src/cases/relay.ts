import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, connectionOptions, type Relay, startRelay } from '@credit/platform/bus';
import { systemContext } from '@credit/platform/context';
import { auditEvent, type Database, openDatabase, PARTITION_COUNT } from '@credit/platform/db';
import { createLogger, newId } from '@credit/platform/runtime';
import { startNatsServer, startPostgresServer } from '@credit/servers';
import { connect, type NatsConnection } from 'nats';
import type pg from 'pg';
import type { Run } from '../interleave';
import type { BenchCase } from './case';

const MIGRATIONS = path.resolve(__dirname, '../../../packages/platform/migrations');
const STREAM = 'BENCH';
const WINDOW = 64;
const FIRST_GUESS_PER_S = 5_000;
const LOOK_EVERY_MS = 10;
const WAIT_LIMIT_MS = 60_000;
const ENVIRONMENT = 'live';

/** Rows of an outbox into the stream, marked, against publishing the same bytes from memory. */
export const relay: BenchCase = {
  name: 'relay',
  title: 'An outbox relayed into the stream, each row marked when it is stored',
  target: 0.7,
  bound_s: 20,
  async open() {
    const folder = await mkdtemp(path.join(tmpdir(), 'credit-relay-'));
    const logger = createLogger({ service: 'bench', level: 'warn' });
    const stops = [() => rm(folder, { recursive: true, force: true })];
    const stop = async () => {
      for (const one of stops.splice(0).reverse()) await one();
    };
    try {
      const postgres = await startPostgresServer({ data_directory: path.join(folder, 'postgres') });
      stops.push(() => postgres.stop());
      const nats = await startNatsServer({ data_directory: path.join(folder, 'nats') });
      stops.push(() => nats.stop());
      const url = postgres.admin_url;
      const db = openDatabase({
        service: 'bench',
        urls: { live: url, test: url },
        pool_size: 2,
        logger,
      });
      stops.push(() => db.close());
      await makeTables(db.pool(ENVIRONMENT));
      const payload = await anEvent(db);
      const bus = await connectBus({ url: nats.url, name: 'bench', logger });
      stops.push(() => bus.close());
      const running = startRelay({ db, bus, logger });
      stops.push(() => running.stop());
      const bare = await connect(connectionOptions({ url: nats.url, name: 'bare' }));
      stops.push(() => bare.close());
      const manager = await bare.jetstreamManager();
      await manager.streams.add({ name: STREAM, subjects: [`${STREAM}.>`] });
      return {
        contest: {
          unit: 'messages',
          limit_name: `the library's own publish with its receipt, ${WINDOW} at a time, no database`,
          system: relayed(db, running, payload),
          limit: publishedBy(bare, payload),
        },
        output: () => '',
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

async function makeTables(pool: pg.Pool): Promise<void> {
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    await pool.query(await readFile(path.join(MIGRATIONS, name), 'utf8'));
  }
}

/** An event as a service writes it. */
async function anEvent(db: Database): Promise<Buffer> {
  const ctx = systemContext(ENVIRONMENT);
  const entry = {
    ...{ institution_id: newId(), action: 'event.reported', at: new Date().toISOString() },
    ...{ target_type: 'credit_event', target_id: newId() },
    changes: { event_type: 'PAYMENT_MADE', amount_minor: 1000n, account_id: newId() },
  };
  await db.transaction(ctx, async (tx) => tx.outbox(auditEvent(entry, ctx)));
  const { rows } = await db.pool(ENVIRONMENT).query('DELETE FROM outbox RETURNING payload');
  return rows[0].payload;
}

/** Rows are there at once, as after a time without NATS; it is over when all are marked. */
function relayed(db: Database, running: Relay, payload: Buffer): Run {
  const pool = db.pool(ENVIRONMENT);
  let rate_per_s = FIRST_GUESS_PER_S;
  return async (slice_s) => {
    const count = Math.round(rate_per_s * slice_s);
    // Nothing of the slices before is in the way, as a sweep would see to it.
    await pool.query('TRUNCATE outbox');
    await pool.query(
      `INSERT INTO outbox (id, partition, type, payload)
       SELECT gen_random_uuid(), n % $2, 'audit_recorded', $3 FROM generate_series(1, $1::integer) AS n`,
      [count, PARTITION_COUNT, payload],
    );
    await pool.query('ANALYZE outbox');
    const started_at_ms = performance.now();
    running.wake(ENVIRONMENT);
    for (;;) {
      const { rows } = await pool.query('SELECT FROM outbox WHERE published_at IS NULL LIMIT 1');
      if (rows.length === 0) break;
      if (performance.now() > started_at_ms + WAIT_LIMIT_MS) throw new Error('It does not end.');
      await sleep(LOOK_EVERY_MS);
    }
    const elapsed_s = (performance.now() - started_at_ms) / 1_000;
    rate_per_s = count / elapsed_s;
    return { count, elapsed_s };
  };
}

/** A window of messages on their way, the next sent when one is stored. */
function publishedBy(connection: NatsConnection, payload: Buffer): Run {
  const stream = connection.jetstream();
  return async (slice_s) => {
    let count = 0;
    const started_at_ms = performance.now();
    const end_ms = started_at_ms + slice_s * 1_000;
    await Promise.all(
      Array.from({ length: WINDOW }, async (_unused, lane) => {
        while (performance.now() < end_ms) {
          await stream.publish(`${STREAM}.${lane}`, payload, { msgID: newId() });
          count += 1;
        }
      }),
    );
    return { count, elapsed_s: (performance.now() - started_at_ms) / 1_000 };
  };
}
