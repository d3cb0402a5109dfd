import { createHmac } from 'node:crypto';
import { Client, enrol, logIn, type Member } from '@credit/local/demo/client';
import type { System } from '@credit/local/spawned-system';
import { newId } from '@credit/platform/runtime';
import pg from 'pg';
import { Pool } from 'undici';
import type { Contest, Slice } from '../interleave';
import { type CountingReceiver, startCountingReceiver } from '../receiver';
import { type BenchCase, sharedWorld } from './case';

const MEMBERS = 8;
const ENDPOINTS_PER_MEMBER = 4;
/** As many as the system has in flight at most to these endpoints. */
const CONNECTIONS = 64;
const FIRST_GUESS_PER_S = 1_500;
const WAIT_LIMIT_MS = 60_000;

/** Deliveries out of PostgreSQL, signed and recorded, against posting alone. */
export const webhookDeliveries: BenchCase = {
  name: 'webhook-deliveries',
  title: `Webhook deliveries, signed and recorded, ${MEMBERS * ENDPOINTS_PER_MEMBER} endpoints`,
  target: 0.6,
  bound_s: 32,
  shares_world: true,
  async open() {
    const { system } = await sharedWorld();
    const receiver = await startCountingReceiver(system.data_directory);
    const database = new pg.Client({ connectionString: system.runRecord().admin_url });
    await database.connect();
    const subscriptions = await subscribe(system, receiver);
    return {
      contest: contest(receiver, database, subscriptions),
      output: () => system.output(),
      stop: async () => {
        await database.end();
        receiver.stop();
      },
    };
  },
};

interface Subscription {
  readonly id: string;
  readonly institution_id: string;
}

async function subscribe(system: System, receiver: CountingReceiver): Promise<Subscription[]> {
  const anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const subscriptions: Subscription[] = [];
  for (let number = 0; number < MEMBERS; number += 1) {
    const member: Member = await enrol(anonymous, administrator, `Receiver ${number}`);
    for (let endpoint = 0; endpoint < ENDPOINTS_PER_MEMBER; endpoint += 1) {
      const { id } = await member.key.create('/webhooks', {
        url: `${receiver.url}/${endpoint}`,
        events: ['credit.default.reported'],
      });
      subscriptions.push({ id, institution_id: member.institution_id });
    }
  }
  return subscriptions;
}

const bodyOf = (event_id: string) =>
  `{"created_at":"2026-03-01T12:00:00.000Z","data":{"account_type":"TERM_LOAN","credit_event_id":"${event_id}","default_severity":"MODERATE","occurred_at":"2026-02-28T09:30:00.000Z","reported_at":"2026-03-01T11:59:59.999Z","status":"DEFAULTED","subject_id":"${event_id}"},"environment":"live","id":"${event_id}","type":"credit.default.reported"}`;

function contest(
  receiver: CountingReceiver,
  database: pg.Client,
  subscriptions: readonly Subscription[],
): Contest {
  let rate_per_s = FIRST_GUESS_PER_S;
  return {
    unit: 'deliveries',
    limit_name: `an undici Pool of ${CONNECTIONS} connections that posts signed bodies, no database`,
    async system(slice_s) {
      const slice = await deliver(
        receiver,
        database,
        subscriptions,
        Math.round(rate_per_s * slice_s),
      );
      rate_per_s = slice.count / slice.elapsed_s;
      return slice;
    },
    limit: (slice_s) => post(receiver, slice_s),
  };
}

/** Queues deliveries at once and waits until the last is recorded. */
async function deliver(
  receiver: CountingReceiver,
  database: pg.Client,
  subscriptions: readonly Subscription[],
  count: number,
): Promise<Slice> {
  const events = Array.from({ length: count }, () => newId());
  const to = events.map((_, index) => subscriptions[index % subscriptions.length]);
  const before = await receiver.count();
  await database.query(
    `WITH told AS (
       INSERT INTO webhooks_live.events
         (id, type, body, reporting_institution_id, reporter_body, created_at)
       SELECT id, 'credit.default.reported', body, id, body, now()
       FROM unnest($1::uuid[], $2::text[]) AS event (id, body))
     INSERT INTO webhooks_live.deliveries
       (id, subscription_id, institution_id, event_id, event_type, due_at, created_at)
     SELECT id, subscription_id, institution_id, event_id, 'credit.default.reported', now(), now()
     FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $1::uuid[])
       AS delivery (id, subscription_id, institution_id, event_id)`,
    [
      events,
      events.map(bodyOf),
      events.map(() => newId()),
      to.map((one) => one?.id),
      to.map((one) => one?.institution_id),
    ],
  );
  // The sender looks at its queue every half a second; that wait is not its speed.
  await until(async () => (await receiver.count()) > before);
  const started_at_ms = performance.now();
  await until(async () => (await receiver.count()) >= before + count);
  await until(async () => {
    const { rows } = await database.query(
      "SELECT FROM webhooks_live.deliveries WHERE status = 'PENDING' LIMIT 1",
    );
    return rows.length === 0;
  });
  return { count, elapsed_s: (performance.now() - started_at_ms) / 1_000 };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline_ms = performance.now() + WAIT_LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline_ms) throw new Error('The deliveries did not all arrive.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Posts bodies that are signed already, one after another on each connection. */
async function post(receiver: CountingReceiver, slice_s: number): Promise<Slice> {
  const pool = new Pool(receiver.url, {
    connections: CONNECTIONS,
    allowH2: false,
    connect: { ca: receiver.ca },
  });
  const event_id = newId();
  const body = bodyOf(event_id);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', 'whsec_bench').update(`${timestamp}.${body}`).digest('hex');
  const headers = {
    'Svc-Timestamp': timestamp,
    'Svc-Event-ID': event_id,
    'Svc-Signature': `v1=${digest}`,
    'Content-Type': 'application/json',
    'User-Agent': 'credit-network-webhooks/1',
  };
  let count = 0;
  const started_at_ms = performance.now();
  const end_ms = started_at_ms + slice_s * 1_000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end_ms) {
        const answer = await pool.request({ path: '/0', method: 'POST', headers, body });
        await answer.body.dump();
        if (answer.statusCode !== 204) throw new Error(`The receiver said ${answer.statusCode}.`);
        count += 1;
      }
    }),
  );
  const elapsed_s = (performance.now() - started_at_ms) / 1_000;
  await pool.close();
  return { count, elapsed_s };
}
