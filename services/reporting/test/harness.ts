// The service as others meet it: real PostgreSQL behind it, real encoding in front of it.

import { randomUUID } from 'node:crypto';
import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { isAppError } from '@credit/platform/errors';
import type { Stub } from '@credit/platform/rpc';
import { newId } from '@credit/platform/runtime';
import { Event } from '@credit/proto/events/v1/events';
import {
  type NewAccount,
  type NewEvent,
  ReportingServiceDefinition,
} from '@credit/proto/reporting/v1/reporting';
import {
  type Account,
  type AccountProjection,
  AccountType,
  type CreditEvent,
  EventType,
  type Subject,
  SubjectType,
} from '@credit/proto/reporting/v1/types';
import {
  startTestService,
  type TestDatabase,
  type TestService,
  testDatabase,
  testLogger,
} from '@credit/testing';
import pg from 'pg';
import { build } from '../src/service';
import { keepSubjectRequest } from '../src/store/subject-requests';

/** On a busy machine a database takes its time. */
export const HOOK_TIMEOUT_MS = 60_000;

export type Reporting = Stub<typeof ReportingServiceDefinition>;

/** A clock that a test may move. */
export class TestClock {
  offset_ms = 0;
  now_ms(): number {
    return Date.now() + this.offset_ms;
  }
}

async function serve(database: TestDatabase, db: Database, clock: TestClock): Promise<TestService> {
  const parts = await build({
    config: {
      RPC_ADDRESS: '127.0.0.1:0',
      NATS_STREAM_REPLICAS: 1,
      NATS_URL: 'nats://127.0.0.1:0',
      DATABASE_URL_LIVE: database.urls.live,
      DATABASE_URL_TEST: database.urls.test,
      DB_POOL_SIZE: 8,
      REPORTING_MAX_BATCH: 128,
      EVENT_LOG_SETTLE_S: 300,
      EVENT_LOG_EVERY_S: 3_000,
      EVENT_LOG_POLL_MS: 60_000,
      IMPORT_POLL_MS: 5_000,
      IMPORT_LOAD_PERCENT: 50,
    },
    db,
    logger: testLogger,
    clock,
    newId,
    channel: () => {
      throw new Error('Reporting calls no one.');
    },
  });
  return startTestService([...parts.services]);
}

/** The service on a database of its own, for the tests of one file. */
export class Harness {
  readonly clock = new TestClock();
  private started:
    | { database: TestDatabase; service: TestService; outside: Record<Environment, pg.Pool> }
    | undefined;

  async start(): Promise<void> {
    const database = await testDatabase('reporting');
    const service = await serve(database, database.db, this.clock);
    const outside = {
      live: new pg.Pool({ connectionString: database.urls.live, max: 2 }),
      test: new pg.Pool({ connectionString: database.urls.test, max: 2 }),
    };
    this.started = { database, service, outside };
  }

  async stop(): Promise<void> {
    if (this.started === undefined) return;
    const { database, service, outside } = this.started;
    await service.stop();
    await Promise.all([outside.live.end(), outside.test.end()]);
    await database.stop();
  }

  private get parts() {
    if (this.started === undefined) throw new Error('The harness is not started.');
    return this.started;
  }

  get reporting(): Reporting {
    return this.parts.service.channel.stub(ReportingServiceDefinition);
  }

  /** Where the service listens. */
  get address(): string {
    return this.parts.service.address;
  }

  /** As the service itself connects. */
  /** Of the superuser, in the same database. */
  get admin_url(): string {
    return this.parts.database.admin_url;
  }

  get urls(): Record<Environment, string> {
    return this.parts.database.urls;
  }

  get db(): Database {
    return this.parts.database.db;
  }

  /** Another process on the same database. */
  async replica(): Promise<{ reporting: Reporting; stop(): Promise<void> }> {
    const { database } = this.parts;
    const other = await serve(database, database.open(), this.clock);
    return {
      reporting: other.channel.stub(ReportingServiceDefinition),
      stop: () => other.stop(),
    };
  }

  /** Rows of a query, read from outside the service. */
  async rows<Row>(environment: Environment, text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.parts.outside[environment].query(text, values)).rows as Row[];
  }

  /** Events that wait in the outbox, in the order they were written. */
  async outbox(environment: Environment = 'live'): Promise<Event[]> {
    const found = await this.rows<{ payload: Buffer }>(
      environment,
      'SELECT payload FROM outbox ORDER BY id',
    );
    return found.map((row) => Event.decode(row.payload));
  }

  /** How the others were told that accounts changed, in order. */
  async changesTold(isWanted: (account: AccountProjection) => boolean) {
    return (await this.outbox()).flatMap(({ payload }) => {
      const account = payload?.$case === 'account_changed' ? payload.value.account : undefined;
      return account !== undefined && isWanted(account) ? [account] : [];
    });
  }

  /** What the network was told of a subject's accounts, in order. */
  async noticesTold(subject_id: string): Promise<NoticePayload[]> {
    return (await this.outbox()).flatMap(({ payload }) => {
      const isNotice =
        payload?.$case === 'default_reported' || payload?.$case === 'delinquency_reported';
      return isNotice && payload.value.subject_id === subject_id ? [payload] : [];
    });
  }

  /** Reports one event under a key of its own. */
  async report(ctx: CallContext, event: NewEvent): Promise<CreditEvent> {
    const { event: recorded } = await this.reporting.reportEvent(keyed(ctx), { event });
    if (recorded === undefined) throw new Error('no event');
    return recorded;
  }

  /** Reports a batch under a key of its own. */
  async reportAll(ctx: CallContext, events: NewEvent[]): Promise<CreditEvent[]> {
    return (await this.reporting.reportEvents(keyed(ctx), { events })).events;
  }

  /** Has a subject use an access link of an institution, at the time of the clock. */
  async asked(subject_id: string, { environment, institution_id }: CallContext): Promise<void> {
    const asked_at = new Date(this.clock.now_ms()).toISOString();
    const asked = { subject_id, institution_id: institution_id ?? '', asked_at };
    await keepSubjectRequest(this.db.read(systemContext(environment)), asked);
  }

  /** The account as it is now. */
  async accountNow(ctx: CallContext, account_id: string): Promise<Account> {
    const { account } = await this.reporting.getAccount(ctx, { account_id });
    if (account === undefined) throw new Error('no account');
    return account;
  }

  /** The account's last hundred events, newest first. */
  async eventsOf(ctx: CallContext, account_id: string): Promise<CreditEvent[]> {
    return (await this.reporting.listAccountEvents(ctx, { account_id, limit: 100 })).events;
  }
}

type NoticePayload = Extract<
  NonNullable<Event['payload']>,
  { $case: 'default_reported' | 'delinquency_reported' }
>;

/** A harness that lives as long as the tests of the file that asks for it. */
export function useHarness(): Harness {
  const harness = new Harness();
  beforeAll(() => harness.start(), HOOK_TIMEOUT_MS);
  afterAll(() => harness.stop(), HOOK_TIMEOUT_MS);
  return harness;
}

export function institution(
  institution_id: string = randomUUID(),
  overrides: Partial<CallContext> = {},
): CallContext {
  return systemContext('live', {
    institution_id,
    actor: { type: 'api_key', id: randomUUID() },
    request_id: randomUUID(),
    ...overrides,
  });
}

/** The person whom the subject is. */
export function personOf(subject_id: string, overrides: Partial<CallContext> = {}): CallContext {
  return systemContext('live', {
    actor: { type: 'person', id: subject_id },
    request_id: randomUUID(),
    ...overrides,
  });
}

/** The same caller with an idempotency key. */
export function keyed(ctx: CallContext, idempotency_key: string = randomUUID()): CallContext {
  return { ...ctx, idempotency_key, reply_metadata: new Map() };
}

export async function newSubject(reporting: Reporting, ctx: CallContext): Promise<Subject> {
  const { subject } = await reporting.createSubject(ctx, {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: `user ${randomUUID()}`,
  });
  if (subject === undefined) throw new Error('no subject');
  return subject;
}

export function accountOf(subject_id: string, overrides: Partial<NewAccount> = {}): NewAccount {
  return {
    subject_id,
    external_account_id: randomUUID(),
    account_type: AccountType.TERM_LOAN,
    original_principal_minor: 100_000n,
    opened_at: '2025-01-15T00:00:00.000Z',
    ...overrides,
  };
}

export async function newAccount(
  reporting: Reporting,
  ctx: CallContext,
  overrides: Partial<NewAccount> = {},
): Promise<Account> {
  const subject_id = overrides.subject_id ?? (await newSubject(reporting, ctx)).id;
  const { account } = await reporting.createAccount(keyed(ctx), {
    account: accountOf(subject_id, overrides),
  });
  if (account === undefined) throw new Error('no account');
  return account;
}

/** A payment some days after the account was opened. */
export function payment(
  account: Pick<Account, 'id'>,
  day: number,
  overrides: Partial<NewEvent> = {},
): NewEvent {
  return {
    credit_account_id: account.id,
    event_type: EventType.PAYMENT_MADE,
    occurred_at: onDay(day),
    amount_minor: 1_000n,
    ...overrides,
  };
}

export function onDay(day: number): string {
  return new Date(Date.UTC(2025, 0, 15) + day * 86_400_000).toISOString();
}

/** The error code of a call that must fail, with its message, its paths and what is there already. */
export async function refusal(call: Promise<unknown>): Promise<{
  code: string;
  message: string;
  paths: string[];
  existing_id: string | undefined;
  existing_ids: (string | undefined)[];
  reason: string | undefined;
}> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return {
      code: error.code,
      message: error.message,
      paths: error.details.map((detail) => detail.path),
      existing_id: error.existing_id,
      existing_ids: error.details.map((detail) => detail.existing_id),
      reason: error.reason,
    };
  }
  throw new Error('The call was accepted.');
}
