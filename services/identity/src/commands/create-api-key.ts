import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { draftKey, type KeyRequest } from '../domain/api-keys';
import { requirePermission } from './actor';
import { type IssuedApiKey, issueApiKey, shownKey } from './issue-api-key';
import { tellAudit } from './tell';

/** Creates a key for the caller's institution. */
export async function createApiKey(
  deps: Dependencies,
  ctx: CallContext,
  request: KeyRequest,
): Promise<IssuedApiKey> {
  const draft = draftKey(request, deps.clock.now_ms());
  return deps.db.transaction(ctx, async (tx) => {
    const user = await requirePermission(tx, ctx, 'api_keys.create');
    const { institution_id } = user;
    const issued = await issueApiKey(deps, tx, draft, {
      institution_id,
      created_by: user.id,
      rotated_from: null,
    });
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'api_key.created',
      target_type: 'api_key',
      target_id: issued.api_key.id,
      changes: shownKey(issued.api_key),
    });
    return issued;
  });
}
