import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { type KeyRing, sealSecret, unsealSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import { listSealedByOthers, reseal } from '../store/subscriptions';

const BATCH = 100;
/** More than 20 subscriptions of any plausible number of institutions. */
const MAX_BATCHES = 10_000;

/**
 * Seals with the current key what an earlier one sealed, so that the earlier one
 * can be taken out of the configuration. Returns how many secrets that were.
 */
export async function resealSecrets(
  db: Database,
  keys: KeyRing,
  ctx: CallContext,
): Promise<number> {
  let count = 0;
  let after_id: string | undefined;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const rows = await listSealedByOthers(db.read(ctx), keys.current_id, after_id, BATCH);
    for (const row of rows) {
      const stored = { key_id: row.secret_key_id, sealed: row.secret_sealed };
      const secret = unsealSecret(keys, row.id, stored);
      await reseal(db.read(ctx), row, sealSecret(keys, row.id, secret, randomBytes));
    }
    count += rows.length;
    after_id = rows.at(-1)?.id;
    if (rows.length < BATCH) break;
  }
  return count;
}
