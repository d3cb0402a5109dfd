import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { overdueStatement } from '@credit/platform/db';
import pg from 'pg';
import { type TestDatabase, testDatabase } from './database';
import { retentionOf, SERVICES, with_schema } from './retention-of';
import { describeSchema } from './schema';

describe.each(with_schema)("%s's schema.sql", (service) => {
  const file = path.join(SERVICES, service, 'schema.sql');
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(service);
  }, 60_000);
  afterAll(() => database.stop());

  it('is what the migrations make: UPDATE_GOLDEN=1 writes it anew', async () => {
    const made =
      '-- What the migrations make together, to be read in one piece. Generated; see CONTRIBUTING.md.\n\n' +
      (await describeSchema(database.urls.live));
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, made);
    expect(readFileSync(file, 'utf8')).toBe(made);
  });

  it('has records of idempotency keys just where commands take such keys', () => {
    const src = path.join(SERVICES, service, 'src');
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(path.join(src, name), 'utf8'));
    const takes_keys = texts.some((text) => text.includes('keyedWrite('));
    expect(texts.some((text) => text.includes('keyed_writes: true'))).toBe(takes_keys);
    expect(readFileSync(file, 'utf8').includes('TABLE idempotency_records')).toBe(takes_keys);
  });

  it('has a time to be kept for each table, and a true end for those that are deleted', async () => {
    const declared = retentionOf(service);
    const tables = [...readFileSync(file, 'utf8').matchAll(/^CREATE TABLE (\w+) \(/gm)].map(
      ([, name]) => name,
    );
    expect(Object.keys(declared).sort()).toEqual(tables.sort());
    const overdue = overdueStatement(service, declared);
    if (overdue === undefined) throw new Error(`${service} deletes nothing.`);
    const rows = await database.db.read(systemContext('live')).query(overdue);
    const with_end = Object.entries(declared).filter(([, { ends }]) => ends !== undefined);
    expect(rows).toEqual(with_end.map(([table]) => ({ table, overdue_s: 0 })));
  });

  it('is the same for test as for live data', async () => {
    const { live, test } = database.urls;
    expect(await describeSchema(test)).toBe(await describeSchema(live));
  });

  it('makes the schema that it describes', async () => {
    const expected = await describeSchema(database.urls.live);
    const client = new pg.Client({ connectionString: database.urls.live });
    await client.connect();
    try {
      const { rows } = await client.query(
        `SELECT format('DROP TABLE IF EXISTS %I CASCADE', tablename) AS text FROM pg_tables
         WHERE schemaname = current_schema()
         UNION ALL
         SELECT format('DROP FUNCTION %s CASCADE', oid::regprocedure) FROM pg_proc
         WHERE pronamespace = current_schema()::regnamespace`,
      );
      for (const { text } of rows) await client.query(text);
      expect(await describeSchema(database.urls.live)).toBe('\n');
      await client.query(readFileSync(file, 'utf8'));
    } finally {
      await client.end();
    }
    expect(await describeSchema(database.urls.live)).toBe(expected);
  });
});

describe('a description', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await testDatabase('disputes');
    client = new pg.Client({ connectionString: database.urls.live });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.stop();
  });

  it.each([
    'ALTER TABLE disputes ADD COLUMN extra text',
    'ALTER TABLE disputes ALTER COLUMN extra SET NOT NULL',
    "ALTER TABLE disputes ALTER COLUMN extra SET DEFAULT 'x'",
    'ALTER TABLE disputes ALTER COLUMN extra SET STORAGE EXTERNAL',
    "ALTER TABLE disputes ADD CONSTRAINT extra CHECK (extra <> 'y')",
    'ALTER TABLE disputes SET (fillfactor = 70)',
    'CREATE INDEX extra ON disputes (extra) WHERE extra IS NOT NULL',
    'CREATE TABLE extras (id uuid PRIMARY KEY, dispute_id uuid REFERENCES disputes)',
    "CREATE FUNCTION extra() RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
    `CREATE TRIGGER extra BEFORE UPDATE ON disputes
     FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  ])('shows the difference of %s', async (change) => {
    const before = await describeSchema(database.urls.live);
    await client.query(change);
    expect(await describeSchema(database.urls.live)).not.toBe(before);
  });

  it.each([
    ['view', 'CREATE VIEW seen AS SELECT 1 AS one', 'DROP VIEW seen'],
    ['type', "CREATE TYPE mood AS ENUM ('good')", 'DROP TYPE mood'],
    ['sequence', 'CREATE SEQUENCE numbers', 'DROP SEQUENCE numbers'],
  ])('does not pass over a %s in silence', async (_kind, make, drop) => {
    await client.query(make);
    await expect(describeSchema(database.urls.live)).rejects.toThrow('does not know of');
    await client.query(drop);
  });
});
