import { OutOfTurn } from '@credit/platform/bus';
import type { Environment } from '@credit/platform/context';
import type { Queryable } from '@credit/platform/db';
import { eventsOrigin, HASH_BYTES, type TreeHead } from '@credit/platform/merkle';
import { findCheckpoint, waitCheckpointTurn } from '../store/audit-checkpoints';
import { lastSigned, type SigningDependencies, signNext, TamperedLog } from './sign-next';

/** What reporting tells of a log. */
export interface GrownLog {
  readonly environment: Environment;
  readonly institution_id: string;
  readonly from_size: number;
  readonly head: TreeHead;
  readonly path: readonly Buffer[];
}

/**
 * Signs the state of a log of credit events, which follows on the one that was signed last. Reporting
 * has no key, so that who holds its database cannot have a changed past signed.
 */
export async function signEventLog(
  tx: Queryable,
  deps: SigningDependencies,
  { environment, institution_id, from_size, head, path }: GrownLog,
): Promise<void> {
  const origin = eventsOrigin(environment, institution_id);
  if (head.root.length !== HASH_BYTES || !Number.isSafeInteger(head.size)) {
    throw new TamperedLog(origin, 'what was told of it is no state of a log');
  }
  await waitCheckpointTurn(tx, origin);
  const last = await lastSigned(tx, deps, origin);
  if (head.size <= last.size) {
    // Told again, as after a loss of the stream. It must be what was signed then.
    const signed = await findCheckpoint(tx, origin, head.size);
    if (signed?.root.equals(head.root)) return;
    throw new TamperedLog(origin, `another state of ${head.size} entries was signed`);
  }
  if (from_size > last.size) {
    throw new OutOfTurn(
      `The log ${origin} is signed up to ${last.size} and not up to ${from_size}.`,
    );
  }
  await signNext(tx, deps, origin, last, head, path);
}
