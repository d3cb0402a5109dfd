import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DisputesServiceService } from '@credit/proto/disputes/v1/disputes';
import { status as GrpcStatus } from '@grpc/grpc-js';
import { context, echo, failure, logger, onCleanup, REQUEST } from '../../test/rpc-fixture';
import { tlsFromEnvironment } from '../runtime/tls';
import { createChannel } from './channel';
import { startRpcServer } from './server';
import { serviceRegistration } from './service';

const OPEN = { openDispute: DisputesServiceService.openDispute };

const directory = mkdtempSync(path.join(tmpdir(), 'credit-mtls-'));
const file = (name: string) => path.join(directory, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

function authority(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-keyout', file(`${name}.key`)];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-out', file(`${name}.crt`));
}

function certificate(name: string, issuer: string): NodeJS.ProcessEnv {
  const base = file(`${name}-${issuer}`);
  const request = ['-subj', `/CN=${name}`, '-keyout', `${base}.key`, '-out', `${base}.csr`];
  openssl('req', '-newkey', 'rsa:2048', '-nodes', ...request);
  writeFileSync(`${base}.ext`, `subjectAltName=DNS:${name},DNS:localhost`);
  const signer = ['-CA', file(`${issuer}.crt`), '-CAkey', file(`${issuer}.key`), '-CAcreateserial'];
  const extensions = ['-extfile', `${base}.ext`, '-out', `${base}.crt`];
  openssl('x509', '-req', '-in', `${base}.csr`, ...signer, ...extensions);
  return {
    TLS_CERT_FILE: `${base}.crt`,
    TLS_KEY_FILE: `${base}.key`,
    TLS_CA_FILE: file('authority.crt'),
  };
}

beforeAll(() => {
  authority('authority');
  authority('stranger');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.each(['unary', 'tunnel'] as const)('certificates over %s', (transport) => {
  async function call(environment: NodeJS.ProcessEnv) {
    const server = await startRpcServer({
      address: 'localhost:0',
      services: [serviceRegistration(OPEN, { openDispute: echo })],
      logger,
      credentials: tlsFromEnvironment(certificate('disputes', 'authority'))?.server,
      callers: { gateway: 'all', scoring: [DisputesServiceService.listDisputes.path] },
    });
    onCleanup(() => server.close());
    const channel = createChannel({
      target: `localhost:${server.port}`,
      transport,
      logger,
      credentials: tlsFromEnvironment(environment)?.channel,
    });
    onCleanup(() => channel.close());
    return channel
      .stub(DisputesServiceService)
      .openDispute(context({ deadline_at_ms: Date.now() + 3_000 }), REQUEST);
  }

  it('lets the named caller in', async () => {
    const answer = await call(certificate('gateway', 'authority'));
    expect(answer.dispute).toBeDefined();
  });

  it("refuses another service's name for a method it was not given", async () => {
    const error = await failure(call(certificate('scoring', 'authority')));
    expect(error.grpc_status).toBe(GrpcStatus.PERMISSION_DENIED);
  });

  it('refuses who has no certificate, and one that a stranger signed', async () => {
    for (const environment of [{}, certificate('gateway', 'stranger')]) {
      const error = await failure(call(environment));
      expect([GrpcStatus.UNAVAILABLE, GrpcStatus.DEADLINE_EXCEEDED]).toContain(error.grpc_status);
    }
  });
});
