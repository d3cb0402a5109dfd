import type { Queryable } from '@credit/platform/db';
import type { CheckpointKeys, SignedCheckpoint } from '@credit/platform/merkle';
import { EMPTY_ROOT, isConsistent, type TreeHead } from '@credit/platform/merkle';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { findCheckpoint, insertCheckpoint } from '../store/audit-checkpoints';

/** A log's past is another one than was signed: somebody has to look, and nothing more is signed. */
export class TamperedLog extends Error {
  constructor(origin: string, problem: string) {
    super(`The log ${origin} is not what was signed: ${problem}.`);
    this.name = 'TamperedLog';
  }
}

/** What signing stands on. */
export interface SigningDependencies {
  readonly checkpoint_keys: CheckpointKeys;
  readonly clock: Clock;
}

/** What was signed last of a log, with its signature checked; the empty log if nothing was. */
export async function lastSigned(
  tx: Queryable,
  { checkpoint_keys }: Pick<SigningDependencies, 'checkpoint_keys'>,
  origin: string,
): Promise<TreeHead> {
  const last = await findCheckpoint(tx, origin);
  if (last === undefined) return { size: 0, root: EMPTY_ROOT };
  const fault = checkpoint_keys.verifier.faultOf(last);
  if (fault !== undefined) throw new TamperedLog(origin, `its last checkpoint has a ${fault}`);
  return last;
}

/**
 * Signs what follows on the last checkpoint, and keeps it. Only what begins with all that was signed
 * before: whoever holds the log cannot have another past of it signed. The caller has the turn.
 */
export async function signNext(
  tx: Queryable,
  { checkpoint_keys, clock }: SigningDependencies,
  origin: string,
  last: TreeHead,
  next: TreeHead,
  path: readonly Buffer[],
): Promise<SignedCheckpoint> {
  if (!isConsistent(last, next, path)) {
    throw new TamperedLog(origin, `${next.size} entries do not begin with the ${last.size} signed`);
  }
  const { size, root } = next;
  const signed_at = toTimestamp(clock.now_ms());
  const signed = checkpoint_keys.sign({ origin, size, root, signed_at });
  await insertCheckpoint(tx, signed);
  return signed;
}
