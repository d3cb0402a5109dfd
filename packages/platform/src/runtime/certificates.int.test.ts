import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import { CertificateFolder } from '@credit/testing';
import { context, echo, logger, onCleanup, REQUEST, serve } from '../../test/rpc-fixture';
import { createChannel } from '../rpc';
import { createPeerAgent, createPeerServer, tlsFromEnvironment } from './tls';

const folder = new CertificateFolder();
let gateway: NodeJS.ProcessEnv;

beforeAll(() => {
  folder.authority('authority');
  gateway = folder.certificate('gateway', 'authority');
});
afterAll(() => folder.remove());

const required = (environment: NodeJS.ProcessEnv) => ({
  TLS_CERT_FILE: environment.TLS_CERT_FILE ?? '',
  TLS_KEY_FILE: environment.TLS_KEY_FILE ?? '',
  TLS_CA_FILE: environment.TLS_CA_FILE ?? '',
});

/** The serial number of what a server shows to the gateway. */
function shown(port: number): Promise<string> {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = required(gateway);
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        port,
        host: 'localhost',
        cert: readFileSync(TLS_CERT_FILE),
        key: readFileSync(TLS_KEY_FILE),
        ca: readFileSync(TLS_CA_FILE),
        ALPNProtocols: ['h2'],
      },
      () => {
        const { serialNumber } = socket.getPeerCertificate();
        socket.destroy();
        resolve(serialNumber);
      },
    );
    socket.on('error', reject);
  });
}

const serialOf = (file: string) => new X509Certificate(readFileSync(file)).serialNumber;
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

it('shows a renewed certificate on new connections, and keeps the open ones', async () => {
  const used = required(folder.certificate('disputes', 'authority'));
  const tls = tlsFromEnvironment({ ...used, TLS_RELOAD_MS: '20' }, logger);
  const server = await serve(echo, { address: 'localhost:0', credentials: tls?.server });
  const channel = createChannel({
    target: `localhost:${server.port}`,
    logger,
    credentials: tlsFromEnvironment(gateway)?.channel,
  });
  onCleanup(() => channel.close());
  const stub = channel.stub(DisputesServiceDefinition);
  await stub.openDispute(context({ deadline_at_ms: Date.now() + 5_000 }), REQUEST);
  const first = serialOf(used.TLS_CERT_FILE);
  expect(await shown(server.port)).toBe(first);

  // The key first, as when a renewal is only half written: it is passed over.
  const { TLS_KEY_FILE, TLS_CERT_FILE } = used;
  copyFileSync(TLS_KEY_FILE, folder.file('old.key'));
  copyFileSync(gateway.TLS_KEY_FILE ?? '', TLS_KEY_FILE);
  await aMoment();
  expect(await shown(server.port)).toBe(first);
  expect(logger.warn).toHaveBeenCalledWith(
    expect.anything(),
    'the renewed certificate cannot be used yet',
  );
  copyFileSync(folder.file('old.key'), TLS_KEY_FILE);

  folder.certificate('disputes', 'authority');
  await aMoment();
  const second = serialOf(TLS_CERT_FILE);
  expect(second).not.toBe(first);
  expect(await shown(server.port)).toBe(second);
  expect(tls?.certificates.expires_at_ms).toBeGreaterThan(Date.now());
  await stub.openDispute(context({ deadline_at_ms: Date.now() + 5_000 }), REQUEST);
}, 30_000);

it('lets the named callers alone speak HTTP to a peer', async () => {
  const tls = tlsFromEnvironment(folder.certificate('scoring', 'authority'));
  const server = createPeerServer(tls, ['gateway'], {}, (_request, response) =>
    response.end('document'),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onCleanup(() => server.close());
  const { port } = server.address() as AddressInfo;
  const fetchAs = (environment: NodeJS.ProcessEnv) =>
    new Promise<number>((resolve, reject) => {
      const agent = createPeerAgent(tlsFromEnvironment(environment));
      onCleanup(() => agent.destroy());
      const host = 'localhost';
      const ca = readFileSync(folder.file('authority.crt'));
      get({ host, port, agent, ca }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).on('error', reject);
    });
  expect(await fetchAs(gateway)).toBe(200);
  expect(await fetchAs(folder.certificate('webhooks', 'authority'))).toBe(403);
  folder.authority('stranger');
  folder.bundle('both', 'authority', 'stranger');
  await expect(fetchAs(folder.certificate('gateway', 'stranger', 'both'))).rejects.toThrow();
});

it('follows from one authority to the next without a refused call, and refuses the wrong order', async () => {
  folder.authority('old');
  folder.authority('next');
  const believe = (...authorities: string[]) => folder.bundle('believed', ...authorities);
  const issue = (name: string, authority: string) => {
    const made = required(folder.certificate(name, authority, 'believed'));
    for (const [variable, ending] of [
      ['TLS_KEY_FILE', 'key'],
      ['TLS_CERT_FILE', 'crt'],
    ] as const) {
      copyFileSync(made[variable], folder.file(`${name}-now.${ending}`));
    }
  };
  const start = (name: string) =>
    tlsFromEnvironment(
      {
        TLS_CERT_FILE: folder.file(`${name}-now.crt`),
        TLS_KEY_FILE: folder.file(`${name}-now.key`),
        TLS_CA_FILE: folder.file('believed.crt'),
        TLS_RELOAD_MS: '20',
      },
      logger,
    );
  believe('old');
  for (const name of ['disputes', 'gateway']) issue(name, 'old');
  const [served, calling] = [start('disputes'), start('gateway')];
  const server = await serve(echo, { address: 'localhost:0', credentials: served?.server });
  /** By a connection of its own each time: those that are open go on anyway. */
  const call = async () => {
    const channel = createChannel({
      target: `localhost:${server.port}`,
      logger,
      credentials: calling?.channel,
    });
    onCleanup(() => channel.close());
    await channel
      .stub(DisputesServiceDefinition)
      .openDispute(context({ deadline_at_ms: Date.now() + 5_000 }), REQUEST);
  };
  await call();

  // One that nobody believes yet is not shown.
  issue('disputes', 'next');
  await aMoment();
  await call();
  issue('disputes', 'old');

  believe('old', 'next');
  await aMoment();
  expect(served?.certificates.authorities).toBe(2);
  await call();
  for (const name of ['disputes', 'gateway']) {
    issue(name, 'next');
    await aMoment();
    await call();
  }
  // Nor is one's own no longer believed.
  believe('old');
  await aMoment();
  expect(served?.certificates.authorities).toBe(2);
  await call();
  believe('next');
  await aMoment();
  expect(calling?.certificates.authorities).toBe(1);
  await call();
  issue('gateway', 'old');
  expect(() => start('gateway')).toThrow('No authority of TLS_CA_FILE has issued');
}, 30_000);

it('says in one sentence which file cannot be used', () => {
  const files = required(gateway);
  const wrong = (changed: NodeJS.ProcessEnv) => () => tlsFromEnvironment({ ...files, ...changed });
  expect(wrong({ TLS_KEY_FILE: '' })).toThrow('go together');
  expect(wrong({ TLS_CA_FILE: folder.file('none') })).toThrow('TLS_CA_FILE names cannot be read');
  expect(wrong({ TLS_KEY_FILE: folder.file('authority.key') })).toThrow('is not the one of');
  expect(wrong({ TLS_CA_FILE: folder.file('stranger.crt') })).toThrow('has issued');
  expect(wrong({ TLS_CERT_FILE: files.TLS_KEY_FILE })).toThrow('does not hold PEM');
});
