// A real server runs with the very configuration that is deployed; only its folders and its port
// are others. Everybody who has a certificate tries what it must be able to do, and what it must not.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  BUS_USE,
  BUS_USERS,
  type Bus,
  busUseOf,
  connectBus,
  connectionOptions,
  durableName,
  type EventType,
  keepStream,
} from '@credit/platform/bus';
import { freePort, natsServerBinary } from '@credit/servers';
import { testLogger } from '@credit/testing';
import { AckPolicy, connect, Events, type NatsConnection, nanos, type Payload } from 'nats';
import {
  type Certificate,
  makeAuthority,
  makeCertificate,
} from '../../../services/webhooks/test/support/certificates';
import { buildOverlay, ROOT } from './kustomize';

const START_TIMEOUT_MS = 10_000;
const SERVICES = Object.keys(BUS_USE);
const TYPES = [...new Set(Object.values(BUS_USE).flatMap(({ publishes }) => publishes))];

const directory = mkdtempSync(path.join(tmpdir(), 'nats-configuration-'));
let authority: Certificate;
let binary: string;
let port: number;
let server: ChildProcess;

/** Writes an overlay's configuration for a server on this machine; returns the file. */
function configure(overlay: string): string {
  const map = buildOverlay(overlay).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('nats-'),
  );
  const folder = path.join(directory, overlay);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(map?.data ?? {})) {
    const here = text
      .replaceAll('/etc/credit/tls/tls', path.join(directory, 'nats'))
      .replaceAll('/etc/credit/tls/ca', path.join(directory, 'authority'))
      .replaceAll('"/data"', `"${path.join(folder, 'data')}"`)
      .replaceAll('/run/nats', folder)
      .replaceAll('0.0.0.0:4222', `127.0.0.1:${port}`)
      .replaceAll('0.0.0.0:8222', '127.0.0.1:0');
    // Servers before 2.10, which some distributions still have, do not know it.
    writeFileSync(
      path.join(folder, name),
      isBefore210() ? here.replace(/sync_interval.*/, '') : here,
    );
  }
  return path.join(folder, 'nats.conf');
}

function isBefore210(): boolean {
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(`${execFileSync(binary, ['--version'])}`) ?? [];
  return Number(major) === 2 && Number(minor) < 10;
}

function write(name: string, { cert, key }: Certificate): void {
  writeFileSync(path.join(directory, `${name}.crt`), cert);
  writeFileSync(path.join(directory, `${name}.key`), key);
}

const tls = (name: string) => ({
  certFile: path.join(directory, `${name}.crt`),
  keyFile: path.join(directory, `${name}.key`),
  caFile: path.join(directory, 'authority.crt'),
});

const url = () => `tls://localhost:${port}`;

beforeAll(async () => {
  binary = await natsServerBinary();
  port = await freePort();
  authority = await makeAuthority();
  write('authority', authority);
  write('nats', await makeCertificate(['nats', 'localhost'], authority));
  for (const name of [...BUS_USERS, 'gateway']) {
    write(name, await makeCertificate([name], authority));
  }
  write('stranger', await makeCertificate(['identity'], await makeAuthority()));
  server = spawn(binary, ['--config', configure('dev')], {
    env: { ...process.env, POD_NAME: 'nats-0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(output)), START_TIMEOUT_MS);
    server.stderr?.on('data', (chunk) => {
      output += chunk;
      if (!output.includes('Server is ready')) return;
      clearTimeout(timer);
      resolve();
    });
    server.once('exit', () => reject(new Error(output)));
  });
}, 120_000);
afterAll(async () => {
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;
  rmSync(directory, { recursive: true });
});

/** A service's bus as it runs it, once it sees the stream. */
async function busOf(service: string): Promise<Bus> {
  const bus = await connectBus({
    url: url(),
    name: service,
    logger: testLogger,
    tls: tls(service),
    makes_stream: busUseOf(service)?.makes_stream === true,
  });
  await new Promise<void>((resolve) => {
    const look = () => bus.stream !== undefined && resolve();
    bus.onChange(look);
    look();
  });
  return bus;
}

/** A bare client with a service's certificate, as somebody who has taken the service over. */
async function intruder(service: string): Promise<NatsConnection> {
  return connect({ ...connectionOptions({ url: url(), name: service, tls: tls(service) }) });
}

/** What the server says against an operation; undefined when it lets it pass. */
async function complaint(
  connection: NatsConnection,
  operation: (connection: NatsConnection) => void,
): Promise<string | undefined> {
  let said: string | undefined;
  const statuses = connection.status();
  void (async () => {
    for await (const status of statuses) {
      if (status.type !== Events.Error) continue;
      said = `${status.data} ${status.permissionContext?.operation} ${status.permissionContext?.subject}`;
    }
  })();
  operation(connection);
  await connection.flush();
  // What it says is handled in a later turn than the answer to the flush.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return said;
}

const publish =
  (subject: string, payload: Payload = '{}') =>
  (connection: NatsConnection) =>
    connection.publish(subject, payload);

const subjectOf = (type: string) => `credit.v1.live.p00.${type}`;

describe('the configuration of NATS', () => {
  it('lets the keeper make the stream and change its settings, by its certificate alone', async () => {
    const keeping = { url: url(), logger: testLogger, tls: tls('stream') };
    expect(await keepStream(keeping)).toBe('kept');
    expect(await keepStream({ ...keeping, limits: { max_age_ms: 86_400_000 } })).toBe('changed');
    expect(await keepStream(keeping)).toBe('changed');
  });

  it.each(SERVICES)(
    'lets %s publish and take in what is its own',
    async (service) => {
      const bus = await busOf(service);
      const use = busUseOf(service);
      try {
        for (const type of use?.publishes ?? []) {
          const id = `${service}-${type}`;
          const receipt = await bus.publish(subjectOf(type), Buffer.from(id), id);
          expect(receipt.sequence).toBeGreaterThan(0);
        }
        const manager = await bus.manager();
        for (const type of use?.consumes ?? []) {
          const durable_name = durableName(service, type);
          const settings = {
            durable_name,
            filter_subject: `credit.v1.*.*.${type}`,
            ack_policy: AckPolicy.Explicit,
            ack_wait: nanos(30_000),
          };
          await manager.consumers.add('CREDIT', settings);
          // Another release's settings.
          await manager.consumers.update('CREDIT', durable_name, { ack_wait: nanos(20_000) });
          const consumer = await manager.jetstream().consumers.get('CREDIT', durable_name);
          const messages = await consumer.fetch({ max_messages: 100, expires: 1_000 });
          for await (const message of messages) {
            expect(message.subject).toMatch(new RegExp(`\\.${type}$`));
            message.ack();
          }
          await bus.connection?.flush();
          const info = await manager.consumers.info('CREDIT', durable_name);
          expect(info.num_ack_pending).toBe(0);
        }
      } finally {
        await bus.close();
      }
    },
    30_000,
  );

  it.each(SERVICES)('refuses %s to say what others say', async (service) => {
    const own: readonly EventType[] = busUseOf(service)?.publishes ?? [];
    const connection = await intruder(service);
    try {
      for (const type of TYPES.filter((candidate) => !own.includes(candidate))) {
        expect(await complaint(connection, publish(subjectOf(type)))).toMatch(
          /^PERMISSIONS_VIOLATION publish/,
        );
      }
      for (const subject of [
        'credit.v1.live.p00',
        'credit.v2.x',
        'elsewhere',
        '$SYS.REQ.SERVER.PING',
      ]) {
        expect(await complaint(connection, publish(subject))).toMatch(
          /^PERMISSIONS_VIOLATION publish/,
        );
      }
    } finally {
      await connection.close();
    }
  });

  it.each(SERVICES)('refuses %s to read what is not for it', async (service) => {
    const own: readonly EventType[] = busUseOf(service)?.consumes ?? [];
    const others = SERVICES.filter((other) => other !== service);
    const connection = await intruder(service);
    try {
      for (const subject of [
        'credit.v1.>',
        '>',
        '_INBOX.>',
        '$JS.>',
        ...others.map((other) => `_INBOX.${other}.>`),
      ]) {
        expect(
          await complaint(connection, (c) => void c.subscribe(subject, { callback: () => {} })),
        ).toMatch(/^PERMISSIONS_VIOLATION subscription/);
      }
      for (const type of TYPES.filter((candidate) => !own.includes(candidate))) {
        const durable = durableName(service, type);
        const filter = `credit.v1.*.*.${type}`;
        for (const subject of [
          `$JS.API.CONSUMER.CREATE.CREDIT.${durable}.${filter}`,
          `$JS.API.CONSUMER.CREATE.CREDIT.${durable}`,
          `$JS.API.CONSUMER.CREATE.CREDIT`,
          `$JS.API.CONSUMER.DURABLE.CREATE.CREDIT.${durable}`,
        ]) {
          expect(await complaint(connection, publish(subject))).toMatch(/^PERMISSIONS_VIOLATION/);
        }
      }
      for (const other of others) {
        for (const type of busUseOf(other)?.consumes ?? []) {
          const durable = durableName(other, type);
          for (const subject of [
            `$JS.API.CONSUMER.CREATE.CREDIT.${durable}.credit.v1.*.*.${type}`,
            `$JS.API.CONSUMER.MSG.NEXT.CREDIT.${durable}`,
            `$JS.ACK.CREDIT.${durable}.1.1.1.1.0`,
          ]) {
            expect(await complaint(connection, publish(subject))).toMatch(/^PERMISSIONS_VIOLATION/);
          }
        }
      }
      for (const subject of [
        '$JS.API.STREAM.MSG.GET.CREDIT',
        '$JS.API.DIRECT.GET.CREDIT',
        '$JS.API.STREAM.SNAPSHOT.CREDIT',
        '$JS.API.STREAM.LIST',
        '$JS.API.CONSUMER.LIST.CREDIT',
      ]) {
        expect(await complaint(connection, publish(subject))).toMatch(/^PERMISSIONS_VIOLATION/);
      }
    } finally {
      await connection.close();
    }
  });

  it('refuses a consumer of another type under a name that is allowed', async () => {
    const connection = await intruder('webhooks');
    try {
      const durable_name = durableName('webhooks', 'default_reported');
      const answer = await connection.request(
        `$JS.API.CONSUMER.CREATE.CREDIT.${durable_name}.credit.v1.*.*.default_reported`,
        JSON.stringify({
          stream_name: 'CREDIT',
          config: {
            durable_name,
            filter_subject: 'credit.v1.*.*.account_changed',
            ack_policy: 'explicit',
          },
        }),
      );
      expect(answer.json()).toMatchObject({ error: expect.objectContaining({ code: 400 }) });
    } finally {
      await connection.close();
    }
  });

  it.each(BUS_USERS)('lets %s neither delete nor purge, nor make another stream', async (user) => {
    const connection = await intruder(user);
    // Of another service: its own it may begin anew.
    const owner = user === 'scoring' ? 'webhooks' : 'scoring';
    const type = user === 'scoring' ? 'default_reported' : 'account_changed';
    const durable = durableName(owner, type);
    try {
      for (const subject of [
        '$JS.API.STREAM.DELETE.CREDIT',
        '$JS.API.STREAM.PURGE.CREDIT',
        '$JS.API.STREAM.MSG.DELETE.CREDIT',
        '$JS.API.STREAM.RESTORE.CREDIT',
        '$JS.API.STREAM.CREATE.MIRROR',
        '$JS.API.STREAM.LEADER.STEPDOWN.CREDIT',
        '$JS.API.STREAM.PEER.REMOVE.CREDIT',
        `$JS.API.CONSUMER.DELETE.CREDIT.${durable}`,
        `$JS.API.CONSUMER.PAUSE.CREDIT.${durable}`,
        '$JS.API.META.LEADER.STEPDOWN',
        ...(user === 'stream' ? [] : ['$JS.API.STREAM.UPDATE.CREDIT']),
        ...(user === 'stream' || user === 'reporting' ? [] : ['$JS.API.STREAM.CREATE.CREDIT']),
      ]) {
        expect(await complaint(connection, publish(subject))).toMatch(/^PERMISSIONS_VIOLATION/);
      }
    } finally {
      await connection.close();
    }
  });

  it('keeps single events even from the keeper', async () => {
    const bus = await busOf('reporting');
    try {
      const { config } = await (await bus.manager()).streams.info('CREDIT');
      expect(config).toMatchObject({ deny_delete: true, deny_purge: true });
    } finally {
      await bus.close();
    }
  });

  it.each([
    ['the gateway, which has no business there', () => tls('gateway')],
    ['a certificate of another authority', () => tls('stranger')],
    ['no certificate', () => ({ caFile: tls('identity').caFile })],
  ])('refuses %s', async (_who, files) => {
    await expect(
      connect({ servers: `localhost:${port}`, tls: files(), reconnect: false, timeout: 5_000 }),
    ).rejects.toThrow();
  });

  it.each(['prod', 'dev'])('of %s is understood by a server', (overlay) => {
    const file = configure(overlay);
    execFileSync(binary, ['--config', file, '-t'], {
      env: { ...process.env, POD_NAME: 'nats-0' },
      stdio: 'pipe',
    });
  });

  it('of the compose file is understood too, with passwords of the environment', () => {
    const passwords = Object.fromEntries(
      BUS_USERS.map((user) => [
        `NATS_PASSWORD_${user.toUpperCase()}`,
        '"8e1-starts_like_a_number"',
      ]),
    );
    execFileSync(binary, ['--config', path.join(ROOT, 'deploy/nats.conf'), '-t'], {
      env: { ...process.env, ...passwords },
      stdio: 'pipe',
    });
  });
});
