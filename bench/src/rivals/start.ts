import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePortRow, startNatsServer, startPostgresServer } from '@credit/servers';
import pg from 'pg';
import { FOLDER } from './build';
import type { Rival } from './rivals';

/** A rival that serves, with a member and accounts of its own, one a subject. */
export interface RunningRival {
  readonly base_url: string;
  readonly token: string;
  readonly accounts: readonly { id: string; subject_id: string }[];
  /** Of everything that it is made of, its PostgreSQL and NATS too. */
  readonly pids: readonly number[];
  /** The superuser's. */
  readonly admin_url: string;
  output(): string;
  stop(): Promise<void>;
}

/** Of each process. */
const POOL_SIZE = 16;
const COUNTING_POOL_SIZE = 4;
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const PAYMENTS_PER_ACCOUNT = 6;

/** Starts a rival on servers of its own, with the settings that `npm start` gives the network's. */
export async function startRival(rival: Rival, account_count: number): Promise<RunningRival> {
  const data_directory = await mkdtemp(path.join(tmpdir(), `credit-${rival.name}-`));
  const stops: (() => Promise<unknown>)[] = [
    () => rm(data_directory, { recursive: true, force: true }),
  ];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  const pids: number[] = [];
  let output = '';
  try {
    const postgres = await startPostgresServer({
      data_directory: path.join(data_directory, 'postgres'),
      settings: { fsync: process.env['POSTGRES_FSYNC'] === 'off' ? 'off' : 'on' },
    });
    stops.push(() => postgres.stop());
    pids.push(postgres.pid);
    const { token, accounts } = await prepare(postgres.admin_url, account_count);
    const environment: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: postgres.admin_url,
      DB_POOL_SIZE: `${POOL_SIZE}`,
      DB_COUNTING_POOL_SIZE: `${COUNTING_POOL_SIZE}`,
      RATE_LIMIT_PER_MINUTE: '100000000',
    };
    if (rival.uses_nats) {
      const nats = await startNatsServer({ data_directory: path.join(data_directory, 'nats') });
      stops.push(() => nats.stop());
      pids.push(nats.pid);
      environment['NATS_URL'] = nats.url;
    }
    const first_port = await freePortRow(rival.processes.length);
    rival.processes.forEach((process_path, index) => {
      const name = path.basename(process_path).toUpperCase();
      environment[`${name}_PORT`] = `${first_port + index}`;
    });
    let port = 0;
    for (const process_path of rival.processes) {
      const child = fork(path.join(FOLDER, 'dist', `${process_path}.js`), [], {
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      stops.push(() => end(child));
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
      }
      if (child.pid !== undefined) pids.push(child.pid);
      port = await portOf(child, process_path);
    }
    return {
      base_url: `http://127.0.0.1:${port}/api/v1`,
      token,
      accounts,
      pids,
      admin_url: postgres.admin_url,
      output: () => output,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`The rival ${rival.name} did not start: ${error}\n${output}`);
  }
}

/** Waits until a process says where it serves. */
async function portOf(child: ChildProcess, name: string): Promise<number> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), READY_TIMEOUT_MS);
  try {
    const [message] = await Promise.race([
      once(child, 'message', { signal: late.signal }),
      once(child, 'exit', { signal: late.signal }).then(() => {
        throw new Error(`${name} ended before it served.`);
      }),
    ]);
    return (message as { port: number }).port;
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** The schema, a member with a key, and accounts with half a year of payments. */
async function prepare(admin_url: string, count: number) {
  const token = `svc_live_${randomBytes(36).toString('base64url')}`;
  const client = new pg.Client({ connectionString: admin_url });
  await client.connect();
  try {
    await client.query(await readFile(path.join(FOLDER, 'schema.sql'), 'utf8'));
    const { rows: institutions } = await client.query<{ id: string }>(
      `INSERT INTO identity.institutions (id, name, status)
       VALUES (gen_random_uuid(), 'Bench Lender', 'ACTIVE') RETURNING id`,
    );
    const institution_id = institutions[0]?.id;
    await client.query(
      `INSERT INTO identity.api_keys (id, institution_id, secret_hash, scopes)
       VALUES (gen_random_uuid(), $1, $2, ARRAY['credit:report', 'credit:read'])`,
      [institution_id, createHash('sha256').update(token).digest()],
    );
    await client.query(
      `INSERT INTO reporting.subjects (id, type, current_username)
       SELECT gen_random_uuid(), 'INDIVIDUAL', 'bench-' || n FROM generate_series(1, $1::integer) AS n`,
      [count],
    );
    const { rows: accounts } = await client.query<{ id: string; subject_id: string }>(
      `INSERT INTO reporting.accounts
         (id, subject_id, institution_id, external_account_id, account_type, status,
          original_principal_minor, balance_minor, payments, version, opened_at, updated_at)
       SELECT gen_random_uuid(), id, $1, current_username, 'TERM_LOAN', 'CURRENT', 500000,
         500000 - $2::integer * 10000, $2, $2, '2024-01-01', now()
       FROM reporting.subjects RETURNING id, subject_id`,
      [institution_id, PAYMENTS_PER_ACCOUNT],
    );
    await client.query(
      `WITH event AS (
         INSERT INTO reporting.credit_events
           (id, account_id, subject_id, sequence, event_type, occurred_at, reported_at,
            amount_minor, balance_after_minor, resulting_status)
         SELECT gen_random_uuid(), id, subject_id, n, 'PAYMENT_MADE',
           timestamptz '2024-12-01' + n * interval '1 month', now(), 10000, 500000 - n * 10000, 'CURRENT'
         FROM reporting.accounts, generate_series(1, $1::integer) AS n
         RETURNING id, subject_id, reported_at
       )
       INSERT INTO scoring.snapshots (event_id, subject_id, score, created_at)
       SELECT id, subject_id, 640, reported_at FROM event`,
      [PAYMENTS_PER_ACCOUNT],
    );
    await client.query('ANALYZE');
    return { token, accounts };
  } finally {
    await client.end();
  }
}
