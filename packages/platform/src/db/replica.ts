import type pg from 'pg';
import type { Logger } from 'pino';
import type { CallContext, Environment } from '../context';

/** How a replica does, and who has answered what it might have. */
export interface ReplicaFigures {
  readonly environment: Environment;
  /** How much older than now what it shows may be at most; undefined when it does not answer. */
  readonly lag_s: number | undefined;
  /** Whether it is asked; else all is asked of the primary. */
  readonly is_used: boolean;
  readonly reads: Readonly<Record<'replica' | 'primary', number>>;
}

/** Where the log was at a time: a replica that has come so far shows all that was acknowledged until then. */
interface Sample {
  readonly at_ms: number;
  readonly position: bigint;
}

/**
 * How far the log is: of a primary what is on disk, of a standby what it shows. As a number, so that positions
 * compare.
 */
const POSITION = `SELECT pg_wal_lsn_diff(
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END,
  '0/0')::text AS position`;

/** Of a replica that lags longer than this only so much is known. */
const KNOWN_MS = 120_000;
const LONGEST_PAUSE_MS = 1_000;
const SHORTEST_PAUSE_MS = 50;
/** Looks within the bound: the oldest of them is what reads have to come up to. */
const LOOKS_PER_BOUND = 5;

/**
 * Reads of one environment that may lag, asked of a replica as long as it shows all that was acknowledged
 * `max_lag_ms` ago. That is known of each single answer: before it the same connection says how far its server
 * is, whichever of several standbys that may be, and the primary has said how far the log was. No clock of
 * another machine is believed, and a quiet primary is no lag.
 */
export class Replica {
  private readonly samples: Sample[] = [];
  /** By call: how far what it has seen is, or that it has seen the primary. It never sees older after newer. */
  private readonly seen = new WeakMap<CallContext, bigint | 'primary'>();
  private readonly reads = { replica: 0, primary: 0 };
  private timer: NodeJS.Timeout | undefined;
  private is_looking = false;
  private is_used = false;
  private lag_ms: number | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly primary: pg.Pool,
    readonly pool: pg.Pool,
    private readonly max_lag_ms: number,
    private readonly logger: Logger,
  ) {}

  /** Begins to look how far both are; until then nobody is asked but the primary. */
  follow(): void {
    const pause_ms = Math.max(
      SHORTEST_PAUSE_MS,
      Math.min(LONGEST_PAUSE_MS, this.max_lag_ms / LOOKS_PER_BOUND),
    );
    this.timer ??= setInterval(() => void this.look(), pause_ms).unref();
  }

  figures(): ReplicaFigures {
    return {
      environment: this.environment,
      lag_s: this.lag_ms === undefined ? undefined : this.lag_ms / 1_000,
      is_used: this.is_used,
      reads: { ...this.reads },
    };
  }

  /**
   * What `read` answers on the replica; undefined when the primary is to be asked, since the replica is
   * too late or has failed. `waits`: not to begin before it is known that the replica is far enough.
   */
  async ask<T>(
    ctx: CallContext,
    read: (client: pg.PoolClient) => Promise<T>,
    waits = false,
  ): Promise<{ readonly answer: T } | undefined> {
    const wanted = this.wantedFor(ctx);
    const found = wanted === undefined ? undefined : await this.askFor(wanted, read, waits);
    this.reads[found === undefined ? 'primary' : 'replica'] += 1;
    this.seen.set(ctx, found?.position ?? 'primary');
    return found;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.pool.end();
  }

  private async askFor<T>(
    wanted: bigint,
    read: (client: pg.PoolClient) => Promise<T>,
    waits: boolean,
  ): Promise<{ readonly answer: T; readonly position: bigint } | undefined> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.pool.connect();
      const asked = positionOf(client);
      if (waits && (await asked) < wanted) return this.leave(client, 'it lags');
      // Sent behind the question, so that it sees no less than that.
      const [position, answer] = await Promise.all([asked, read(client)]);
      if (position < wanted) return this.leave(client, 'it lags');
      client.release();
      return { answer, position };
    } catch (error) {
      // Whatever it was, the primary says what is true of it.
      client?.release(true);
      return this.leave(undefined, (error as Error).message);
    }
  }

  /** For the call and for all others, until a look has found it well. */
  private leave(client: pg.PoolClient | undefined, reason: string): undefined {
    client?.release();
    this.setUsed(false, reason);
  }

  /** How far the replica has to be; undefined when it is not to be asked. */
  private wantedFor(ctx: CallContext): bigint | undefined {
    const seen = this.seen.get(ctx);
    if (!this.is_used || seen === 'primary') return undefined;
    const since_ms = performance.now() - this.max_lag_ms;
    const bound = this.samples.find(({ at_ms }) => at_ms >= since_ms)?.position;
    if (bound === undefined) return undefined;
    return seen !== undefined && seen > bound ? seen : bound;
  }

  private async look(): Promise<void> {
    if (this.is_looking) return;
    this.is_looking = true;
    try {
      const at_ms = performance.now();
      this.samples.push({ at_ms, position: await positionOf(this.primary) });
      while ((this.samples[0]?.at_ms ?? at_ms) < at_ms - KNOWN_MS) this.samples.shift();
      const position = await positionOf(this.pool);
      const shown = this.samples.findLast((sample) => sample.position <= position);
      this.lag_ms = performance.now() - (shown ?? this.samples[0] ?? { at_ms }).at_ms;
      this.setUsed(shown !== undefined && this.lag_ms <= this.max_lag_ms, 'it lags');
    } catch (error) {
      this.lag_ms = undefined;
      this.setUsed(false, (error as Error).message);
    } finally {
      this.is_looking = false;
    }
  }

  private setUsed(is_used: boolean, reason: string): void {
    if (this.is_used === is_used) return;
    this.is_used = is_used;
    const { environment, lag_ms } = this;
    if (is_used) this.logger.info({ environment }, 'reads that may lag are asked of the replica');
    else this.logger.warn({ environment, lag_ms, reason }, 'the replica is not asked');
  }
}

async function positionOf(on: pg.Pool | pg.PoolClient): Promise<bigint> {
  const { rows } = await (on as pg.PoolClient).query<{ position: string }>(POSITION);
  return BigInt(rows[0]?.position ?? 0);
}
