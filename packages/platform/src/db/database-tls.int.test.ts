import { copyFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, sendSignal, startPostgresServer } from '@credit/servers';
import { CertificateFolder, testLogger } from '@credit/testing';
import { openDatabase } from '.';

const folder = new CertificateFolder();
let server: PostgresServer;

const believe = (...authorities: string[]) => folder.bundle('believed', ...authorities);

function issue(authority: string): void {
  folder.certificate('localhost', authority);
  for (const ending of ['key', 'crt']) {
    copyFileSync(folder.file(`localhost-${authority}.${ending}`), folder.file(`server.${ending}`));
  }
}

beforeAll(async () => {
  for (const authority of ['old', 'next']) folder.authority(authority);
  issue('old');
  server = await startPostgresServer({
    data_directory: folder.file('data'),
    settings: {
      fsync: 'off',
      ssl: 'on',
      ssl_cert_file: folder.file('server.crt'),
      ssl_key_file: folder.file('server.key'),
    },
  });
}, 120_000);
afterAll(async () => {
  await server.stop();
  folder.remove();
});

// As in a cluster: with the very URL of the manifests, in one pool that is never opened anew.
it('grows while one authority follows another and the server shows another certificate', async () => {
  believe('old');
  const url = new URL(server.admin_url);
  url.hostname = 'localhost';
  url.search = `sslmode=verify-full&sslrootcert=${folder.file('believed.crt')}`;
  const urls = { live: url.href, test: url.href };
  const db = openDatabase({ service: 'growing', urls, pool_size: 10, logger: testLogger });
  const held: { release(): void }[] = [];
  /** One more connection, while all before are in use. */
  const grow = async () => {
    const client = await db.pool('live').connect();
    held.push(client);
    const { rows } = await client.query<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    expect(rows).toEqual([{ ssl: true }]);
  };
  try {
    await grow();
    believe('old', 'next');
    await grow();
    issue('next');
    sendSignal(server.pid, 'SIGHUP');
    await sleep(500);
    await grow();
    believe('next');
    await grow();
    expect(db.usage().total).toBe(4);
    believe('old');
    await expect(db.pool('live').connect()).rejects.toThrow('certificate');
  } finally {
    for (const client of held) client.release();
    await db.close();
  }
}, 60_000);
