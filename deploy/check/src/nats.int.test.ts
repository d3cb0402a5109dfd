// A real server runs with the very configuration that is deployed; only its folders and its port
// are others.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectBus } from '@credit/platform/bus';
import { testLogger } from '@credit/testing';
import { freePort, natsServerBinary } from '@credit/testing/servers';
import { connect } from 'nats';
import {
  type Certificate,
  makeAuthority,
  makeCertificate,
} from '../../../services/webhooks/test/support/certificates';
import { buildOverlay } from './kustomize';

const START_TIMEOUT_MS = 10_000;

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

beforeAll(async () => {
  binary = await natsServerBinary();
  port = await freePort();
  authority = await makeAuthority();
  write('authority', authority);
  write('nats', await makeCertificate(['nats', 'localhost'], authority));
  write('identity', await makeCertificate(['identity'], authority));
  write('gateway', await makeCertificate(['gateway'], authority));
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

describe('the configuration of NATS', () => {
  it('lets a service make the stream and publish, by its certificate alone', async () => {
    const bus = await connectBus({
      url: `tls://localhost:${port}`,
      name: 'identity',
      logger: testLogger,
      tls: tls('identity'),
    });
    try {
      const usable = new Promise<void>((resolve) => {
        bus.onChange(() => {
          if (bus.stream !== undefined) resolve();
        });
      });
      if (bus.stream === undefined) await usable;
      await bus.publish('credit.v1.live.p00.test', Buffer.from('an event'), 'event-1');
      const manager = await bus.manager();
      expect((await manager.streams.info('CREDIT')).state.messages).toBe(1);
    } finally {
      await bus.close();
    }
  });

  it.each([
    ['the gateway, which has no business there', tls('gateway')],
    ['a certificate of another authority', tls('stranger')],
    ['no certificate', { caFile: tls('identity').caFile }],
  ])('refuses %s', async (_who, files) => {
    await expect(
      connect({ servers: `localhost:${port}`, tls: files, reconnect: false, timeout: 5_000 }),
    ).rejects.toThrow();
  });

  it('lets a service use nothing but events and their stream', async () => {
    const connection = await connect({ servers: `localhost:${port}`, tls: tls('identity') });
    try {
      const refused = new Promise<string>((resolve) => {
        void (async () => {
          for await (const status of connection.status()) resolve(`${status.type} ${status.data}`);
        })();
      });
      connection.publish('elsewhere', 'gossip');
      await connection.flush();
      expect(await refused).toMatch(/PERMISSIONS_VIOLATION/);
    } finally {
      await connection.close();
    }
  });

  it('is understood by a server of production too', () => {
    const file = configure('prod');
    execFileSync(binary, ['--config', file, '-t'], {
      env: { ...process.env, POD_NAME: 'nats-0' },
      stdio: 'pipe',
    });
  });
});
