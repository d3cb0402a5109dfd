import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemContext } from '@credit/platform/context';
import { type Database, statement } from '@credit/platform/db';
import type { Stub } from '@credit/platform/rpc';
import {
  newId,
  resealSecrets,
  type SealedSecrets,
  sealedSecretsCommand,
  systemClock,
} from '@credit/platform/runtime';
import { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';
import { startTestService, type TestDatabase, testDatabase } from '@credit/testing';
import { type Certificate, makeAuthority, makeCertificate } from './support/certificates';
import { type Receiver, startReceiver, verifies } from './support/receiver';
import {
  audited,
  buildReplica,
  callOf,
  defaultReported,
  eventually,
  SECRET_KEY,
  takeEvents,
} from './support/webhooks';

/** What nobody signs for is sent after the lease only: later than any delivery here may be. */
const LEASE_MS = 20_000;
const IN_TIME_MS = 8_000;
const PHASE_MS = 250;
const NEXT_KEY = randomBytes(32).toString('base64');

const live = systemContext('live');
const TAMPER = statement(
  'test_tamper',
  "UPDATE subscriptions SET secret_sealed = '\\x00' WHERE id = $1",
);
const LEFT = statement<{ count: number }>(
  'test_left',
  "SELECT count(*)::integer AS count FROM deliveries WHERE status <> 'DELIVERED'",
);

let authority: Certificate;
let directory: string;
let receiver: Receiver;
let database: TestDatabase;
const running: Replica[] = [];

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'rotation-'));
  authority = await makeAuthority();
  writeFileSync(path.join(directory, 'ca.pem'), authority.cert);
  receiver = await startReceiver(await makeCertificate([], authority));
}, 60_000);
beforeEach(async () => {
  database = await testDatabase('webhooks');
}, 60_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map((replica) => replica.stop()));
  await database.stop();
}, 60_000);
afterAll(async () => {
  await receiver.stop();
  rmSync(directory, { recursive: true });
});

/** One process of the service: its keys are what its environment said when it started. */
interface Replica {
  readonly db: Database;
  readonly stub: Stub<typeof WebhooksServiceDefinition>;
  readonly sealed: SealedSecrets;
  take(institution_id: string): Promise<string>;
  stop(): Promise<void>;
}

async function startReplica(current: string, ...accepted: string[]): Promise<Replica> {
  const db = database.open();
  const parts = buildReplica(database, db, {
    WEBHOOK_SECRET_KEY: current,
    WEBHOOK_SECRET_KEYS_PREVIOUS: accepted.join(),
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.1',
    WEBHOOK_CA_FILE: path.join(directory, 'ca.pem'),
    WEBHOOK_TIMEOUT_MS: '2000',
    WEBHOOK_LEASE_MS: `${LEASE_MS}`,
    WEBHOOK_POLL_MS: '20',
  });
  if (parts.sealed === undefined) throw new Error('The service does not say what it seals.');
  const service = await startTestService(parts.services);
  for (const worker of parts.workers ?? []) worker.start();
  let stopped: Promise<void> | undefined;
  const end = async () => {
    await service.stop();
    await Promise.all((parts.workers ?? []).map((worker) => worker.stop()));
  };
  const replica: Replica = {
    db,
    stub: service.channel.stub(WebhooksServiceDefinition),
    sealed: parts.sealed,
    async take(institution_id) {
      const event = defaultReported({ receivers: [institution_id] });
      await takeEvents(parts, db, [event]);
      return event.id;
    },
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
  running.push(replica);
  return replica;
}

/** Subscribes receivers and reports to them through whatever replicas there are. */
class Traffic {
  readonly taken: { event_id: string; hook: string; at_ms: number }[] = [];
  readonly secrets = new Map<string, string>();
  private readonly institutions: { id: string; hook: string }[] = [];
  private turn = 0;
  private running = true;
  private readonly done: Promise<void>;

  constructor(private replicas: readonly Replica[]) {
    this.done = this.run();
  }

  use(...replicas: Replica[]): Promise<void> {
    this.replicas = replicas;
    return this.subscribe();
  }

  /** A new subscription at each replica: sealed with the key that it seals with now. */
  async subscribe(): Promise<void> {
    for (const replica of this.replicas) {
      const id = newId();
      const hook = `/${id}`;
      const { secret } = await replica.stub.createSubscription(callOf(id), {
        url: `https://127.0.0.1:${receiver.port}${hook}`,
        events: ['credit.default.reported'],
      });
      this.secrets.set(hook, secret);
      this.institutions.push({ id, hook });
    }
    await sleep(PHASE_MS);
  }

  private async run(): Promise<void> {
    while (this.running) {
      const { replicas, institutions, turn } = this;
      this.turn += 1;
      const replica = replicas[turn % replicas.length];
      const institution = institutions[turn % Math.max(1, institutions.length)];
      if (replica !== undefined && institution !== undefined) {
        const at_ms = Date.now();
        const event_id = await replica.take(institution.id);
        this.taken.push({ event_id, hook: institution.hook, at_ms });
      }
      await sleep(15);
    }
  }

  async end(): Promise<void> {
    this.running = false;
    await this.done;
  }
}

/** Every event came to its receiver, once at least, in time and with a signature that verifies. */
async function allArrived({ taken, secrets }: Traffic): Promise<void> {
  await eventually(
    'everything is delivered',
    async () => (await database.db.read(live).one(LEFT)).count === 0,
    IN_TIME_MS,
  );
  for (const { event_id, hook, at_ms } of taken) {
    const [first] = receiver.at(hook).filter(({ body }) => body.includes(event_id));
    if (first === undefined) throw new Error(`${event_id} did not come.`);
    expect(verifies(first, secrets.get(hook) ?? '')).toBe(true);
    expect(first.at_ms - at_ms).toBeLessThan(IN_TIME_MS);
  }
}

test('a change of key in two steps delays nothing, whichever replica is how far', async () => {
  let one = await startReplica(SECRET_KEY);
  let two = await startReplica(SECRET_KEY);
  const traffic = new Traffic([one, two]);
  await traffic.subscribe();
  /** Restarts one after the other, with traffic before, between and after. */
  const roll = async (current: string, ...accepted: string[]) => {
    const [first, second] = [one, two];
    one = await startReplica(current, ...accepted);
    await traffic.use(one, second);
    await first.stop();
    two = await startReplica(current, ...accepted);
    await traffic.use(one, two);
    await second.stop();
  };
  await roll(SECRET_KEY, NEXT_KEY);
  await roll(NEXT_KEY, SECRET_KEY);

  const lines: string[] = [];
  const command = (...args: string[]) => {
    const { db, sealed } = one;
    const say = (line: string) => lines.push(line);
    return sealedSecretsCommand({ db, clock: systemClock, sealed, say }, args);
  };
  expect(await command()).toBeGreaterThan(0);
  expect(lines.join('\n')).toMatch(/live [0-9a-f]{16} accepted: \d+ signing secrets/);
  const resealed = async () =>
    (await audited(database.db)).filter(({ action }) => action === 'secrets.resealed');
  expect(await command('--reseal', '--dry-run')).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain('sealed anew');
  expect(await resealed()).toEqual([]);
  expect(await command('--reseal', '--by', 'Ada', '--reason', 'key 2')).toBe(0);
  await traffic.subscribe();
  expect(await command()).toBe(0);

  await roll(NEXT_KEY);
  await traffic.end();
  expect(traffic.taken.length).toBeGreaterThan(20);
  await allArrived(traffic);
  const told = await resealed();
  expect(told).toMatchObject([
    { institution_id: '', target_id: one.sealed.keys.current_id, actor_type: 'system' },
  ]);
  const changes = JSON.parse(told[0]?.changes_json ?? '');
  expect(changes).toMatchObject({ by: 'Ada', reason: 'key 2' });
  expect(changes.count).toBeGreaterThan(0);
}, 60_000);

test('a key that some replicas have not been told of delays nothing that others can sign', async () => {
  const old = await startReplica(SECRET_KEY);
  const ahead = await startReplica(NEXT_KEY, SECRET_KEY);
  const traffic = new Traffic([old, ahead]);
  await traffic.subscribe();
  await resealSecrets({ db: ahead.db, clock: systemClock, sealed: ahead.sealed }, 'live');
  await sleep(PHASE_MS);
  await traffic.end();
  await allArrived(traffic);
}, 60_000);

test('resealing goes on where it was, and leaves and counts what no key opens', async () => {
  const old = await startReplica(SECRET_KEY);
  const create = async () => {
    const made = await old.stub.createSubscription(callOf(newId()), {
      url: 'https://93.184.216.34/',
      events: ['credit.default.reported'],
    });
    return made.subscription?.id ?? '';
  };
  const ids = await Promise.all(Array.from({ length: 230 }, create));
  await database.db.read(live).execute(TAMPER, [ids[0]]);
  const next = await startReplica(NEXT_KEY, SECRET_KEY);
  const { db, sealed } = next;
  const parts = { db, clock: systemClock, sealed };
  // Cut off after the first batch: as if the process had been killed.
  let calls = 0;
  const cut: SealedSecrets = {
    ...sealed,
    columns: {
      ...sealed.columns,
      listOthers: async (...args) => {
        calls += 1;
        if (calls > 1) throw new Error('killed');
        return sealed.columns.listOthers(...args);
      },
    },
  };
  await expect(resealSecrets({ ...parts, sealed: cut }, 'live')).rejects.toThrow('killed');
  expect(await resealSecrets(parts, 'live')).toBeGreaterThan(100);
  expect(await resealSecrets(parts, 'live')).toBe(0);
  const said: string[] = [];
  const left = await sealedSecretsCommand({ ...parts, say: (line) => said.push(line) }, []);
  expect(left).toBe(1);
  // Of three batches two came to their end before, and one after the kill.
  const told = (await audited(database.db)).filter(({ action }) => action === 'secrets.resealed');
  const counts = told.map(({ changes_json }) => JSON.parse(changes_json).count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(229);
  const keyless = await startReplica(randomBytes(32).toString('base64'));
  said.length = 0;
  await sealedSecretsCommand(
    { ...parts, sealed: keyless.sealed, say: (line) => said.push(line) },
    [],
  );
  expect(said.filter((line) => line.includes('missing'))).toHaveLength(2);
}, 60_000);
