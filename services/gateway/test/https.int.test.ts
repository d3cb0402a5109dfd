// The gateway with a certificate: its proxies check who it is, and what they are told is told to nobody
// else on the way.

import { copyFileSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { CertificateFolder } from '@credit/testing';
import { API_KEY, TestGateway } from './support/gateway';
import { send } from './support/http-client';
import { until } from './support/until';

const RELOAD_MS = '20';

const folder = new CertificateFolder();
const gateway = new TestGateway();
const kept = new Agent({ keepAlive: true, maxSockets: 1 });

/** Has the gateway's files hold a new certificate of an authority. */
function issue(authority: string): void {
  const { TLS_CERT_FILE = '', TLS_KEY_FILE = '' } = folder.certificate('gateway', authority);
  copyFileSync(TLS_KEY_FILE, folder.file('served.key'));
  copyFileSync(TLS_CERT_FILE, folder.file('served.crt'));
}

beforeAll(async () => {
  folder.authority('authority');
  folder.authority('stranger');
  issue('authority');
  process.env['TLS_RELOAD_MS'] = RELOAD_MS;
  await gateway.start({
    HTTPS_CERT_FILE: folder.file('served.crt'),
    HTTPS_KEY_FILE: folder.file('served.key'),
  });
}, 60_000);

afterAll(async () => {
  delete process.env['TLS_RELOAD_MS'];
  kept.destroy();
  await gateway.stop();
  folder.remove();
});

interface Answer {
  readonly status: number | undefined;
  readonly hsts: string | undefined;
  readonly serial: string;
}

/** As a proxy asks that checks the certificate for the name `gateway`. */
function ask(path: string, authority: string, agent?: Agent): Promise<Answer> {
  const headers = { Authorization: `Bearer ${API_KEY}` };
  const ca = readFileSync(folder.file(`${authority}.crt`));
  const where = { host: '127.0.0.1', port: gateway.port, servername: 'gateway', path, headers, ca };
  return new Promise((resolve, reject) => {
    get({ ...where, agent: agent ?? false }, (response) => {
      const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
      const { statusCode: status, headers: answered } = response;
      response.resume();
      response.on('end', () =>
        resolve({ status, hsts: answered['strict-transport-security'], serial: serialNumber }),
      );
    }).on('error', reject);
  });
}

test.each(['/healthz', '/readyz', '/docs', '/api/v1/public/status'])(
  '%s is served over TLS, and asks browsers to stay there',
  async (path) => {
    const { status, hsts } = await ask(path, 'authority');
    expect(status).toBe(200);
    expect(hsts).toContain('max-age');
  },
  60_000,
);

test('who believes another authority, or looks for another name, does not go on', async () => {
  await expect(ask('/healthz', 'stranger')).rejects.toMatchObject({
    message: expect.stringMatching(/self-signed|unable to (get|verify)/),
  });
  const socket = connect({
    host: '127.0.0.1',
    port: gateway.port,
    servername: 'elsewhere',
    ca: readFileSync(folder.file('authority.crt')),
  });
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.on('error', resolve));
  expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a renewed certificate is shown on new connections, and open ones go on', async () => {
  const { serial: first } = await ask('/healthz', 'authority', kept);
  // Half of a renewal: it is passed over.
  const { TLS_KEY_FILE = '' } = folder.certificate('other', 'authority');
  copyFileSync(folder.file('served.key'), folder.file('served-before.key'));
  copyFileSync(TLS_KEY_FILE, folder.file('served.key'));
  await new Promise((resolve) => setTimeout(resolve, 5 * Number(RELOAD_MS)));
  expect((await ask('/healthz', 'authority')).serial).toBe(first);
  copyFileSync(folder.file('served-before.key'), folder.file('served.key'));

  issue('authority');
  await until(async () => (await ask('/healthz', 'authority')).serial !== first);
  expect((await ask('/healthz', 'authority', kept)).serial).toBe(first);
}, 60_000);

test('who speaks plain HTTP, or breaks off, is told nothing and harms nobody', async () => {
  await expect(send(gateway.port, { path: '/healthz' })).rejects.toThrow();
  const socket = connectPlain(gateway.port, '127.0.0.1');
  socket.write(Buffer.from('16030100050100000100', 'hex'));
  const sent: Buffer[] = [];
  socket.on('data', (chunk) => sent.push(chunk));
  socket.on('error', () => {});
  await new Promise((resolve) => socket.on('close', resolve));
  // At most an alert of TLS.
  expect(Buffer.concat(sent).toString('latin1')).not.toContain('HTTP');
  expect((await ask('/healthz', 'authority')).status).toBe(200);
});

test.each([
  [{ HTTPS_CERT_FILE: 'served.crt' }, 'HTTPS_CERT_FILE and HTTPS_KEY_FILE go together'],
  [{ HTTPS_KEY_FILE: 'served.key' }, 'HTTPS_CERT_FILE and HTTPS_KEY_FILE go together'],
  [
    { HTTPS_CERT_FILE: 'none.crt', HTTPS_KEY_FILE: 'served.key' },
    'The file that HTTPS_CERT_FILE names cannot be read.',
  ],
  [
    { HTTPS_CERT_FILE: 'served.crt', HTTPS_KEY_FILE: 'authority.key' },
    'The key of HTTPS_KEY_FILE is not the one of HTTPS_CERT_FILE.',
  ],
  [
    { HTTPS_CERT_FILE: 'served.key', HTTPS_KEY_FILE: 'served.key' },
    'HTTPS_CERT_FILE or HTTPS_KEY_FILE does not hold PEM.',
  ],
])('with %p it does not start, and says why', async (files, message) => {
  const named = Object.entries(files).map(([name, file]) => [name, folder.file(file)]);
  const second = new TestGateway();
  await second.services.start();
  await expect(second.startGateway(Object.fromEntries(named))).rejects.toThrow(message);
  await second.stop();
});
