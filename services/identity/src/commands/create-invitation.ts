import type { CallContext } from '@credit/platform/context';
import { forbidden, invalid, rateLimited } from '@credit/platform/errors';
import { isEmail } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { mayInvite, type Role } from '../domain/roles';
import { countAttempt } from '../store/attempts';
import { lockInstitution } from '../store/institutions';
import { lockUser } from '../store/users';
import { requirePermission } from './actor';
import { type IssuedInvitation, invite } from './invite';

/** An institution may invite one address so often in a day: each time is a mail to somebody. */
const MAX_PER_ADDRESS = 10;
const ADDRESS_WINDOW_S = 24 * 3_600;

/** Invites somebody into the caller's institution. */
export async function createInvitation(
  deps: Dependencies,
  ctx: CallContext,
  wanted: { email: string; role: Role },
): Promise<IssuedInvitation> {
  const email = wanted.email.trim();
  if (!isEmail(email)) throw invalid('email', 'is not an e-mail address');
  return deps.db.transaction(ctx, async (tx) => {
    // Whoever takes the inviter's right away waits, and then finds the invitation, or comes first.
    await lockUser(tx, ctx.actor.id);
    const inviter = await requirePermission(tx, ctx, 'institution.users.manage');
    if (!mayInvite(inviter.role, wanted.role)) {
      throw forbidden(`A user who is ${inviter.role} cannot invite a user as ${wanted.role}.`, {
        reason: 'ROLE',
      });
    }
    const { institution_id } = inviter;
    await lockInstitution(tx, institution_id);
    const [counted] = await countAttempt(tx, [
      { subject: `invited ${institution_id} ${emailKey(email)}`, window_s: ADDRESS_WINDOW_S },
    ]);
    if (counted !== undefined && counted.count > MAX_PER_ADDRESS) {
      throw rateLimited(
        'The address was invited too often today.',
        counted.ends_in_s,
        'TOO_MANY_ATTEMPTS',
      );
    }
    return invite(tx, deps, {
      ...wanted,
      institution_id,
      invited_by: inviter.id,
      invited_as: 'MEMBER',
    });
  });
}
