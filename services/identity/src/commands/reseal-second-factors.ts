import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { sealSecret } from '@credit/platform/credentials';
import type { Dependencies } from '../dependencies';
import { listSealedByOthers, reseal } from '../store/second-factors';
import { secretOf } from './second-factor-proof';

const BATCH = 100;

/**
 * Seals with the current key what an earlier one sealed, so that the earlier one can be taken out
 * of the configuration. Returns how many secrets that were.
 */
export async function resealSecondFactors(
  deps: Pick<Dependencies, 'db' | 'second_factor_keys'>,
  ctx: CallContext,
): Promise<number> {
  const { db, second_factor_keys: keys } = deps;
  const on = db.read(ctx);
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const rows = await listSealedByOthers(on, keys.current_id, after, BATCH);
    for (const row of rows) {
      await reseal(on, row, sealSecret(keys, row.user_id, secretOf(deps, row), randomBytes));
    }
    count += rows.length;
    after = rows.at(-1)?.user_id;
    if (rows.length < BATCH) return count;
  }
}
