import type { CallContext } from '@credit/platform/context';
import { notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { lockApiKey, markRevoked } from '../store/api-keys';
import { requirePermission } from './actor';
import { tellAudit } from './tell';

/** Revokes a key: authorisation refuses it from the commit on. Again is no error. */
export async function revokeApiKey(
  deps: Dependencies,
  ctx: CallContext,
  key_id: string,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const { institution_id } = await requirePermission(tx, ctx, 'api_keys.revoke');
    const key = await lockApiKey(tx, key_id, institution_id);
    if (key === undefined) throw notFound('There is no such API key.');
    if (key.is_revoked) return;
    await markRevoked(tx, key_id);
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'api_key.revoked',
      target_type: 'api_key',
      target_id: key_id,
      changes: { display_name: key.display_name, prefix: key.prefix },
    });
  });
}
