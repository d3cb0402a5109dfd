import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, issueServerCertificate, keepAuthority } from './authority';

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
});
