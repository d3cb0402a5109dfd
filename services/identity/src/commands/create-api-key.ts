import type { CallContext } from '@credit/platform/context';
import { conflict } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { draftKey, type KeyRequest, MAX_ACTIVE_KEYS } from '../domain/api-keys';
import { countActiveKeys } from '../store/api-keys';
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
    // Rotation replaces one, so it is not counted: who has too many can still change them.
    if ((await countActiveKeys(tx, institution_id, draft.environment)) >= MAX_ACTIVE_KEYS) {
      throw conflict(
        `The institution has ${MAX_ACTIVE_KEYS} active ${draft.environment} keys; revoke one first.`,
        { reason: 'LIMIT_REACHED' },
      );
    }
    const issued = await issueApiKey(tx, deps, draft, {
      institution_id,
      created_by: user.id,
      rotated_from: undefined,
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
