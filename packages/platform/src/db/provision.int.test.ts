import { randomBytes } from 'node:crypto';
import { testLogger } from '@credit/testing';
import pg from 'pg';
import { openDatabase } from './database';
import { LoginInUse, provision, roleName } from './provision';

const admin_url = process.env.TEST_DATABASE_ADMIN_URL ?? '';
// Roles belong to the server, so each run needs names of its own.
const unique = randomBytes(4).toString('hex');
const database = `provision_${unique}`;
const lending = `lending${unique}`;
const billing = `billing${unique}`;
const options = { database, services: [lending, billing] };
// Its role is everybody's on this server: nothing here changes its password.
const with_identity = { database, services: [...options.services, 'identity'] };

describe('provisioning', () => {
  afterAll(async () => {
    await query(admin_url, `DROP DATABASE ${database} WITH (FORCE)`);
    for (const service of [lending, billing]) {
      for (const role of [`${service}_live`, `${service}_test`]) {
        await query(admin_url, `DROP ROLE IF EXISTS ${role}_b, ${role}`);
      }
    }
  });

  it('gives each service and environment a role that owns a schema and sees no other', async () => {
    const { services } = await provision(admin_url, with_identity);
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
    const { services } = await provision(admin_url, with_identity);
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
      const second = { ...given, second_secret: 'two', login: 'second' } as const;
      const as_second = (await provision(url.href, second)).services[shipping]?.live ?? '';
      await query(as_second, 'CREATE TABLE ships (name text)');

      const changed = { ...passwords, [`${shipping}_live`]: 'second' };
      const { services } = await provision(url.href, { ...given, passwords: changed });
      const live = services[shipping]?.live ?? '';
      expect(live).toContain(':second@');
      await query(live, 'CREATE TABLE parcels (name text)');
      await query(live, 'CREATE INDEX parcels_trigrams ON parcels USING gin (name gin_trgm_ops)');
    } finally {
      await query(admin_url, `DROP DATABASE ${owned} WITH (FORCE)`);
      for (const role of [`${shipping}_live`, `${shipping}_test`, owner]) {
        await query(admin_url, `DROP ROLE IF EXISTS ${role}_b, ${role}`);
      }
    }
  });

  it('gives a role a second login that is the same to the schema', async () => {
    const both = { ...options, second_secret: 'of the second' };
    const first = (await provision(admin_url, both)).services[lending]?.live ?? '';
    const second = (await provision(admin_url, { ...both, login: 'second' })).services[lending];
    const live = second?.live ?? '';
    expect(new URL(live).username).toBe(`${lending}_live_b`);
    await query(first, 'CREATE TABLE turns (made_by text)');
    await query(live, 'ALTER TABLE turns ADD COLUMN note text');
    await query(live, 'CREATE TABLE more_turns (id int)');
    await query(first, 'ALTER TABLE more_turns ADD COLUMN note text');
    expect(
      await query(
        live,
        'SELECT session_user AS login, current_user AS role, current_schema() AS s',
      ),
    ).toEqual([{ login: `${lending}_live_b`, role: `${lending}_live`, s: `${lending}_live` }]);
    await expect(query(second?.test ?? '', 'SELECT * FROM turns')).rejects.toThrow('not exist');
    await expect(query(live, `SET ROLE ${billing}_live`)).rejects.toThrow('permission denied');
    await expect(provision(admin_url, { ...options, login: 'second' })).rejects.toThrow(
      'There is no second login',
    );
  });

  it('shows a process before it serves that its login is refused, and not that the server is away', async () => {
    const { services } = await provision(admin_url, options);
    const check = async (change: (url: URL) => void) => {
      const url = new URL(services[lending]?.test ?? '');
      change(url);
      const urls = { live: services[lending]?.live ?? '', test: url.href };
      const db = openDatabase({ service: lending, urls, logger: testLogger });
      await db.requireLogins().finally(() => db.close());
    };
    await check(() => {});
    await expect(
      check((url) => {
        url.password = 'not-known-yet';
      }),
    ).rejects.toThrow(/^The database refuses the login for test data: password .*"\.$/);
    await expect(
      check((url) => {
        url.username = `${lending}_test_c`;
      }),
    ).rejects.toThrow('refuses the login for test data');
    await check((url) => {
      url.port = '1';
    });
  });

  it('changes no password under who uses it, and that of the other login at once', async () => {
    const both = { ...options, second_secret: 'of the second' };
    const used = (await provision(admin_url, both)).services[billing]?.live ?? '';
    const pool = new pg.Pool({ connectionString: used, max: 2 });
    try {
      const held = await pool.connect();
      await expect(provision(admin_url, { ...both, secret: 'another' })).rejects.toThrow(
        new LoginInUse(`${billing}_live`),
      );
      // The pool grows as if nothing had been tried.
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      // What is the same for who uses it is no change.
      const changed = { ...both, second_secret: 'changed', login: 'second' } as const;
      const url = (await provision(admin_url, changed)).services[billing]?.live ?? '';
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      held.release();
    } finally {
      await pool.end();
    }
    // Nobody uses it any more.
    const { services } = await provision(admin_url, { ...both, secret: 'another' });
    expect(await query(services[billing]?.live ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(query(used, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await provision(admin_url, options);
  });

  it('changes nothing for who begins to use it meanwhile', async () => {
    const { services } = await provision(admin_url, options);
    const comer = new pg.Client({ connectionString: services[billing]?.live });
    const query_as_was = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
    let looked = 0;
    const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const answer = await query_as_was.apply(this, args);
      if (String(args[0]).includes('pg_stat_activity') && `${args[1]}` === `${billing}_live`) {
        looked += 1;
        if (looked === 1) await comer.connect();
      }
      return answer;
    } as never);
    try {
      expect(await provision(admin_url, options)).toMatchObject({ services });
      expect(looked).toBeGreaterThan(0);
    } finally {
      spy.mockRestore();
      await comer.end();
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
