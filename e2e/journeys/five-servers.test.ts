import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALL_SCOPES, type Client, type Json, type Member } from '@credit/local/demo/client';
import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import { type System, startSystem } from '@credit/local/spawned-system';
import type { Environment } from '@credit/platform/context';
import { type Provisioned, provision } from '@credit/platform/db';
import { type PostgresServer, startPostgresServer } from '@credit/servers';
import pg from 'pg';
import { openLoan } from '../support/borrower';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { runSql } from '../support/postgres';

/** What each server holds: services, of the environments named or of both. */
const SERVERS: ReadonlyArray<{
  readonly services: readonly string[];
  readonly environments?: readonly Environment[];
}> = [
  { services: ['identity'] },
  { services: ['reporting'], environments: ['live'] },
  { services: ['scoring'], environments: ['live'] },
  { services: ['disputes', 'webhooks'], environments: ['live'] },
  { services: ['reporting', 'scoring', 'disputes', 'webhooks'], environments: ['test'] },
];
/** All five beside a system, on a machine that has other things to do. */
const SETTINGS = { fsync: 'off', shared_buffers: '32MB', max_connections: '100' };

let folder: string;
let servers: PostgresServer[] = [];
let provisioned: Provisioned[];
let system: System;
let receiver: Receiver;
let lender: Member;
let anonymous: Client;
let test_key: Client;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'credit-five-servers-'));
  servers = await Promise.all(
    SERVERS.map((_, number) =>
      startPostgresServer({ data_directory: path.join(folder, `${number}`), settings: SETTINGS }),
    ),
  );
  provisioned = await Promise.all(
    servers.map(({ admin_url }, number) =>
      provision(admin_url, { database: 'credit', services: [], ...SERVERS[number] }),
    ),
  );
  // It has a server of its own as well, which nobody is led to.
  system = await startSystem(urlsOfServices());
  receiver = await startReceiver(system.data_directory);
  ({
    anonymous,
    members: { lender },
  } = await company(system, { lender: 'Five Servers' }));
  const made = await lender.owner.create('/api-keys', {
    display_name: 'test',
    scopes: ALL_SCOPES,
    environment: 'test',
  });
  test_key = lender.owner.as(made.secret);
}, 300_000);

afterAll(async () => {
  await receiver?.stop();
  await system?.stop();
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** `REPORTING_DATABASE_URL_LIVE` and the like: nothing else says where a service's data is. */
function urlsOfServices(): Record<string, string> {
  return Object.fromEntries(
    SERVERS.flatMap(({ services, environments }, number) =>
      services.flatMap((service) => {
        const urls = provisioned[number]?.services[service];
        const name = `${service.toUpperCase()}_DATABASE_URL`;
        if (environments === undefined) return [[name, urls?.live ?? '']];
        return environments.map((one) => [`${name}_${one.toUpperCase()}`, urls?.[one] ?? '']);
      }),
    ),
  );
}

/** Opens a loan and reports a default on it. */
async function reportDefault(key: Client): Promise<{ subject_id: string; event_id: string }> {
  const { subject, account } = await openLoan(key);
  const event = await key.create(
    `/accounts/${account.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
    `default-${randomUUID()}`,
  );
  return { subject_id: subject.id, event_id: event.id };
}

const profileOf = (key: Client, subject_id: string) =>
  key.get(`/credit/${subject_id}?purpose=ACCOUNT_REVIEW`);

/** Schemas that a service has been migrated into. */
async function schemasOf(number: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: provisioned[number]?.admin_url });
  await client.connect();
  try {
    const { rows } = await client.query<{ schemaname: string }>(
      `SELECT DISTINCT schemaname FROM pg_tables
       WHERE schemaname ~ '^(identity|reporting|scoring|disputes|webhooks)' ORDER BY 1`,
    );
    return rows.map(({ schemaname }) => schemaname);
  } finally {
    await client.end();
  }
}

it('finds each service and environment on the server that its URL names, and nowhere else', async () => {
  expect(await Promise.all(SERVERS.map((_, number) => schemasOf(number)))).toEqual([
    ['identity'],
    ['reporting_live'],
    ['scoring_live'],
    ['disputes_live', 'webhooks_live'],
    ['disputes_test', 'reporting_test', 'scoring_test', 'webhooks_test'],
  ]);
});

it('reports, scores and tells members over all of them', async () => {
  const subscription = await lender.key.create('/webhooks', {
    url: `${receiver.url}/hook`,
    events: ['credit.default.reported'],
  });
  const { subject_id, event_id } = await reportDefault(lender.key);
  // Scoring asks reporting for what it has not heard of yet.
  expect((await profileOf(lender.key, subject_id)).risk.active_defaults).toBe(1);
  await receiver.waitFor(1);

  const dispute = await anonymous.create('/public/disputes', {
    credit_event_id: event_id,
    opened_by: 'stonecutter',
    reason: 'INCORRECT_STATUS',
    description: 'There was no default: the loan was paid in time.',
  });
  // Disputes asks reporting whose record it is.
  await eventually(
    () => lender.key.get<Json[]>('/disputes'),
    (disputes) => disputes.some(({ id }) => id === dispute.id),
  );
  // Webhooks tells identity, as all services do, by the bus.
  await eventually(
    () => lender.owner.get<Json[]>('/audit?limit=50'),
    (entries) => entries.some(({ target }) => target.id === subscription.id),
  );
  for (const table of ['reporting_live.subjects', 'identity.institutions']) {
    expect(await runSql(system, `SELECT 1 FROM ${table} LIMIT 1`)).toEqual([]);
  }
}, 120_000);

it('keeps test data on its own server, out of sight of live keys', async () => {
  const { subject_id } = await reportDefault(test_key);
  expect((await profileOf(test_key, subject_id)).risk.active_defaults).toBe(1);
  const foreign = await lender.key.request('GET', `/subjects/${subject_id}`);
  expect(foreign.status).toBe(404);
});
