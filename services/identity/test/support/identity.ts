import { type CallContext, systemContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { ErrorCode } from '@credit/platform/errors';
import { isAppError } from '@credit/platform/errors';
import type { Stub } from '@credit/platform/rpc';
import {
  Background,
  type Clock,
  loadConfig,
  newId,
  systemClock,
  type Worker,
} from '@credit/platform/runtime';
import { Event } from '@credit/proto/events/v1/events';
import * as identity from '@credit/proto/identity/v1/identity';
import {
  type AuthorizeCheck,
  type AuthorizeResult,
  type IdentityServiceDefinition,
  LimitClass,
  type LoginResponse,
  type Role,
} from '@credit/proto/identity/v1/identity';
import { startTestService, type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import pg from 'pg';
import type { AuditEntry } from '../../src/commands/record-audit-events';
import { configSchema } from '../../src/config';
import { build } from '../../src/service';

let ahead_ms = 0;

/** The service's clock, which {@link passTime} sets forward. PostgreSQL keeps its own. */
const clock: Clock = { ...systemClock, now_ms: () => systemClock.now_ms() + ahead_ms };

/** What the service's clock says. */
export const now_ms = (): number => clock.now_ms();

export function passTime(ms: number): void {
  ahead_ms += ms;
}

export type IdentityStub = Stub<typeof IdentityServiceDefinition>;

export const SUPERADMIN = { email: 'root@network.example', password: 'nine quiet harbour lamps' };
/** Known to nobody but the tests. */
export const SIGNING_KEY = Buffer.alloc(32, 7).toString('base64');
export const FACTOR_KEY = Buffer.alloc(32, 8).toString('base64');
export const PASSWORD = 'seven small brass bells';

/** The service on a database of its own, called over a real socket. */
export interface Identity {
  readonly stub: IdentityStub;
  readonly database: TestDatabase;
  /** What the superuser sees of identity's tables, and how time is turned. */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Locks rows, starts calls that need them, and lets go once `waiting` of them wait for a
   * lock: they then run into each other as they would at the worst moment.
   */
  collide<T>(
    rows: { text: string; values: unknown[] },
    waiting: number,
    start: () => Promise<T>[],
  ): Promise<PromiseSettledResult<T>[]>;
  /** The same database behind a second replica, with other settings if need be. */
  replica(settings?: Record<string, string>): Promise<IdentityStub>;
  stop(): Promise<void>;
}

/** Who most tests need beside the service itself. */
export interface Scene extends Identity {
  /** The first superadmin, signed in. */
  readonly admin: CallContext;
  /** An institution with its owner, signed in. */
  readonly member: Member;
}

// A test may have to wait for the next minute, on a machine that does other things too.
const TIMEOUT_MS = 60_000;

/**
 * The service for the tests of a file: started before the first and stopped after the last of
 * them. `prepare` does what else has to be there.
 */
export function useIdentity(
  settings: Record<string, string> | (() => Record<string, string>) = {},
  prepare: (scene: Scene) => Promise<void> = async () => {},
): Scene {
  jest.setTimeout(TIMEOUT_MS);
  let scene: Scene | undefined;
  beforeAll(async () => {
    const identity = await startIdentity(typeof settings === 'function' ? settings() : settings);
    const admin = await loginSuperadmin(identity.stub);
    scene = { ...identity, admin, member: await makeMember(identity.stub, admin) };
    await prepare(scene);
  }, TIMEOUT_MS);
  afterAll(() => scene?.stop(), TIMEOUT_MS);
  const started = () => {
    if (scene === undefined) throw new Error('Identity has not started yet.');
    return scene;
  };
  return {
    get stub() {
      return started().stub;
    },
    get database() {
      return started().database;
    },
    get admin() {
      return started().admin;
    },
    get member() {
      return started().member;
    },
    sql: (text, values) => started().sql(text, values),
    collide: (rows, waiting, start) => started().collide(rows, waiting, start),
    replica: (changed) => started().replica(changed),
    stop: () => started().stop(),
  };
}

export async function startIdentity(settings: Record<string, string> = {}): Promise<Identity> {
  const database = await testDatabase('identity');
  const outside = new pg.Pool({
    connectionString: database.admin_url,
    max: 2,
    options: '-c search_path=identity -c TimeZone=UTC',
  });
  const stops: Array<() => Promise<void>> = [];
  const replica = async (changed: Record<string, string> = {}) => {
    const config = loadConfig(configSchema, {
      RPC_ADDRESS: '127.0.0.1:0',
      NATS_URL: 'nats://127.0.0.1:1',
      DATABASE_URL: database.urls.live,
      BOOTSTRAP_EMAIL: SUPERADMIN.email,
      BOOTSTRAP_PASSWORD: SUPERADMIN.password,
      AUDIT_SIGNING_KEY: SIGNING_KEY,
      SECOND_FACTOR_KEY: FACTOR_KEY,
      ...settings,
      ...changed,
    });
    const parts = await build({
      config,
      db: database.open(),
      logger: testLogger,
      clock,
      newId,
      channel: () => {
        throw new Error('identity calls nobody');
      },
    });
    const service = await startTestService(parts.services);
    for (const worker of parts.workers ?? []) {
      // Counts from the first batch on.
      if (!(worker instanceof Background) || worker.name !== 'rate-store') continue;
      await worker.once();
      worker.start();
    }
    stops.push(async () => {
      await service.stop();
      await Promise.all((parts.workers ?? []).map((worker: Worker) => worker.stop()));
    });
    return service.channel.stub(identity.IdentityServiceDefinition);
  };
  return {
    stub: await replica(),
    database,
    sql: async <Row>(text: string, values: unknown[] = []) =>
      (await outside.query(text, values)).rows as Row[],
    async collide(rows, waiting, start) {
      const holder = await outside.connect();
      try {
        await holder.query('BEGIN');
        await holder.query(rows.text, rows.values);
        const calls = start();
        for (let round = 0; round < 500; round += 1) {
          const found = await outside.query(
            `SELECT FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          if ((found.rowCount ?? 0) >= waiting) break;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await holder.query('COMMIT');
        return await Promise.allSettled(calls);
      } finally {
        holder.release();
      }
    },
    replica,
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await outside.end();
      await database.stop();
    },
  };
}

/** A call of nobody known. */
export function anonymous(overrides: Partial<CallContext> = {}): CallContext {
  return systemContext('live', {
    actor: { type: 'anonymous', id: '' },
    request_id: 'test-request',
    ...overrides,
  });
}

/** A call of a user, as the gateway makes it from an authorised token. */
export function asUser(
  signed_in: LoginResponse,
  overrides: Partial<CallContext> = {},
): CallContext {
  const user = signed_in.user?.user;
  return anonymous({
    actor: { type: 'user', id: user?.id ?? '' },
    institution_id: user?.institution_id ?? '',
    ...overrides,
  });
}

export function login(stub: IdentityStub, email: string, password: string): Promise<LoginResponse> {
  return stub.login(anonymous(), { email, password, client_address: '192.0.2.1' });
}

export async function loginSuperadmin(stub: IdentityStub): Promise<CallContext> {
  return asUser(await login(stub, SUPERADMIN.email, SUPERADMIN.password));
}

let members = 0;

/** An institution with its first owner, made as an operator makes it. */
export interface Member {
  readonly institution_id: string;
  readonly owner: CallContext;
  readonly owner_email: string;
  readonly signed_in: LoginResponse;
}

export async function makeMember(stub: IdentityStub, admin: CallContext): Promise<Member> {
  members += 1;
  const owner_email = `keeper${members}@lighthouse.example`;
  const { id } = await stub.submitApplication(anonymous(), {
    institution_name: `Lighthouse ${members}`,
    contact_name: 'Ada Keeper',
    contact_email: owner_email,
  });
  const { institution, invitation } = await stub.reviewApplication(admin, {
    application_id: id,
    status: identity.ApplicationStatus.APPROVED,
  });
  await stub.acceptInvitation(anonymous(), {
    token: invitation?.token ?? '',
    display_name: 'Ada Keeper',
    password: PASSWORD,
  });
  const signed_in = await login(stub, owner_email, PASSWORD);
  return {
    institution_id: institution?.id ?? '',
    owner: asUser(signed_in),
    owner_email,
    signed_in,
  };
}

/** Another user of the member's institution. */
export async function addUser(
  stub: IdentityStub,
  member: Member,
  role: Role,
): Promise<{ email: string; signed_in: LoginResponse; ctx: CallContext }> {
  members += 1;
  const email = `mate${members}@lighthouse.example`;
  const { invitation } = await stub.createInvitation(member.owner, { email, role });
  await stub.acceptInvitation(anonymous(), {
    token: invitation?.token ?? '',
    display_name: 'Mate',
    password: PASSWORD,
  });
  const signed_in = await login(stub, email, PASSWORD);
  return { email, signed_in, ctx: asUser(signed_in) };
}

export async function makeKey(
  stub: IdentityStub,
  owner: CallContext,
  change: Partial<identity.CreateApiKeyRequest> = {},
): Promise<{ id: string; secret: string }> {
  const { api_key, secret } = await stub.createApiKey(owner, {
    display_name: 'ledger sync',
    scopes: ['credit:read'],
    environment: 'live',
    allowed_ips: [],
    ...change,
  });
  return { id: api_key?.id ?? '', secret };
}

/** A check of a key or token, from an address. */
export function check(secret: string, client_address = '192.0.2.1'): AuthorizeCheck {
  return {
    credential_hash: secret === '' ? Buffer.alloc(0) : hashSecret(secret),
    is_api_key: !/^svc_[ap]t_/.test(secret),
    is_person: secret.startsWith('svc_pt_'),
    client_address,
    limit_class: LimitClass.STANDARD,
    operation: '',
    count: 1,
  };
}

export async function authorize(
  stub: IdentityStub,
  checks: AuthorizeCheck[],
): Promise<AuthorizeResult[]> {
  return (await stub.authorizeBatch(systemContext('live'), { checks })).results;
}

export async function authorizeOne(
  stub: IdentityStub,
  one: AuthorizeCheck,
): Promise<AuthorizeResult> {
  const [result] = await authorize(stub, [one]);
  if (result === undefined) throw new Error('no result');
  return result;
}

/** The code of the error that a call ends with, or OK. */
export async function codeOf(call: Promise<unknown>): Promise<ErrorCode | 'OK' | string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

/** What comes later than an answer, on a busy machine too. */
export async function eventually(check: () => Promise<void>, timeout_ms = 30_000): Promise<void> {
  for (const until_ms = Date.now() + timeout_ms; ; ) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > until_ms) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Waits until at least `left_s` of the current minute are left, so that a window does not end in a test. */
export async function startOfMinute(left_s: number): Promise<void> {
  const left_ms = 60_000 - (Date.now() % 60_000);
  if (left_ms < left_s * 1_000) await new Promise((resolve) => setTimeout(resolve, left_ms + 50));
}

/** What the service has told the bus, in order. */
export async function outboxOf({ sql }: Pick<Identity, 'sql'>): Promise<Event[]> {
  const rows = await sql<{ payload: Buffer }>('SELECT payload FROM outbox ORDER BY id');
  return rows.map(({ payload }) => Event.decode(payload));
}

/** An entry for a chain's log. */
export function auditEntry(
  chain_id: string,
  target_id: string,
  more: Partial<AuditEntry> = {},
): AuditEntry {
  return {
    chain_id,
    id: newId(),
    at: new Date().toISOString(),
    actor_type: 'user',
    actor_id: 'ada',
    action: 'account.created',
    target_type: 'account',
    target_id,
    environment: 'live',
    request_id: '',
    ip: '',
    changes: '{"z":1,"a":"ä"}',
    ...more,
  };
}
