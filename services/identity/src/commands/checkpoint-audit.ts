import { createHash } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  leafHash,
  readConsistency,
  readFrontiers,
  readLeaf,
  writeFrontiers,
} from '@credit/platform/merkle';
import { toTimestamp } from '@credit/platform/runtime';
import type { Config } from '../config';
import { CHAIN_START, recordText } from '../domain/audit-chain';
import { auditOrigin } from '../domain/audit-origin';
import { dueChains, readChain } from '../store/audit';
import { tryCheckpointTurn } from '../store/audit-checkpoints';
import { droppedUpTo } from '../store/audit-exports';
import { lastSigned, type SigningDependencies, signNext, TamperedLog } from './sign-next';

/** No more entries than that are without a checkpoint. */
export const ENTRIES_A_CHECKPOINT = 1_000;
/** Asked for at once. */
const CHAINS_A_PAGE = 100;

/** What checkpoints are made of. */
export interface CheckpointDependencies extends SigningDependencies {
  readonly db: Database;
  readonly config: Pick<Config, 'AUDIT_CHECKPOINT_EVERY_S'>;
}

/**
 * Makes the checkpoints that are due: of chains with a thousand new entries, or with one that has
 * waited long enough. A chain that cannot have one holds up no other. True when more may be due.
 */
export async function checkpointAudit(
  deps: CheckpointDependencies,
  isStopping: () => boolean = () => false,
): Promise<boolean> {
  const { db, clock, config } = deps;
  const waiting_since = toTimestamp(clock.now_ms() - config.AUDIT_CHECKPOINT_EVERY_S * 1_000);
  const on = db.read(systemContext('live'));
  let made = 0;
  let failure: unknown;
  let last: string | undefined;
  do {
    const page = await dueChains(on, waiting_since, ENTRIES_A_CHECKPOINT, last, CHAINS_A_PAGE);
    for (const chain_id of page) {
      if (isStopping()) return false;
      try {
        if (await checkpointChain(deps, chain_id)) made += 1;
      } catch (error) {
        failure ??= error;
      }
    }
    last = page.length < CHAINS_A_PAGE ? undefined : page.at(-1);
  } while (last !== undefined);
  // Told once the others are done.
  if (failure !== undefined) throw failure;
  return made > 0;
}

/** One checkpoint over up to a thousand new entries; false when another process is at it. */
export function checkpointChain(deps: CheckpointDependencies, chain_id: string): Promise<boolean> {
  return deps.db.transaction(systemContext('live'), async (tx) => {
    const origin = auditOrigin(chain_id);
    if (!(await tryCheckpointTurn(tx, origin))) return false;
    const last = await lastSigned(tx, deps, origin);
    const frontier = (await readFrontiers(tx, new Map([[chain_id, last.size]]))).get(chain_id);
    if (frontier === undefined) throw new Error('A log has no edge.');

    // The last one covered, too: its hash follows from all before it, so that it is another one if any
    // of those was written anew.
    const covered = Math.max(0, last.size - 1);
    const up_to = BigInt(last.size + ENTRIES_A_CHECKPOINT);
    const records = await readChain(tx, chain_id, BigInt(covered), up_to, ENTRIES_A_CHECKPOINT + 1);
    let prev_hash = CHAIN_START;
    const begins_at = records[0]?.sequence === BigInt(last.size) ? 'covered' : 'next';
    const dropped = begins_at === 'next' ? await droppedUpTo(tx, chain_id) : undefined;
    if (dropped !== undefined && dropped.last === BigInt(last.size)) {
      // The one before was exported and dropped, with all before it.
      prev_hash = dropped.hash;
    } else if (last.size > 0) {
      const before = records.shift();
      const leaf = await readLeaf(tx, chain_id, covered);
      if (
        before?.sequence !== BigInt(last.size) ||
        !leafHash(recordText(before, before.prev_hash)).equals(leaf)
      ) {
        throw new TamperedLog(origin, `entry ${last.size} is another one`);
      }
      prev_hash = before.hash;
    }
    for (const record of records) {
      const place = BigInt(frontier.size + 1);
      const text = recordText(record, record.prev_hash);
      const hash = createHash('sha256').update(text).digest();
      const whole =
        record.sequence === place && record.hash.equals(hash) && prev_hash.equals(record.prev_hash);
      if (!whole) throw new TamperedLog(origin, `entry ${place} does not follow on the one before`);
      frontier.push(leafHash(text));
      prev_hash = hash;
    }
    if (frontier.size === last.size) return false;
    await writeFrontiers(tx, new Map([[chain_id, frontier]]));
    const path = await readConsistency(tx, chain_id, last.size, frontier.size);
    await signNext(tx, deps, origin, last, { size: frontier.size, root: frontier.root() }, path);
    return true;
  });
}
