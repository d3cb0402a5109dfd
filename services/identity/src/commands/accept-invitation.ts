import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import { type AppError, type ErrorDetail, invalid, requestError } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { passwordFault } from '../domain/passwords';
import { requiredText } from '../domain/texts';
import { type Profile, profileOf } from '../queries/profile';
import { findInstitution } from '../store/institutions';
import { findInvitation, lockInvitation, markAccepted } from '../store/invitations';
import { insertUser } from '../store/users';
import { inactive } from './actor';
import { tellAudit } from './tell';

/** One sentence for every reason; whose address is a user's already learns it by mail. */
export function badInvitation(): AppError {
  return requestError(
    'The invitation is unknown, expired, withdrawn, replaced or accepted already.',
    'TOKEN_NOT_VALID',
  );
}

/** Makes a user from an invitation; its token is good once. */
export async function acceptInvitation(
  deps: Dependencies,
  ctx: CallContext,
  acceptance: { token: string; display_name: string; password: string },
): Promise<Profile> {
  const found = await findInvitation(deps.db.read(ctx), hashSecret(acceptance.token));
  if (!found?.is_open) throw badInvitation();

  const faults: ErrorDetail[] = [];
  const display_name = requiredText(
    faults,
    'display_name',
    acceptance.display_name,
    TEXTS.person_name,
  );
  const fault = passwordFault(acceptance.password, found.email);
  if (fault !== undefined) faults.push({ path: 'password', message: fault });
  if (faults.length > 0) throw invalid(faults);

  // Slow on purpose, so before the transaction.
  const password_hash = await deps.passwords.hash(acceptance.password);
  return deps.db.transaction(ctx, async (tx) => {
    const invitation = await lockInvitation(tx, found.id);
    if (!invitation?.is_open) throw badInvitation();
    const institution = await findInstitution(tx, invitation.institution_id);
    if (institution?.status !== 'ACTIVE') throw inactive();
    const user = await insertUser(tx, {
      id: deps.newId(),
      email: invitation.email,
      email_key: emailKey(invitation.email),
      display_name,
      password_hash,
      password_lifetime_s: undefined,
      institution_id: invitation.institution_id,
      role: invitation.role,
      platform_role: undefined,
    });
    if (user === undefined) throw badInvitation();
    await markAccepted(tx, invitation.id, user.id);
    tellAudit(tx, deps.clock, {
      institution_id: invitation.institution_id,
      action: 'user.joined',
      target_type: 'user',
      target_id: user.id,
      changes: { email: user.email, role: user.role, invitation_id: invitation.id },
      actor: { type: 'user', id: user.id },
    });
    return profileOf(deps, user, institution);
  });
}
