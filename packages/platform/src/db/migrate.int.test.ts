import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestDatabase, testDatabase } from '@credit/testing';
import pg from 'pg';
import { isMigrated, migrate } from './migrate';

const MIGRATIONS = path.join(__dirname, 'test-migrations');

describe('migrations of a schema in use', () => {
  let test: TestDatabase;
  let directory: string;
  let client: pg.Client;

  beforeEach(async () => {
    test = await testDatabase('platform', MIGRATIONS);
    directory = await mkdtemp(path.join(tmpdir(), 'migrations-'));
    await cp(MIGRATIONS, directory, { recursive: true });
    client = new pg.Client({ connectionString: test.urls.live });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await test.stop();
    await rm(directory, { recursive: true });
  });

  it('may build an index while others write', async () => {
    await writeFile(
      path.join(directory, '0002_index.sql'),
      '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS notes_at ON notes (at);\n',
    );

    expect(await migrate(test.urls.live, directory)).toEqual(['0002_index.sql']);

    const { rows } = await client.query(
      `SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_at'::regclass`,
    );
    expect(rows).toEqual([{ indisvalid: true }]);
    expect(await migrate(test.urls.live, directory)).toEqual([]);
  });

  it('builds an index anew that was cut off, and waits for whoever began before', async () => {
    await client.query(
      'INSERT INTO notes SELECT gen_random_uuid(), now(), 1 FROM generate_series(1, 2)',
    );
    const cut_off = client.query('CREATE UNIQUE INDEX CONCURRENTLY notes_at ON notes (at)');
    await expect(cut_off).rejects.toThrow('could not create unique index');
    await writeFile(
      path.join(directory, '0002_index.sql'),
      '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS notes_at ON notes (at);\n',
    );
    await client.query('BEGIN');
    await client.query('INSERT INTO notes VALUES (gen_random_uuid(), now(), 1)');
    const migrating = migrate(test.urls.live, directory);
    // Longer than it would wait for what makes others wait.
    await sleep(3_000);
    await client.query('COMMIT');

    expect(await migrating).toEqual(['0002_index.sql']);
    const { rows } = await client.query(
      `SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = 'notes_at'::regclass`,
    );
    expect(rows).toEqual([{ indisvalid: true, indisunique: false }]);
  }, 20_000);

  it('gives up, and changes nothing, where a table is in use for too long', async () => {
    await writeFile(
      path.join(directory, '0002_column.sql'),
      'CREATE TABLE made_first (id uuid PRIMARY KEY);\nALTER TABLE notes ADD COLUMN later text;\n',
    );
    await client.query('BEGIN');
    await client.query('LOCK TABLE notes IN ACCESS SHARE MODE');

    await expect(migrate(test.urls.live, directory)).rejects.toThrow('lock timeout');

    const made = await client.query(`SELECT to_regclass('made_first') AS made`);
    expect(made.rows).toEqual([{ made: null }]);
    await client.query('COMMIT');
    expect(await migrate(test.urls.live, directory)).toEqual(['0002_column.sql']);
  }, 20_000);
});

it('tells whether a schema has had these files, no fewer and no others', async () => {
  const test = await testDatabase('platform', MIGRATIONS);
  const directory = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const client = new pg.Client({ connectionString: test.urls.live });
  await client.connect();
  try {
    await cp(MIGRATIONS, directory, { recursive: true });
    expect(await isMigrated(test.urls.live, directory)).toBe(true);
    await writeFile(path.join(directory, '0002_more.sql'), 'SELECT 1;\n');
    expect(await isMigrated(test.urls.live, directory)).toBe(false);
    await migrate(test.urls.live, directory);
    expect(await isMigrated(test.urls.live, directory)).toBe(true);
    // A newer release was here: that is for the migrator to judge.
    expect(await isMigrated(test.urls.live, MIGRATIONS)).toBe(false);
    await client.query('DROP TABLE schema_migrations');
    expect(await isMigrated(test.urls.live, MIGRATIONS)).toBe(false);
  } finally {
    await client.end();
    await test.stop();
    await rm(directory, { recursive: true });
  }
});
