// `npm run faults -- --overload`: how two gateways take five times what they can serve.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { metricsPort, SERVICES, withReplicas } from '@credit/local/services';
import { startSystem } from '@credit/local/spawned-system';
import { Pool } from 'undici';
import { heldBy } from './flat';
import { shareOf } from './timed';

/** Who asks for one thing after another to find out how much can be served. */
const CONNECTIONS = 24;
const CAPACITY_MS = 10_000;
const ALONE_MS = 10_000;
const TIMES = 5;
/** Of the capacity, what the other institution asks for. */
const STEADY_SHARE = 0.2;
const ACCOUNTS = 60;
/** Of one sender to one gateway, as what balances before it would have: there is no sending without one. */
const POOL = 256;
/** What is measured would slow down who measures it: as Unix counts, least first. */
const PRIORITY = -10;
const REQUEST_TIMEOUT_MS = 30_000;
/** Connections that say nothing, to one gateway. */
const IDLE = 10_000;
const IDLE_AT_ONCE = 200;
const IDLE_MS = 5_000;
/** A gateway may hold so many descriptors more afterwards: other callers' connections. */
const DESCRIPTORS = 100;
/** So many in a row, each within a second, are a system that has recovered. */
const GOOD_IN_A_ROW = 20;
const METRICS_PORT = '29400';
const GOALS = { p99_ms: 1_000, recovered_ms: 5_000, late_ms: 1_000, steady_share: 0.8 };

/** What is sent, by its share of a hundred: the dearest first. */
const MIX = { event: 10, profile: 15, account: 45, list: 30 } as const;
type Kind = keyof typeof MIX;
const KINDS = Object.keys(MIX) as Kind[];

interface Outcome {
  readonly kind: Kind;
  readonly status: number;
  readonly sent_ms: number;
  readonly took_ms: number;
}

interface Caller {
  readonly token: string;
  readonly accounts: readonly { id: string; subject_id: string }[];
}

/** A number that has to be reached; `is` and `goal` are of one unit. */
interface Target {
  readonly what: string;
  readonly is: number;
  readonly goal: number;
  readonly reached: boolean;
}

/** Measures, says what came out, and keeps it in the folder; true when every target was reached. */
export async function measureOverload(
  duration_ms: number,
  folder: string,
  say: (line: string) => void,
): Promise<boolean> {
  const system = await startSystem({
    REPLICAS: '2',
    LOG_LEVEL: 'warn',
    METRICS_PORT,
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_PER_DAY: '1000000000',
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100000',
  });
  const senders: Sender[] = [];
  try {
    raisePriority();
    const anonymous = new Client(system.base_url);
    const { email, password } = system.superadmin;
    const administrator = await logIn(anonymous, email, password);
    const gateways = system.runRecord().gateway_urls;
    const join = async (name: string) => {
      const member = await enrol(anonymous, administrator, name);
      const sender = new Sender(gateways, await openAccounts(member));
      senders.push(sender);
      return sender;
    };
    const flood = await join('Flood Lending');
    const steady = await join('Steady Bank');
    await flood.oneAfterAnother(CONNECTIONS, CAPACITY_MS / 2);
    const busy = await flood.oneAfterAnother(CONNECTIONS, CAPACITY_MS);
    const capacity = (served(busy).length * 1_000) / CAPACITY_MS;
    say(`${CONNECTIONS} connections, one request after another: ${capacity.toFixed(0)} a second`);
    const steady_rate = capacity * STEADY_SHARE;
    const alone = await steady.regardless(steady_rate, ALONE_MS);
    await readLateness();

    const gateway_pid =
      system.runRecord().processes.find(({ name }) => name === 'gateway')?.pid ?? 0;
    const idle = await besideIdle(steady, steady_rate, system.port, gateway_pid);
    say(
      `${IDLE} connections that say nothing: ${percent(share(idle.outcomes))} of another's served (p99 ${p99(idle.outcomes)} ms); ` +
        `they cost the gateway ${idle.memory_mb} MB, and it has ${idle.descriptors_left} descriptors more afterwards`,
    );

    const began_ms = performance.now();
    const [flooded, beside] = await Promise.all([
      flood.regardless(TIMES * capacity, duration_ms),
      // It was there before the flood, and is there when it ends.
      steady.regardless(steady_rate, duration_ms),
      sleep(duration_ms),
    ]);
    const late_ms = await readLateness();
    const recovered_ms = await recovery(flood, began_ms + duration_ms);

    const rows = KINDS.map((kind) => {
      const all = flooded.filter((one) => one.kind === kind);
      return { kind, sent: all.length, served: share(all), p99_ms: p99(served(all)) };
    });
    const accepted = served(flooded);
    const everyone = served([...flooded, ...beside]);
    const by_quarter = [0, 1, 2, 3].map((quarter) =>
      p99(
        everyone.filter(
          ({ sent_ms }) => Math.floor(((sent_ms - began_ms) / duration_ms) * 4) === quarter,
        ),
      ),
    );
    const kept = share(beside) / share(alone);
    const under = accepted.filter(({ took_ms }) => took_ms < GOALS.p99_ms).length;
    const targets: Target[] = [
      below('p99 of what was served, ms', p99(everyone), GOALS.p99_ms),
      below('timers of a gateway late, ms', late_ms, GOALS.late_ms),
      below('recovered after the flood, ms', recovered_ms, GOALS.recovered_ms),
      above('served to another, of what it had alone', kept, GOALS.steady_share),
      above(
        'served beside idle connections, of what it had alone',
        share(idle.outcomes) / share(alone),
        0.99,
      ),
      below('descriptors left of idle connections', idle.descriptors_left, DESCRIPTORS),
      above('events with keys before lists', ratio(rows, 'event', 'list'), 1),
    ];
    const figures = {
      capacity_per_s: capacity,
      idle: { memory_mb: idle.memory_mb, served: share(idle.outcomes), p99_ms: p99(idle.outcomes) },
      served_per_s: (everyone.length * 1_000) / duration_ms,
      rows,
      p99_by_quarter_ms: by_quarter,
      accepted_in_time: under / Math.max(1, accepted.length),
      statuses: countBy(flooded.map(({ status }) => `${status}`)),
      steady: {
        alone: { served: share(alone), p99_ms: p99(served(alone)) },
        beside: { served: share(beside), p99_ms: p99(served(beside)) },
      },
      targets,
    };
    writeFileSync(path.join(folder, 'overload.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
    say(
      `${TIMES} times that for ${duration_ms / 1_000} s, of which ${percent(flooded.length / ((TIMES * capacity * duration_ms) / 1_000))} found a connection: ${figures.served_per_s.toFixed(0)} served a second, ` +
        `${percent(figures.accepted_in_time)} of them within a second; answers ${JSON.stringify(figures.statuses)}; p99 by quarters of the time ${by_quarter.join(', ')} ms`,
    );
    for (const row of rows) {
      say(`  ${row.kind}: ${row.sent} sent, ${percent(row.served)} served, p99 ${row.p99_ms} ms`);
    }
    const { alone: before, beside: during } = figures.steady;
    say(
      `  another at a fifth: ${percent(before.served)} served alone (p99 ${before.p99_ms} ms), ${percent(during.served)} beside it (p99 ${during.p99_ms} ms)`,
    );
    for (const { what, is, goal, reached } of targets) {
      say(`  ${reached ? 'within' : 'MISSED'} the target: ${what} ${is.toFixed(2)}, of ${goal}`);
    }
    return targets.every(({ reached }) => reached);
  } finally {
    for (const sender of senders) await sender.end();
    writeFileSync(path.join(folder, 'system.log'), system.output());
    await system.stop();
  }
}

/** As far as this user may. */
function raisePriority(): void {
  try {
    setPriority(PRIORITY);
  } catch {
    // Then it competes with what it measures, and figures are worse than they are.
  }
}

async function openAccounts({ key }: Member): Promise<Caller> {
  const subject_ids: string[] = [];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const subject = await key.create('/subjects', {
      type: 'INDIVIDUAL',
      game_uuid: randomUUID(),
      current_username: `player-${randomUUID().slice(0, 13)}`,
    });
    subject_ids.push(subject.id);
  }
  const opened = await key.create(
    '/accounts/bulk',
    {
      accounts: subject_ids.map((subject_id) => ({
        subject_id,
        external_account_id: `loan-${subject_id}`,
        account_type: 'TERM_LOAN',
        original_principal: 5_000,
        opened_at: '2024-01-01T00:00:00Z',
      })),
    },
    randomUUID(),
  );
  const accounts = opened.accounts.map(({ id, subject_id }: Json) => ({ id, subject_id }));
  return { token: key.token ?? '', accounts };
}

/** Sends one institution's requests to all gateways by turns. */
class Sender {
  private readonly pools: readonly Pool[];
  private sent = 0;
  private under_way = 0;

  constructor(
    gateways: readonly string[],
    private readonly caller: Caller,
  ) {
    this.pools = gateways.map(
      (url) =>
        new Pool(url, {
          connections: POOL,
          headersTimeout: REQUEST_TIMEOUT_MS,
          bodyTimeout: REQUEST_TIMEOUT_MS,
        }),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.destroy()));
  }

  /** On each connection the next request is sent when the last has its answer. */
  async oneAfterAnother(connections: number, for_ms: number): Promise<Outcome[]> {
    const until_ms = performance.now() + for_ms;
    const outcomes: Outcome[] = [];
    const work = async () => {
      while (performance.now() < until_ms) outcomes.push(await this.call(this.nextKind()));
    };
    await Promise.all(Array.from({ length: connections }, work));
    return outcomes;
  }

  /** So many a second, whether answers come or not; those for which no connection is free are not sent. */
  async regardless(per_s: number, for_ms: number): Promise<Outcome[]> {
    const began_ms = performance.now();
    const calls: Promise<Outcome>[] = [];
    for (let due = 0; ; ) {
      const elapsed_ms = performance.now() - began_ms;
      if (elapsed_ms >= for_ms) return Promise.all(calls);
      for (; due < (elapsed_ms * per_s) / 1_000; due += 1) {
        if (this.under_way < POOL * this.pools.length) calls.push(this.call(this.nextKind()));
      }
      await sleep(5);
    }
  }

  /** The kinds come evenly spread, in the proportions of the mix. */
  private nextKind(): Kind {
    // 37 and 100 have no divisor in common: a hundred in a row have each number once.
    let number = (this.sent * 37) % 100;
    for (const kind of KINDS) {
      number -= MIX[kind];
      if (number < 0) return kind;
    }
    throw new Error('The mix does not come to a hundred.');
  }

  async call(kind: Kind): Promise<Outcome> {
    const { accounts, token } = this.caller;
    const account = accounts[this.sent % accounts.length];
    const pool = this.pools[this.sent % this.pools.length];
    this.sent += 1;
    const paths: Record<Kind, string> = {
      event: `/accounts/${account?.id}/events`,
      profile: `/credit/${account?.subject_id}?purpose=ACCOUNT_REVIEW`,
      account: `/accounts/${account?.id}`,
      list: '/accounts?limit=50',
    };
    const event = {
      event_type: 'PAYMENT_MADE',
      occurred_at: '2025-06-01T00:00:00Z',
      amount: 1,
      source_reference: randomUUID(),
    };
    const own =
      kind === 'event'
        ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
        : {};
    const sent_ms = performance.now();
    this.under_way += 1;
    const status =
      (await pool
        ?.request({
          method: kind === 'event' ? 'POST' : 'GET',
          path: `/api/v1${paths[kind]}`,
          headers: { authorization: `Bearer ${token}`, ...own },
          ...(kind === 'event' ? { body: JSON.stringify(event) } : {}),
        })
        .then(async ({ body, statusCode }) => {
          await body.dump();
          return statusCode;
        })
        .catch(() => 0)) ?? 0;
    this.under_way -= 1;
    return { kind, status, sent_ms, took_ms: performance.now() - sent_ms };
  }
}

/** What is served while thousands of connections to a gateway say nothing, and what they leave behind. */
async function besideIdle(sender: Sender, per_s: number, port: number, gateway_pid: number) {
  const held = () =>
    heldBy([{ name: 'gateway', pid: gateway_pid }])[0] ?? { memory_mb: 0, files: 0 };
  const before = held();
  const sockets: Socket[] = [];
  try {
    while (sockets.length < IDLE) {
      const some = await Promise.all(Array.from({ length: IDLE_AT_ONCE }, () => openIdle(port)));
      sockets.push(...some);
    }
    const outcomes = await sender.regardless(per_s, IDLE_MS);
    const memory_mb = held().memory_mb - before.memory_mb;
    for (const socket of sockets) socket.destroy();
    let descriptors_left = Infinity;
    for (let tries = 0; tries < 50 && descriptors_left >= DESCRIPTORS; tries += 1) {
      await sleep(100);
      descriptors_left = held().files - before.files;
    }
    return { outcomes, memory_mb, descriptors_left };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // It may be closed on it at any time.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** How long after the flood it was until all was served, and in good time. */
async function recovery(sender: Sender, flood_ended_ms: number): Promise<number> {
  let good = 0;
  let first_ms = flood_ended_ms;
  while (good < GOOD_IN_A_ROW) {
    const { sent_ms, status, took_ms } = await sender.call(good % 2 === 0 ? 'list' : 'event');
    const is_good = status < 300 && status > 0 && took_ms < GOALS.p99_ms;
    if (is_good && good === 0) first_ms = sent_ms;
    good = is_good ? good + 1 : 0;
    if (performance.now() - flood_ended_ms > 60_000) return Infinity;
  }
  return Math.round(first_ms - flood_ended_ms);
}

/** How late timers of a gateway were at most since this was last asked, by its own metrics. */
async function readLateness(): Promise<number> {
  const services = withReplicas(SERVICES, 2);
  const ports = services
    .filter(({ kind }) => kind === 'gateway')
    .map(({ name }) => metricsPort({ METRICS_PORT }, services, name));
  const late_s = await Promise.all(
    ports.map(async (port) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const [, value] =
        /^process_event_loop_delay_seconds\{.*quantile="1".*\} (\S+)/m.exec(text) ?? [];
      if (value === undefined)
        throw new Error('The gateway does not tell how late its timers are.');
      return Number(value);
    }),
  );
  return Math.round(Math.max(...late_s) * 1_000);
}

const served = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ status }) => status >= 200 && status < 300);
const share = (outcomes: readonly Outcome[]) =>
  served(outcomes).length / Math.max(1, outcomes.length);
const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
const below = (what: string, is: number, goal: number): Target => ({
  ...{ what, is, goal },
  reached: is < goal,
});
const above = (what: string, is: number, goal: number): Target => ({
  ...{ what, is, goal },
  reached: is > goal,
});

const p99 = (outcomes: readonly Outcome[]) =>
  Math.round(
    shareOf(
      outcomes.map(({ took_ms }) => took_ms).sort((a, b) => a - b),
      0.99,
    ),
  );

function ratio(rows: readonly { kind: Kind; served: number }[], dear: Kind, cheap: Kind): number {
  const of = (kind: Kind) => rows.find((row) => row.kind === kind)?.served ?? 0;
  return of(dear) / Math.max(of(cheap), 0.001);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
