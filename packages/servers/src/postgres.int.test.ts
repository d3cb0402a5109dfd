import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort, sendSignal } from './launch';
import { type PostgresServer, type PostgresServerOptions, startPostgresServer } from './postgres';
import { promoteStandby, startPostgresStandby } from './postgres-standby';

const REGISTER = join(__dirname, '../../testing/register-typescript.cjs');
const SETTINGS = { fsync: 'off', shared_buffers: '32MB' };

jest.setTimeout(60_000);

describe('an embedded PostgreSQL server', () => {
  let data_directory: string;
  let running: PostgresServer[] = [];

  beforeEach(() => {
    data_directory = join(mkdtempSync(join(tmpdir(), 'postgres-')), 'data');
  });

  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    running = [];
    rmSync(data_directory, { recursive: true, force: true });
  });

  async function start(options: Partial<PostgresServerOptions> = {}) {
    const server = await startPostgresServer({ data_directory, settings: SETTINGS, ...options });
    running.push(server);
    return server;
  }

  it('keeps its data over a stop and a start', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();

    const second = await start();
    expect(await query(second, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(second.pid).not.toBe(first.pid);
  });

  it('starts again after kill -9, with what was committed', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });

    const second = await start();
    expect(await query(second, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('logs slow and failed statements without what they were given', async () => {
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    const logger = { info: note, warn: note, error: note };
    /** What a server prints about a slow statement, a broken one, a doubled row and a bad value. */
    const logOf = async (settings: Record<string, string>) => {
      lines.length = 0;
      const slow = { ...SETTINGS, log_min_duration_statement: '0', ...settings };
      const server = await start({ settings: slow, logger });
      await query(server, 'CREATE TABLE IF NOT EXISTS people (name text PRIMARY KEY)');
      const insert = 'INSERT INTO people (name) VALUES ($1)';
      await query(server, `${insert} ON CONFLICT DO NOTHING`, ['Ada Lovelace']);
      await expect(query(server, insert, ['Ada Lovelace'])).rejects.toThrow('duplicate key');
      await expect(query(server, 'SELECT $1::integer AS n', ['Ada Lovelace'])).rejects.toThrow(
        'invalid input syntax',
      );
      await server.stop();
      return lines.join('\n');
    };
    const quiet = await logOf({});
    expect(quiet).toContain('INSERT INTO people (name) VALUES ($1)');
    expect(quiet).not.toContain('Lovelace');
    // Each of these lets it out, so the test would see it.
    const leaks: Record<string, string>[] = [
      { log_parameter_max_length: '-1', log_error_verbosity: 'default' },
      { log_min_messages: 'warning', log_error_verbosity: 'default' },
      { log_min_messages: 'warning' },
    ];
    for (const leak of leaks) {
      expect(await logOf(leak)).toContain('Lovelace');
    }
  });

  it('is not stopped by a pid file whose number belongs to somebody else now', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const file = join(data_directory, 'cluster', 'postmaster.pid');
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    const other = process.ppid;
    writeFileSync(file, [`${other}`, ...rest].join('\n'));

    const second = await start();
    expect(await query(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(() => process.kill(other, 0)).not.toThrow();
  });

  it('refuses data on which a server still runs, unless told to take it over', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(
      `A PostgreSQL server (process ${first.pid}) is still running on ${join(data_directory, 'cluster')}; stop it first.`,
    );
    expect(await query(first, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    const second = await start({ take_over: true });
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(await query(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('says so when the wanted port is taken', async () => {
    const other = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    try {
      await expect(start({ port })).rejects.toThrow(/^PostgreSQL did not start on .*: FATAL: /);
    } finally {
      other.close();
    }
  });

  it('is for its owner only: loopback, password, private files', async () => {
    const server = await start();
    expect(await query(server, 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    expect(await query(server, 'SHOW unix_socket_directories')).toEqual([
      { unix_socket_directories: '' },
    ]);
    expect(statSync(data_directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(data_directory, 'superuser.password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(data_directory, 'cluster')).uid).toBe(process.getuid?.());

    const url = new URL(server.admin_url);
    url.password = 'wrong';
    await expect(new Client(url.href).connect()).rejects.toThrow('password authentication failed');
  });

  it('is made for the same answers everywhere: UTF-8, byte order, UTC', async () => {
    const server = await start();
    const [row] = await query(
      server,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('timezone') AS zone,
              datlocprovider AS provider, datlocale AS locale
         FROM pg_database WHERE datname = 'template1'`,
    );
    expect(row).toEqual({ encoding: 'UTF8', zone: 'UTC', provider: 'b', locale: 'C.UTF-8' });
    await query(server, 'CREATE EXTENSION pg_trgm');
  });

  it('is followed by a standby that takes its place with all that was acknowledged', async () => {
    const primary = await start({ log_directory: join(data_directory, 'log') });
    await query(primary, 'CREATE TABLE kept AS SELECT 1 AS answer');
    await query(primary, `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'`);
    await query(primary, 'SELECT pg_reload_conf()');
    const place = join(data_directory, 'standby');
    const standby = await startPostgresStandby({
      data_directory: place,
      log_directory: join(place, 'log'),
      settings: SETTINGS,
      primary: { data_directory, admin_url: primary.admin_url },
      name: 'standby',
    });
    running.push(standby);
    // Answered once it is on both.
    await query(primary, 'INSERT INTO kept VALUES (2)');
    await expect(query(standby, 'INSERT INTO kept VALUES (3)')).rejects.toThrow('read-only');

    sendSignal(primary.pid, 'SIGKILL');
    await primary.exited;
    await promoteStandby(standby);
    const local = 'SET synchronous_commit = local; INSERT INTO kept VALUES (4)';
    await query(standby, local);
    expect(await query(standby, 'SELECT answer FROM kept ORDER BY 1')).toEqual(
      [1, 2, 4].map((answer) => ({ answer })),
    );
  });

  it('goes down with the process that started it, even when that is killed outright', async () => {
    if (process.platform !== 'linux') return;
    const script = `
      const { startPostgresServer } = require(${JSON.stringify(join(__dirname, 'postgres.ts'))});
      startPostgresServer(${JSON.stringify({ data_directory, settings: SETTINGS })}).then((server) => {
        console.log(server.pid);
        setInterval(() => undefined, 1000);
      });`;
    const owner = spawn(process.execPath, ['-r', REGISTER, '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      owner.stdout.once('data', (chunk) => resolve(Number(chunk)));
      owner.once('exit', (code) => reject(new Error(`The owner ended with code ${code}.`)));
    });
    expect(sendSignal(pid, 0)).toBe(true);

    owner.kill('SIGKILL');
    for (let tries = 0; sendSignal(pid, 0) && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(sendSignal(pid, 0)).toBe(false);
    const again = await start();
    expect(await query(again, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

async function query(
  server: PostgresServer,
  text: string,
  values: string[] = [],
): Promise<unknown[]> {
  const client = new Client({ connectionString: server.admin_url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
