import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import pg from 'pg';
import type { Logger } from 'pino';
import type { CallContext, Environment } from '../context';
import { ENVIRONMENTS } from '../context';
import { ConfigError, crashPoint } from '../core';
import { endSpan, startInnerSpan } from '../telemetry';
import { backoffMs, sooner } from '../values';
import { arrayParameter } from './array-parameter';
import { type AuditEntry, auditEvent } from './audit';
import {
  busy,
  endsConnection,
  isSerialisationFailure,
  refusesLogin,
  translateFailure,
} from './failure';
import { insertOutbox, type NewOutboxEvent, type OutboxRow, outboxRow } from './outbox';
import type { Queryable, Writer } from './queryable';
import { Replica, type ReplicaFigures } from './replica';
import { watchServer } from './server-watch';
import { type Statement, statement } from './statement';
import { rowTypes } from './types';

/** One transaction; it commits when the function that got it returns. */
export interface Transaction extends Queryable, Writer {
  readonly ctx: CallContext;
  /** Tells other services; written just before the commit, in one statement. */
  outbox(event: NewOutboxEvent, ctx?: CallContext): void;
  /** Logs a mutation with it, for the transaction's caller unless another's is given. */
  audit(entry: AuditEntry, ctx?: CallContext): void;
  /** Runs once the commit is durable; not when the transaction is rolled back. */
  afterCommit(run: () => void): void;
}

/** Writes of one command that have no outcome yet, in its queue or in a transaction. */
export interface WaitingWrites {
  readonly command: string;
  readonly environment: Environment;
  readonly count: number;
  readonly oldest_wait_s: number;
}

/** How to open a {@link Database}. */
export interface DatabaseOptions {
  readonly service: string;
  /** Connection per environment. The same URL twice makes one pool for both. */
  readonly urls: Readonly<Record<Environment, string>>;
  /** Servers that follow those, for reads that may lag ({@link CallContext.may_lag}). */
  readonly replica_urls?: Readonly<Partial<Record<Environment, string>>>;
  /** How much older than the primary what a replica shows may be; beyond it the primary is asked. */
  readonly max_lag_ms?: number;
  readonly pool_size?: number;
  readonly logger: Logger;
  /** Applied to every connection, for example `{ synchronous_commit: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const MAX_LAG_MS = 5_000;
/** A replica that takes longer to connect or to answer is left for the primary. */
const REPLICA_CONNECT_MS = 1_000;
const REPLICA_ANSWER_MS = 3_000;

const MAX_TRANSACTION_ATTEMPTS = 5;
const CONFLICT_BACKOFF = { first_ms: 10, longest_ms: 80 };

/** How every session of a service is set up. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  // A statement that takes longer has lost its caller.
  statement_timeout: '15s',
  // A concurrent twin of an idempotent command waits this long for the first.
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
  // Statements here look up few rows by index, in tables that grow. A plan made for the first
  // parameters, or while a table was small, is kept by its connection and costs ten times as much
  // later; one generic plan of index look-ups serves at every size, and is not planned again over
  // the partitions for each call. Without an index a table is read through all the same.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

const STATEMENT_ATTRIBUTES = { 'db.system': 'postgresql' };

const BEGIN = 'BEGIN';
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

function parameter(value: unknown): unknown {
  return Array.isArray(value) ? (arrayParameter(value) ?? value) : value;
}

/** NULL is `undefined` in a row: the one word for what is absent. Nothing within JSON is touched. */
function turnNulls(fields: readonly pg.FieldDef[], rows: readonly Record<string, unknown>[]): void {
  for (const { name } of fields) {
    for (const row of rows) if (row[name] === null) row[name] = undefined;
  }
}

class Runner implements Queryable {
  constructor(
    protected readonly client: pg.ClientBase | pg.Pool,
    private readonly traceparent: string,
  ) {}

  private async run<Row>(wanted: Statement<Row>, values: readonly unknown[]) {
    const span = startInnerSpan({
      kind: SpanKind.CLIENT,
      name: wanted.name,
      // The name says which statement it is; its parameters are nobody's business.
      attributes: STATEMENT_ATTRIBUTES,
      traceparent: this.traceparent,
    });
    let failure: unknown;
    try {
      // pg.Pool and pg.ClientBase share this signature but no interface.
      const client = this.client as pg.ClientBase;
      return await client.query({
        name: wanted.name,
        text: wanted.text,
        values: values.map(parameter),
      });
    } catch (error) {
      failure = error;
      throw translateFailure(error);
    } finally {
      endSpan(span, failure);
    }
  }

  async query<Row>(wanted: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const { fields, rows } = await this.run(wanted, values);
    turnNulls(fields, rows);
    return rows as Row[];
  }

  async one<Row>(wanted: Statement<Row>, values: readonly unknown[] = []): Promise<Row> {
    const rows = await this.query(wanted, values);
    if (rows.length !== 1) throw new Error(`${wanted.name}: ${rows.length} rows, expected one.`);
    return rows[0] as Row;
  }

  async maybe<Row>(
    wanted: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    const rows = await this.query(wanted, values);
    if (rows.length > 1)
      throw new Error(`${wanted.name}: ${rows.length} rows, expected at most one.`);
    return rows[0];
  }

  async execute(wanted: Statement<unknown>, values: readonly unknown[] = []): Promise<number> {
    return (await this.run(wanted, values)).rowCount ?? 0;
  }
}

/** Reads that may lag: asked of a replica where that is fit, and of the primary where not. Writes never are. */
class LaggingRunner extends Runner {
  constructor(
    primary: pg.Pool,
    private readonly replica: Replica,
    private readonly ctx: CallContext,
  ) {
    super(primary, ctx.traceparent);
  }

  override async query<Row>(
    wanted: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const { ctx } = this;
    const found = await this.replica.ask(ctx, (client) =>
      new Runner(client, ctx.traceparent).query(wanted, values),
    );
    return found === undefined ? super.query(wanted, values) : found.answer;
  }
}

class OpenTransaction extends Runner implements Transaction {
  readonly outboxRows: OutboxRow[] = [];
  readonly callbacks: Array<() => void> = [];
  private readonly writes: Promise<void>[] = [];
  /** Of the writes; whatever was sent after it only failed because of it. */
  private firstFailure: { readonly error: unknown } | undefined;
  private needsCheck = false;

  constructor(
    client: pg.ClientBase,
    readonly ctx: CallContext,
  ) {
    super(client, ctx.traceparent);
  }

  outbox(event: NewOutboxEvent, ctx: CallContext = this.ctx): void {
    this.outboxRows.push(outboxRow(event, ctx));
  }

  audit(entry: AuditEntry, ctx: CallContext = this.ctx): void {
    this.outbox(auditEvent(entry, ctx), ctx);
  }

  write(wanted: Statement<unknown>, values: readonly unknown[], expected_rows?: number): void {
    this.needsCheck ||= expected_rows !== undefined;
    const written = this.execute(wanted, values).then((rows) => {
      if (expected_rows !== undefined && rows !== expected_rows) {
        throw new Error(`${wanted.name}: ${rows} rows, expected ${expected_rows}.`);
      }
    });
    written.catch((error: unknown) => {
      this.firstFailure ??= { error };
    });
    this.writes.push(written);
  }

  afterCommit(run: () => void): void {
    this.callbacks.push(run);
  }

  /**
   * Commits, in one round trip with the writes that nobody has waited for: where one of them
   * failed, the server makes a rollback of the commit.
   */
  async commit(): Promise<void> {
    if (this.outboxRows.length > 0) insertOutbox(this, this.outboxRows);
    // How many rows a write met is known before it is too late to take it back.
    if (this.needsCheck) await Promise.all(this.writes);
    const committed = (this.client as pg.ClientBase).query('COMMIT');
    const [result] = await Promise.all([committed, ...this.writes]);
    if (result.command !== 'COMMIT') throw new Error('A transaction was rolled back.');
  }

  /** Why the transaction really failed, once all that was sent has been answered. */
  async causeOf(error: unknown): Promise<unknown> {
    await Promise.allSettled(this.writes);
    return this.firstFailure === undefined ? error : this.firstFailure.error;
  }
}

const PING = statement('database_ping', 'SELECT 1');

/**
 * A service's database: a pool per environment, each on a role that sees its own
 * schema only, so that no SQL can name or forget an environment.
 */
export class Database {
  readonly service: string;
  readonly environments: readonly Environment[];
  private readonly pools: Readonly<Record<Environment, pg.Pool>>;
  private readonly replicas: Readonly<Partial<Record<Environment, Replica>>>;
  private readonly listeners: Array<(environment: Environment) => void> = [];
  private readonly queues: Array<() => WaitingWrites> = [];

  constructor(options: DatabaseOptions) {
    this.service = options.service;
    const open = (url: string, limits: Partial<pg.PoolConfig> = {}) => {
      const connection: pg.ClientConfig = {
        connectionString: url,
        keepAlive: true,
        application_name: options.service,
        types: rowTypes,
        // Statements go out when they are made, not when the answers before them have come.
        pipeline: true,
        options: Object.entries({ ...SESSION_SETTINGS, ...options.settings })
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      };
      const pool = new pg.Pool({
        ...connection,
        max: options.pool_size ?? 10,
        connectionTimeoutMillis: 5_000,
        idleTimeoutMillis: 60_000,
        ...limits,
      });
      // An idle connection that breaks is replaced at the next use.
      pool.on('error', (error) => options.logger.warn({ err: error }, 'idle connection lost'));
      // One that breaks in somebody's hands between two statements tells the next statement. The pool
      // listens to idle ones alone, and an error that nobody listens to ends the process.
      pool.on('connect', (client) => client.on('error', () => {}));
      // Behind a replica's name there may be several, and its answers have a bound of their own.
      if (limits.query_timeout === undefined) watchServer(pool, connection, options.logger);
      return pool;
    };
    const live = open(options.urls.live);
    const shared = options.urls.live === options.urls.test;
    this.pools = { live, test: shared ? live : open(options.urls.test) };
    this.environments = shared ? ['live'] : ENVIRONMENTS;
    const { replica_urls = {}, max_lag_ms = MAX_LAG_MS, logger } = options;
    this.replicas = Object.fromEntries(
      this.environments.flatMap((environment) => {
        const url = replica_urls[environment];
        if (url === undefined) return [];
        const limits = {
          connectionTimeoutMillis: REPLICA_CONNECT_MS,
          query_timeout: REPLICA_ANSWER_MS,
        };
        const primary = this.pools[environment];
        return [
          [environment, new Replica(environment, primary, open(url, limits), max_lag_ms, logger)],
        ];
      }),
    );
  }

  /** The pool of an environment, for the rare caller that needs pg itself. */
  pool(environment: Environment): pg.Pool {
    return this.pools[environment];
  }

  /** For single statements that need no transaction. Of a call that may lag, on a replica if there is one. */
  read(ctx: CallContext): Queryable {
    const replica = this.replicaFor(ctx);
    if (replica !== undefined) {
      return new LaggingRunner(this.pools[ctx.environment], replica, ctx);
    }
    return new Runner(this.pools[ctx.environment], ctx.traceparent);
  }

  /**
   * Runs `run` in a transaction: commits when it returns, rolls back when it
   * throws, runs it again on a serialisation failure or deadlock.
   */
  async transaction<T>(ctx: CallContext, run: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(ctx, run, BEGIN);
      } catch (error) {
        if (!isSerialisationFailure(error)) throw translateFailure(error);
        if (attempt >= MAX_TRANSACTION_ATTEMPTS) throw busy(error);
        await sleep(sooner(backoffMs(CONFLICT_BACKOFF, attempt), 1));
      }
    }
  }

  /** Of a call that may lag. */
  private replicaFor({ may_lag, environment }: CallContext): Replica | undefined {
    if (may_lag !== true) return undefined;
    return this.replicas[this.environments.includes(environment) ? environment : 'live'];
  }

  /** Runs several reads on one snapshot; again on the primary when a replica was asked and failed. */
  async snapshot<T>(ctx: CallContext, run: (tx: Queryable) => Promise<T>): Promise<T> {
    const readOn = async (client: pg.PoolClient) => {
      await client.query(BEGIN_SNAPSHOT);
      const result = await run(new Runner(client, ctx.traceparent));
      await client.query('COMMIT');
      return result;
    };
    const found = await this.replicaFor(ctx)?.ask(ctx, readOn, true);
    if (found !== undefined) return found.answer;
    try {
      return await this.attempt(ctx, run, BEGIN_SNAPSHOT);
    } catch (error) {
      throw translateFailure(error);
    }
  }

  private async attempt<T>(
    ctx: CallContext,
    run: (tx: Transaction) => Promise<T>,
    begin: string,
  ): Promise<T> {
    const client = await this.pools[ctx.environment].connect();
    const tx = new OpenTransaction(client, ctx);
    let result: T;
    try {
      await client.query(begin);
      result = await run(tx);
      await tx.commit();
    } catch (error) {
      const broken = await client.query('ROLLBACK').then(
        () => undefined,
        (failure: Error) => failure,
      );
      const cause = await tx.causeOf(error);
      // One whose rollback fails is not given back, nor one on which nothing can succeed.
      client.release(broken ?? endsConnection(cause));
      throw cause;
    }
    if (tx.outboxRows.length > 0) crashPoint('outbox.committed');
    client.release();
    for (const callback of tx.callbacks) callback();
    if (tx.outboxRows.length > 0) {
      for (const listener of this.listeners) listener(ctx.environment);
    }
    return result;
  }

  /** Called after each commit that wrote outbox rows: wakes the relay. */
  onOutbox(listener: (environment: Environment) => void): void {
    this.listeners.push(listener);
  }

  /** Throws when an environment's database does not answer. */
  async ping(): Promise<void> {
    for (const environment of this.environments) {
      await new Runner(this.pools[environment], '').query(PING);
    }
  }

  /**
   * Throws a {@link ConfigError} when the server refuses a login. Before a process serves: with a password
   * that is not known yet every release's first process would otherwise be followed by all others. A server
   * that is away is waited for while serving.
   */
  async requireLogins(): Promise<void> {
    for (const environment of this.environments) {
      try {
        await new Runner(this.pools[environment], '').query(PING);
      } catch (error) {
        if (!refusesLogin(error)) continue;
        throw new ConfigError(
          `The database refuses the login for ${environment} data: ${(error as Error).message}.`,
        );
      }
    }
  }

  /** Connections: in use, idle and callers waiting, over all environments. */
  usage(): { total: number; idle: number; waiting: number } {
    const sum = { total: 0, idle: 0, waiting: 0 };
    for (const environment of this.environments) {
      const pool = this.pools[environment];
      sum.total += pool.totalCount;
      sum.idle += pool.idleCount;
      sum.waiting += pool.waitingCount;
    }
    return sum;
  }

  /** Has replicas asked from now on, as long as they are not too late. */
  followReplicas(): void {
    for (const replica of Object.values(this.replicas)) replica.follow();
  }

  /** How each replica does. */
  replicaFigures(): ReplicaFigures[] {
    return Object.values(this.replicas).map((replica) => replica.figures());
  }

  /** Has what waits in a queue of its own, with one connection for all, shown beside the pools. */
  watchWrites(queue: () => WaitingWrites): void {
    this.queues.push(queue);
  }

  /** What waits in each queue; while a lock is held, nobody waits for a connection. */
  waitingWrites(): WaitingWrites[] {
    return this.queues.map((queue) => queue());
  }

  /** Closes all connections once they are given back. */
  async close(): Promise<void> {
    await Promise.all([
      ...Object.values(this.replicas).map((replica) => replica.close()),
      ...this.environments.map((environment) => this.pools[environment].end()),
    ]);
  }
}

/** Opens a service's database; connections are made when first needed. */
export function openDatabase(options: DatabaseOptions): Database {
  return new Database(options);
}
