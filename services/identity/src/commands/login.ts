import type { CallContext } from '@credit/platform/context';
import { forbidden, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { meteredPlace, normalizeAddress } from '../domain/addresses';
import { emailKey } from '../domain/emails';
import { profileOf } from '../queries/profile';
import { findInstitution } from '../store/institutions';
import { insertSession } from '../store/sessions';
import { findUserByEmail, lockUser, touchLogin } from '../store/users';
import { issueTokens, type SignedIn } from './issue-tokens';
import { guarded } from './password-guard';
import { tellAudit } from './tell';

/** One sentence for every reason, so that it tells nothing about who has an account. */
const WRONG = 'The e-mail or the password is wrong.';

/** Exchanges e-mail and password for a token pair. */
export async function login(
  deps: Dependencies,
  ctx: CallContext,
  given: { email: string; password: string; client_address: string },
): Promise<SignedIn> {
  const email_key = emailKey(given.email);
  const place = meteredPlace(normalizeAddress(given.client_address));
  const user = await guarded(deps, ctx, { email_key, place }, async () => {
    const found = await findUserByEmail(deps.db.read(ctx), email_key);
    const matches = await deps.passwords.verify(found?.password_hash, given.password);
    if (found === undefined || !matches) return undefined;
    return found.status === 'ACTIVE' && !found.is_password_expired ? found : undefined;
  });
  if (user === undefined) throw unauthenticated(WRONG);

  return deps.db.transaction(ctx, async (tx) => {
    // The password was checked before the lock: it must still be the one.
    const locked = await lockUser(tx, user.id);
    if (locked?.status !== 'ACTIVE' || locked.password_hash !== user.password_hash) {
      throw unauthenticated(WRONG);
    }
    const institution =
      locked.institution_id === null ? undefined : await findInstitution(tx, locked.institution_id);
    if (institution !== undefined && institution.status !== 'ACTIVE') throw forbidden();
    const session_id = deps.newId();
    await insertSession(tx, session_id, locked.id);
    const tokens = await issueTokens(deps, tx, {
      session_id,
      user_id: locked.id,
      parent_hash: null,
    });
    tellAudit(tx, deps.clock, {
      institution_id: locked.institution_id,
      action: 'user.logged_in',
      target_type: 'session',
      target_id: session_id,
      actor: { type: 'user', id: locked.id },
    });
    return { tokens, profile: profileOf(await touchLogin(tx, locked.id), institution) };
  });
}
