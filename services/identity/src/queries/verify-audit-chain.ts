import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  type CheckpointVerifier,
  Frontier,
  isConsistent,
  leafHash,
  parseNote,
  readConsistency,
  readFrontiers,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import {
  CHAIN_START,
  type ChainFault,
  type ChainHead,
  ChainVerifier,
  recordText,
} from '../domain/audit-chain';
import { endsHead, exportOrigin } from '../domain/audit-export';
import { auditOrigin, chainOfOrigin } from '../domain/audit-origin';
import { readChain, readHeads } from '../store/audit';
import { checkpointOrigins, checkpointsAfter, findCheckpoint } from '../store/audit-checkpoints';
import { droppedMonths, droppedUpTo, endsOfMonth } from '../store/audit-exports';

/** What following a chain found. */
export interface ChainReport {
  readonly chain_id: string;
  readonly head: ChainHead;
  readonly verified: bigint;
  /** How many checkpoints were right, kept ones included. */
  readonly checkpoints: number;
  /** How many records the newest of them covers. */
  readonly covered: number;
  /** The first thing wrong; none when the chain is whole. */
  readonly fault: ChainFault | undefined;
}

/** What finding out about checkpoints of logs kept elsewhere found. */
export interface OtherLogReport {
  readonly origin: string;
  readonly checkpoints: number;
  readonly newest: SignedCheckpoint | undefined;
  readonly fault: ChainFault | undefined;
}

/** What chains are held against beside themselves. */
export interface Evidence {
  readonly verifier: CheckpointVerifier;
  /** Checkpoints that were kept outside of the database. */
  readonly kept?: readonly SignedCheckpoint[];
}

const BATCH = 1_000;
/**
 * A checkpoint is due within the hour. Counted to the chain's own records and not to now, so that a
 * restored copy is as whole as it was.
 */
const MAX_UNSIGNED_MS = 2 * 3_600_000;

/**
 * Follows all chains from their start, or one, and holds each against its checkpoints. New records
 * may be appended meanwhile. A chain of which nothing but checkpoints is left is reported too.
 */
export async function verifyAuditChains(
  db: Database,
  ctx: CallContext,
  chain_id: string | undefined,
  evidence: Evidence,
): Promise<ChainReport[]> {
  const on = db.read(ctx);
  const signed = [
    ...(await checkpointOrigins(on)),
    ...keptOf(evidence).map(({ origin }) => origin),
  ];
  const chains = new Set([
    ...(await readHeads(on, chain_id)).map((head) => head.chain_id),
    ...signed.map(chainOfOrigin).filter((id) => id !== undefined),
  ]);
  const reports: ChainReport[] = [];
  for (const id of [...chains].toSorted()) {
    if (chain_id === undefined || chain_id === id)
      reports.push(await verifyChain(db, ctx, id, evidence));
  }
  return reports;
}

/** Checks the signatures and the order of the checkpoints of logs that other services keep. */
export async function verifyOtherLogs(
  db: Database,
  ctx: CallContext,
  evidence: Evidence,
): Promise<OtherLogReport[]> {
  const origins = (await checkpointOrigins(db.read(ctx))).filter(
    (origin) => chainOfOrigin(origin) === undefined,
  );
  const reports: OtherLogReport[] = [];
  for (const origin of origins) {
    let newest: SignedCheckpoint | undefined;
    let checkpoints = 0;
    let fault: ChainFault | undefined;
    for await (const checkpoint of storedCheckpoints(db, ctx, origin, Number.MAX_SAFE_INTEGER)) {
      const problem = evidence.verifier.faultOf(checkpoint);
      fault ??= problem && { sequence: BigInt(checkpoint.size), problem };
      newest = checkpoint;
      checkpoints += 1;
    }
    reports.push({ origin, checkpoints, newest, fault });
  }
  return reports;
}

/**
 * Checks what was left of months that were dropped: that it is what was sealed when they were exported. What
 * chains begin with now is among it.
 */
export async function verifyDroppedMonths(
  db: Database,
  ctx: CallContext,
  { verifier }: Evidence,
): Promise<OtherLogReport[]> {
  const on = db.read(ctx);
  const reports: OtherLogReport[] = [];
  for (const { month, seal } of await droppedMonths(on)) {
    const origin = exportOrigin(month);
    const head = endsHead(await endsOfMonth(on, month));
    const signed = parseNote(seal);
    const sequence = BigInt(head.size);
    let problem: ChainFault['problem'] | undefined;
    if (signed?.origin !== origin) problem = 'forged';
    else problem = verifier.faultOf(signed);
    if (signed?.size !== head.size || !signed.root.equals(head.root)) problem ??= 'rewritten';
    const fault = problem && { sequence, problem };
    reports.push({ origin, checkpoints: 1, newest: undefined, fault });
  }
  return reports;
}

function keptOf({ kept = [] }: Evidence): readonly SignedCheckpoint[] {
  return kept;
}

async function* storedCheckpoints(
  db: Database,
  ctx: CallContext,
  origin: string,
  up_to: number,
): AsyncGenerator<SignedCheckpoint> {
  for (let above = 0; ; ) {
    const page = await checkpointsAfter(db.read(ctx), origin, above, BATCH);
    for (const checkpoint of page) {
      if (checkpoint.size > up_to) return;
      above = checkpoint.size;
      yield checkpoint;
    }
    if (page.length < BATCH) return;
  }
}

/** Two sequences of checkpoints, each by size, as one. */
async function* merged(
  stored: AsyncGenerator<SignedCheckpoint>,
  kept: readonly SignedCheckpoint[],
): AsyncGenerator<SignedCheckpoint> {
  const waiting = kept.toSorted((left, right) => left.size - right.size);
  for await (const checkpoint of stored) {
    for (let next = waiting[0]; next && next.size < checkpoint.size; next = waiting[0]) {
      yield next;
      waiting.shift();
    }
    yield checkpoint;
  }
  yield* waiting;
}

/** Holds a growing tree against checkpoints of it, in order. */
class CheckpointFollower {
  checkpoints = 0;
  covered = 0;
  private next: SignedCheckpoint | undefined;
  private is_begun = false;

  constructor(
    private readonly expected: AsyncGenerator<SignedCheckpoint>,
    private readonly verifier: CheckpointVerifier,
    /** The tree of what was dropped; empty as a rule. */
    private readonly frontier: Frontier,
    /** What leads from a checkpoint of that size to the tree of what was dropped. */
    private readonly pathFrom: (size: number) => Promise<readonly Buffer[]>,
  ) {}

  /** Before the first record. */
  async start(): Promise<ChainFault | undefined> {
    return this.advance();
  }

  /** With the record at the next place. */
  async push(text: string): Promise<ChainFault | undefined> {
    this.is_begun = true;
    this.frontier.push(leafHash(text));
    while (this.next?.size === this.frontier.size) {
      const { root, size } = this.next;
      const sequence = BigInt(size);
      if (!root.equals(this.frontier.root())) return { sequence, problem: 'rewritten' };
      this.checkpoints += 1;
      this.covered = size;
      const fault = await this.advance();
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** After the last record. */
  end(): ChainFault | undefined {
    if (this.next === undefined) return undefined;
    return { sequence: BigInt(this.frontier.size + 1), problem: 'truncated' };
  }

  private async advance(): Promise<ChainFault | undefined> {
    const { size: beginning } = this.frontier;
    const dropped = { size: beginning, root: this.frontier.root() };
    for (;;) {
      const { value } = await this.expected.next();
      this.next = value;
      if (this.next === undefined) return undefined;
      const { size } = this.next;
      const sequence = BigInt(size);
      const problem = this.verifier.faultOf(this.next);
      if (problem !== undefined) return { sequence, problem };
      if (size > beginning || this.is_begun) return undefined;
      // Its entries are gone: the tree that is left begins with what it covers, or it is another one.
      if (!isConsistent(this.next, dropped, await this.pathFrom(size))) {
        return { sequence, problem: 'rewritten' };
      }
      this.checkpoints += 1;
      this.covered = size;
    }
  }
}

async function verifyChain(
  db: Database,
  ctx: CallContext,
  chain_id: string,
  evidence: Evidence,
): Promise<ChainReport> {
  const origin = auditOrigin(chain_id);
  const kept = keptOf(evidence).filter((checkpoint) => checkpoint.origin === origin);
  // Before the head: what is signed meanwhile may cover what is appended meanwhile.
  const newest = await findCheckpoint(db.read(ctx), origin);
  const [stored_head] = await readHeads(db.read(ctx), chain_id);
  const head = stored_head ?? { sequence: 0n, hash: CHAIN_START };
  const dropped = await droppedUpTo(db.read(ctx), chain_id);
  const beginning = Number(dropped?.last ?? 0n);
  const trees = await readFrontiers(db.read(ctx), new Map([[chain_id, beginning]]));
  const follower = new CheckpointFollower(
    merged(storedCheckpoints(db, ctx, origin, newest?.size ?? 0), kept),
    evidence.verifier,
    trees.get(chain_id) ?? new Frontier(),
    (size) => readConsistency(db.read(ctx), chain_id, size, beginning),
  );
  const verifier = new ChainVerifier(dropped?.last, dropped?.hash);
  const covered_by_newest = BigInt(newest?.size ?? 0);
  let uncovered_since_ms: number | undefined;
  let fault = await follower.start();
  if (dropped !== undefined && !trees.get(chain_id)?.root().equals(dropped.root)) {
    fault ??= { sequence: dropped.last, problem: 'rewritten' };
  }
  for (let read = BATCH; fault === undefined && read === BATCH; ) {
    const { verified } = verifier;
    const records = await readChain(db.read(ctx), chain_id, verified, head.sequence, BATCH);
    for (const record of records) {
      fault = verifier.next(record) ?? (await follower.push(recordText(record, record.prev_hash)));
      if (fault !== undefined) break;
      if (verifier.verified <= covered_by_newest) continue;
      const at_ms = Date.parse(record.at);
      uncovered_since_ms ??= at_ms;
      if (at_ms - uncovered_since_ms > MAX_UNSIGNED_MS) {
        fault = { sequence: covered_by_newest + 1n, problem: 'unsigned' };
        break;
      }
    }
    read = records.length;
  }
  fault ??= verifier.end(head) ?? follower.end();
  const { checkpoints, covered } = follower;
  return { chain_id, head, verified: verifier.verified, checkpoints, covered, fault };
}
