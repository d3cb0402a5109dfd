import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { provision, roleName } from './provision';

const admin_url = process.env.TEST_DATABASE_ADMIN_URL ?? '';
// Roles belong to the server, so each run needs names of its own.
const unique = randomBytes(4).toString('hex');
const database = `provision_${unique}`;
const lending = `lending${unique}`;
const billing = `billing${unique}`;
const options = { database, services: [lending, billing, 'identity'] };

describe('provisioning', () => {
  afterAll(async () => {
    await query(admin_url, `DROP DATABASE ${database} WITH (FORCE)`);
    for (const service of [lending, billing]) {
      await query(admin_url, `DROP ROLE ${service}_live`);
      await query(admin_url, `DROP ROLE ${service}_test`);
    }
  });

  it('gives each service and environment a role that owns a schema and sees no other', async () => {
    const { services } = await provision(admin_url, options);
    const { live = '', test = '' } = services[lending] ?? {};
    expect(await query(live, 'SELECT current_user AS role, current_schema() AS schema')).toEqual([
      { role: `${lending}_live`, schema: `${lending}_live` },
    ]);
    await query(live, 'CREATE TABLE loans (id int)');
    await query(live, 'INSERT INTO loans VALUES (1)');

    await expect(query(test, 'SELECT * FROM loans')).rejects.toThrow('does not exist');
    for (const other of [test, services[billing]?.live ?? '', services['identity']?.live ?? '']) {
      await expect(query(other, `SELECT * FROM ${lending}_live.loans`)).rejects.toThrow(
        `permission denied for schema ${lending}_live`,
      );
    }
    await expect(query(live, 'CREATE TABLE public.stray (id int)')).rejects.toThrow(
      'permission denied for schema public',
    );
    await expect(query(live, 'CREATE SCHEMA stray')).rejects.toThrow('permission denied');
    expect(await query(live, 'SELECT * FROM loans')).toEqual([{ id: 1 }]);
  });

  it('gives a service that knows no environments one role for both', async () => {
    const { services } = await provision(admin_url, options);
    expect(services['identity']?.live).toBe(services['identity']?.test);
    expect(roleName('identity', 'test')).toBe('identity');
    expect(roleName('scoring', 'test')).toBe('scoring_test');
  });

  it('changes nothing when done again, and by two at once', async () => {
    const first = await provision(admin_url, options);
    await query(first.services[billing]?.live ?? '', 'CREATE TABLE kept AS SELECT 42 AS answer');
    const again = await Promise.all([provision(admin_url, options), provision(admin_url, options)]);
    for (const provisioned of again) expect(provisioned).toEqual(first);
    expect(await query(first.services[billing]?.live ?? '', 'SELECT answer FROM kept')).toEqual([
      { answer: 42 },
    ]);
  });

  it('lets every role match by trigrams', async () => {
    const { services } = await provision(admin_url, options);
    const url = services[lending]?.test ?? '';
    await query(url, 'CREATE TABLE names (name text)');
    await query(url, 'CREATE INDEX names_trigrams ON names USING gin (name gin_trgm_ops)');
    expect(await query(url, `SELECT similarity('loan', 'loan') AS same`)).toEqual([{ same: 1 }]);
  });

  it('needs no more than to own the database and make roles, as in a cluster', async () => {
    const owner = `provisioner${unique}`;
    const owned = `owned_${unique}`;
    const shipping = `shipping${unique}`;
    await query(admin_url, `CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'of-an-operator'`);
    await query(admin_url, `CREATE DATABASE ${owned} OWNER ${owner}`);
    try {
      const url = new URL(admin_url);
      Object.assign(url, { username: owner, password: 'of-an-operator', pathname: `/${owned}` });
      const passwords = { [`${shipping}_live`]: 'first', [`${shipping}_test`]: 'other' };
      const given = { database: owned, services: [shipping], passwords };
      await provision(url.href, given);

      const changed = { ...passwords, [`${shipping}_live`]: 'second' };
      const { services } = await provision(url.href, { ...given, passwords: changed });
      const live = services[shipping]?.live ?? '';
      expect(live).toContain(':second@');
      await query(live, 'CREATE TABLE parcels (name text)');
      await query(live, 'CREATE INDEX parcels_trigrams ON parcels USING gin (name gin_trgm_ops)');
    } finally {
      await query(admin_url, `DROP DATABASE ${owned} WITH (FORCE)`);
      for (const role of [`${shipping}_live`, `${shipping}_test`, owner]) {
        await query(admin_url, `DROP ROLE IF EXISTS ${role}`);
      }
    }
  });

  it('takes passwords kept elsewhere, and stops taking the old ones', async () => {
    const before = await provision(admin_url, options);
    const after = await provision(admin_url, {
      ...options,
      passwords: { [`${lending}_test`]: 'p@ss/word' },
    });
    const url = after.services[lending]?.test ?? '';
    expect(new URL(url).password).toBe('p%40ss%2Fword');
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(query(before.services[lending]?.test ?? '', 'SELECT 1')).rejects.toThrow(
      'password authentication failed',
    );
    expect(after.services[billing]).toEqual(before.services[billing]);
  });
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
