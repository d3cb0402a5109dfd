import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authority,
  issueServerCertificate,
  keepAuthority,
  keepReceiverCertificate,
} from './authority';

describe('the local certificate authority', () => {
  let folder: string;
  let authority: Authority;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'authority-'));
    authority = await keepAuthority(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('stays the same', async () => {
    expect(await keepAuthority(folder)).toEqual(authority);
    expect(new X509Certificate(authority.cert).ca).toBe(true);
  });

  it('vouches for HTTPS servers under the names it was asked for, and no others', async () => {
    const { cert, key } = await issueServerCertificate(authority, ['127.0.0.1', 'receiver.test']);
    const server = createServer({ cert, key }, (_, response) => response.end('received'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const call = (options: { ca?: string; servername?: string; host?: string }) =>
      new Promise<string>((resolve, reject) => {
        get({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
          response.setEncoding('utf8').once('data', resolve);
        }).once('error', reject);
      });
    try {
      expect(await call({ ca: authority.cert })).toBe('received');
      expect(await call({ ca: authority.cert, servername: 'receiver.test' })).toBe('received');
      await expect(call({ ca: authority.cert, servername: 'other.test' })).rejects.toThrow(
        "does not match certificate's altnames",
      );
      await expect(call({})).rejects.toThrow('unable to');
    } finally {
      server.close();
    }
  });

  describe('keeps a certificate for receivers on this machine', () => {
    const file = () => join(folder, 'authority', 'receiver.pem');
    const certificate = () => new X509Certificate(readFileSync(file()));

    it('that the authority has signed, with a key nobody else can read', async () => {
      await keepReceiverCertificate(folder, authority);
      expect(certificate().verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
      expect(certificate().checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect(certificate().checkHost('localhost')).toBe('localhost');
      expect(statSync(join(folder, 'authority', 'receiver.key')).mode & 0o777).toBe(0o600);
    });

    it('that stays while it is good, and is renewed before it ends', async () => {
      const first = certificate().fingerprint256;
      await keepReceiverCertificate(folder, authority);
      expect(certificate().fingerprint256).toBe(first);
      const soon_ms = certificate().validToDate.getTime() - 29 * 86_400_000;
      await keepReceiverCertificate(folder, authority, soon_ms);
      expect(certificate().fingerprint256).not.toBe(first);
    });

    it('that is made anew when the file is spoilt', async () => {
      writeFileSync(file(), 'not a certificate');
      await keepReceiverCertificate(folder, authority);
      expect(certificate().checkHost('localhost')).toBe('localhost');
    });
  });
});
