import type { CallContext } from '@credit/platform/context';
import { hashSecret, isRefreshToken } from '@credit/platform/credentials';
import { unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { normalizeAddress } from '../domain/addresses';
import { decideRefresh } from '../domain/sessions';
import { profileOf } from '../queries/profile';
import { findInstitution } from '../store/institutions';
import {
  endSession,
  lockRefreshToken,
  markRefreshTokenUsed,
  supersedeSuccessors,
} from '../store/sessions';
import { findUser } from '../store/users';
import { inactive } from './actor';
import { issueTokens, type SignedIn } from './issue-tokens';
import { tellAudit } from './tell';

/** Rotates a refresh token; one that was copied ends its whole family. */
export async function refresh(
  deps: Dependencies,
  ctx: CallContext,
  refresh_token: string,
): Promise<SignedIn> {
  if (!isRefreshToken(refresh_token)) throw unauthenticated();
  const token_hash = hashSecret(refresh_token);
  const signed_in = await deps.db.transaction(ctx, async (tx) => {
    const token = await lockRefreshToken(tx, token_hash);
    if (token === undefined) return undefined;
    const user = await findUser(tx, token.user_id);
    if (user?.status !== 'ACTIVE') return undefined;
    const decision = decideRefresh(token);
    switch (decision) {
      case 'refuse':
        return undefined;
      case 'reuse':
        // Returns and does not throw: the end of the family must be committed.
        await endSession(tx, token.session_id);
        tellAudit(tx, deps.clock, {
          institution_id: user.institution_id,
          action: 'session.reuse_detected',
          target_type: 'session',
          target_id: token.session_id,
          changes: { user_id: user.id },
        });
        return undefined;
      case 'rotate':
        await markRefreshTokenUsed(tx, token_hash);
        break;
      case 'repeat':
        await supersedeSuccessors(tx, token_hash);
        break;
      default:
        return decision satisfies never;
    }
    const institution =
      user.institution_id === undefined
        ? undefined
        : await findInstitution(tx, user.institution_id);
    if (institution !== undefined && institution.status !== 'ACTIVE') throw inactive();
    const tokens = await issueTokens(tx, deps, {
      session_id: token.session_id,
      parent_hash: token_hash,
      client_address: normalizeAddress(ctx.client_address),
    });
    return { tokens, profile: profileOf(deps, user, institution) };
  });
  if (signed_in === undefined) throw unauthenticated();
  return signed_in;
}
