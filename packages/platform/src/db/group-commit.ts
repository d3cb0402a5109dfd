import type { CallContext, Environment } from '../context';
import { systemContext } from '../context';
import { conflict, unavailable } from '../errors';
import { isSampled } from '../telemetry';
import type { Database, Transaction, WaitingWrites } from './database';
import {
  type AnswerCodec,
  type Claim,
  claimIdentity,
  claimKeys,
  fingerprintOf,
  releaseKeys,
  storeAnswers,
} from './idempotency';

/**
 * How one entry of a batch ended. An entry with an error has written nothing, unless that it was
 * refused is itself on record.
 */
export type Outcome<Res> = { readonly value: Res } | { readonly error: unknown };

/** One command waiting in a batch. */
export interface GroupEntry<Item> {
  readonly ctx: CallContext;
  readonly item: Item;
}

/** What a command is called and how its answer is kept for replays. */
export interface CommandOptions<Item, Res> {
  /** The endpoint: part of the idempotency scope. */
  readonly name: string;
  /** Deterministic encoding of the request, for the fingerprint. */
  readonly request: (item: Item) => Uint8Array;
  readonly codec: AnswerCodec<Res>;
  readonly retention_s: number;
}

/** What runs a batch. */
export interface GroupCommitOptions<Item, Res> extends CommandOptions<Item, Res> {
  readonly max_batch?: number;
  /** Decides and writes a batch in a constant number of statements. */
  readonly run: (
    tx: Transaction,
    entries: readonly GroupEntry<Item>[],
  ) => Promise<readonly Outcome<Res>[]>;
}

/** A hot command that concurrent callers commit together. */
export interface GroupCommit<Item, Res> {
  submit(ctx: CallContext, item: Item): Promise<Res>;
}

interface Waiting<Item, Res> extends GroupEntry<Item> {
  readonly claim: Claim | undefined;
  readonly since_ms: number;
  settle(outcome: Outcome<Res>): void;
}

const MAX_QUEUE = 10_000;
/** By then a queue that is full has long been worked off, or the service is being replaced. */
const OVERLOAD_RETRY_AFTER_S = 2;

/**
 * Gathers concurrent commands of an environment into one transaction: whatever
 * queued while the last batch ran goes into the next, without a timer. One
 * command's refusal is its own; an unexpected failure of a batch is followed by
 * its commands one by one, so that only the culprit fails.
 */
export function groupCommit<Item, Res>(
  db: Database,
  options: GroupCommitOptions<Item, Res>,
): GroupCommit<Item, Res> {
  const lanes: Record<Environment, Lane<Item, Res>> = {
    live: new Lane(db, options, 'live'),
    test: new Lane(db, options, 'test'),
  };
  return {
    submit: (ctx, item) => lanes[ctx.environment].submit(ctx, item),
  };
}

class Lane<Item, Res> {
  private queue: Waiting<Item, Res>[] = [];
  /** Everything without an outcome, what runs included; the oldest first. */
  private readonly unsettled = new Set<Waiting<Item, Res>>();
  private running = false;

  constructor(
    private readonly db: Database,
    private readonly options: GroupCommitOptions<Item, Res>,
    private readonly environment: Environment,
  ) {
    db.watchWrites(() => this.waiting());
  }

  private waiting(): WaitingWrites {
    const [oldest] = this.unsettled;
    return {
      command: this.options.name,
      environment: this.environment,
      count: this.unsettled.size,
      oldest_wait_s: oldest === undefined ? 0 : (performance.now() - oldest.since_ms) / 1_000,
    };
  }

  submit(ctx: CallContext, item: Item): Promise<Res> {
    if (this.queue.length >= MAX_QUEUE) {
      return Promise.reject(unavailable('The service is overloaded.', OVERLOAD_RETRY_AFTER_S));
    }
    return new Promise<Res>((resolve, reject) => {
      const entry: Waiting<Item, Res> = {
        ctx,
        item,
        claim: claimOf(ctx, item, this.options),
        since_ms: performance.now(),
        settle: (outcome) => {
          this.unsettled.delete(entry);
          if ('value' in outcome) resolve(outcome.value);
          else reject(outcome.error);
        },
      };
      this.queue.push(entry);
      this.unsettled.add(entry);
      if (!this.running) {
        this.running = true;
        // Later submits of this turn still come along.
        setImmediate(() => this.drain());
      }
    });
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) await this.runBatch(this.take());
    this.running = false;
  }

  /** The next batch; a second twin of a key stays for a later one, to replay the first. */
  private take(): Waiting<Item, Res>[] {
    const batch: Waiting<Item, Res>[] = [];
    const rest: Waiting<Item, Res>[] = [];
    const keys = new Set<string>();
    for (const entry of this.queue) {
      const key = entry.claim === undefined ? undefined : claimIdentity(entry.claim);
      if (batch.length >= (this.options.max_batch ?? 128) || (key !== undefined && keys.has(key))) {
        rest.push(entry);
        continue;
      }
      if (key !== undefined) keys.add(key);
      batch.push(entry);
    }
    this.queue = rest;
    return batch;
  }

  private async runBatch(batch: readonly Waiting<Item, Res>[]): Promise<void> {
    try {
      const outcomes = await this.db.transaction(contextOf(batch, this.environment), (tx) =>
        runEntries(tx, batch, this.options),
      );
      for (const [index, entry] of batch.entries()) {
        entry.settle(outcomes[index] ?? { error: new Error('A command got no outcome.') });
      }
    } catch (error) {
      if (batch.length === 1) {
        batch[0]?.settle({ error });
        return;
      }
      for (const entry of batch) await this.runBatch([entry]);
    }
  }
}

/**
 * Runs one command in a transaction of its own, with the same idempotency: the
 * record first, then the work, the outbox rows and the stored answer, one commit.
 */
export async function command<Item, Res>(
  db: Database,
  ctx: CallContext,
  options: CommandOptions<Item, Res>,
  item: Item,
  run: (tx: Transaction) => Promise<Res>,
): Promise<Res> {
  const entry = { ctx, item, claim: claimOf(ctx, item, options) };
  const [outcome] = await db.transaction(ctx, (tx) =>
    runEntries(tx, [entry], { ...options, run: async () => [{ value: await run(tx) }] }),
  );
  if (outcome === undefined) throw new Error(`${options.name} got no outcome.`);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function claimOf<Item, Res>(
  ctx: CallContext,
  item: Item,
  options: CommandOptions<Item, Res>,
): Claim | undefined {
  if (ctx.idempotency_key === '') return undefined;
  return {
    ctx,
    endpoint: options.name,
    fingerprint: fingerprintOf(options.name, options.request(item)),
    retention_s: options.retention_s,
  };
}

/**
 * A batch of one speaks for its caller; a mixed one for the system, and its statements are shown
 * in the first trace that is kept.
 */
function contextOf(batch: readonly GroupEntry<unknown>[], environment: Environment): CallContext {
  const only = batch.length === 1 ? batch[0] : undefined;
  if (only !== undefined) return only.ctx;
  const traced = batch.find((entry) => isSampled(entry.ctx.traceparent));
  return systemContext(environment, { traceparent: traced?.ctx.traceparent ?? '' });
}

async function runEntries<Item, Res>(
  tx: Transaction,
  batch: readonly (GroupEntry<Item> & { claim: Claim | undefined })[],
  options: GroupCommitOptions<Item, Res>,
): Promise<Outcome<Res>[]> {
  const outcomes: Array<Outcome<Res> | undefined> = new Array(batch.length);
  const withKey = [...batch.entries()].flatMap(([index, entry]) =>
    entry.claim === undefined ? [] : [{ index, ctx: entry.ctx, claim: entry.claim }],
  );
  const claimed = await claimKeys(
    tx,
    withKey.map((entry) => entry.claim),
  );
  for (const [position, result] of claimed.entries()) {
    const entry = withKey[position];
    if (entry === undefined || result.kind === 'fresh') continue;
    if (result.kind === 'changed') {
      outcomes[entry.index] = {
        error: conflict('The Idempotency-Key was used with a different request.', {
          reason: 'IDEMPOTENCY_KEY_REUSED',
        }),
      };
    } else {
      entry.ctx.reply_metadata.set('idempotent-replayed', 'true');
      outcomes[entry.index] = { value: options.codec.decode(result.answer) };
    }
  }
  const fresh = [...batch.entries()].filter(([index]) => outcomes[index] === undefined);
  if (fresh.length > 0) {
    const results = await options.run(
      tx,
      fresh.map(([, entry]) => entry),
    );
    const answers: { claim: Claim; answer: Uint8Array }[] = [];
    const refused: Claim[] = [];
    for (const [position, [index, entry]] of fresh.entries()) {
      const result = results[position];
      if (result === undefined) throw new Error(`${options.name} left a command without outcome.`);
      outcomes[index] = result;
      if (entry.claim === undefined) continue;
      if ('value' in result) {
        answers.push({ claim: entry.claim, answer: options.codec.encode(result.value) });
      } else {
        refused.push(entry.claim);
      }
    }
    storeAnswers(tx, answers);
    releaseKeys(tx, refused);
  }
  return outcomes as Outcome<Res>[];
}
