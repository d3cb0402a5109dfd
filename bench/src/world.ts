import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import pg from 'pg';

/**
 * A running system with a member and accounts to work on: one half is the system's, the other
 * pgbench's, whose changes no other service is told of.
 */
export interface World {
  readonly system: System;
  readonly member: Member;
  /** The member's key. */
  readonly token: string;
  readonly accounts: readonly { id: string; subject_id: string }[];
  /** The superuser's URL of the same database. */
  readonly admin_url: string;
  stop(): Promise<void>;
}

const AT_ONCE = 16;
const PAYMENTS_PER_ACCOUNT = 6;

const STORES = ['postgres', 'nats'];

/** The processes of a system's services. */
export function servicePids(system: System): number[] {
  const { processes } = system.runRecord();
  return processes.filter(({ name }) => !STORES.includes(name)).map(({ pid }) => pid);
}

/** Starts a system and opens `count` accounts for each side, one a subject, each with so many payments. */
export async function createWorld(
  count: number,
  environment: Record<string, string> = {},
  payments = PAYMENTS_PER_ACCOUNT,
): Promise<World> {
  const system = await startSystem({
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_PER_DAY: '1000000000',
    LOG_LEVEL: 'warn',
    ...environment,
  });
  try {
    const anonymous = new Client(system.base_url);
    const { email, password } = system.superadmin;
    const administrator = await logIn(anonymous, email, password);
    const member = await enrol(anonymous, administrator, 'Bench Lender');
    const accounts = await openAccounts(member.key, count, payments, 'system');
    const limit_accounts = await openAccounts(member.key, count, payments, 'limit');
    const { admin_url } = system.runRecord();
    await prepareDatabase(
      admin_url,
      limit_accounts.map((account) => account.id),
    );
    return {
      system,
      member,
      token: member.key.token ?? '',
      accounts,
      admin_url,
      stop: () => system.stop(),
    };
  } catch (error) {
    await system.stop();
    throw error;
  }
}

async function openAccounts(key: Client, count: number, payments: number, side: string) {
  const accounts: { id: string; subject_id: string }[] = [];
  for (let done = 0; done < count; ) {
    const size = Math.min(100, count - done);
    const subjects: string[] = [];
    while (subjects.length < size) {
      const some = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, size - subjects.length) }, () =>
          key.create('/subjects', {
            type: 'INDIVIDUAL',
            game_uuid: randomUUID(),
            current_username: `bench-${randomUUID()}`,
          }),
        ),
      );
      subjects.push(...some.map((subject) => subject.id));
    }
    const opened = await key.create(
      '/accounts/bulk',
      {
        accounts: subjects.map((subject_id) => ({
          subject_id,
          external_account_id: `bench-${subject_id}`,
          account_type: 'TERM_LOAN',
          original_principal: 5000,
          opened_at: '2024-01-01T00:00:00Z',
        })),
      },
      `bench-${side}-accounts-${done}`,
    );
    for (const account of opened.accounts as Json[]) {
      accounts.push({ id: account.id, subject_id: account.subject_id });
    }
    for (let payment = 1; payment <= payments; payment += 1) {
      await key.create(
        '/events/bulk',
        {
          events: opened.accounts.map((account: Json) => ({
            credit_account_id: account.id,
            event_type: 'PAYMENT_MADE',
            // A payment a month.
            occurred_at: new Date(Date.UTC(2025, payment - 1)).toISOString(),
            amount: 100,
            balance_after: 5000 - 100 * payment,
          })),
        },
        `bench-${side}-events-${done}-${payment}`,
      );
    }
    done += size;
  }
  return accounts;
}

/** What pgbench scripts stand on: a numbered list of accounts, and an outbox that nobody relays. */
async function prepareDatabase(admin_url: string, account_ids: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: admin_url });
  await client.connect();
  try {
    await client.query('SET search_path = reporting_live');
    await client.query(
      `CREATE TABLE bench_accounts AS
         SELECT row_number() OVER ()::integer AS n, id AS account_id, subject_id, institution_id
         FROM accounts WHERE id = ANY ($1::uuid[])`,
      [account_ids],
    );
    await client.query('CREATE UNIQUE INDEX ON bench_accounts (n)');
    await client.query('CREATE TABLE bench_outbox (LIKE outbox INCLUDING ALL)');
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

/** The URL with another search path: how a session sees a service's schema. */
export function inSchemas(
  admin_url: string,
  schemas: string,
  settings: Readonly<Record<string, string>> = { TimeZone: 'UTC' },
): string {
  const url = new URL(admin_url);
  const options = Object.entries({ ...settings, search_path: schemas });
  url.searchParams.set('options', options.map(([name, value]) => `-c ${name}=${value}`).join(' '));
  // libpq does not read "+" as a space.
  return url.href.replaceAll('+', '%20');
}
