import type { CallContext } from '@credit/platform/context';
import { conflict, notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { lockApiKey, markRevoked } from '../store/api-keys';
import { requirePermission } from './actor';
import { type IssuedApiKey, issueApiKey, shownKey } from './issue-api-key';
import { tellAudit } from './tell';

/** Replaces a key by one that is the same but for its secret; the old one ends with it. */
export async function rotateApiKey(
  deps: Dependencies,
  ctx: CallContext,
  key_id: string,
): Promise<IssuedApiKey> {
  return deps.db.transaction(ctx, async (tx) => {
    const user = await requirePermission(tx, ctx, 'api_keys.create');
    const { institution_id } = user;
    const key = await lockApiKey(tx, key_id, institution_id);
    if (key === undefined) throw notFound('There is no such API key.');
    if (!key.active)
      throw conflict('A revoked or expired API key cannot be rotated.', { reason: 'KEY_INACTIVE' });
    await markRevoked(tx, key_id);
    const issued = await issueApiKey(tx, deps, key, {
      institution_id,
      created_by: user.id,
      rotated_from: key_id,
    });
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'api_key.rotated',
      target_type: 'api_key',
      target_id: key_id,
      changes: { replaced_by: issued.api_key.id, ...shownKey(issued.api_key) },
    });
    return issued;
  });
}
