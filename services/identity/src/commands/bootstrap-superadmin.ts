import { systemContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { countOtherSuperadmins, insertUser, lockAccess } from '../store/users';
import { tellAudit } from './tell';

/**
 * Makes the first superadmin, only while there is none; replicas that start together
 * make one between them. Returns whether this one did.
 */
export async function bootstrapSuperadmin(
  deps: Dependencies,
  first: { email: string; password: string },
): Promise<boolean> {
  const ctx = systemContext('live');
  if ((await countOtherSuperadmins(deps.db.read(ctx), undefined)) > 0) return false;
  const password_hash = await deps.passwords.hash(first.password);
  return deps.db.transaction(ctx, async (tx) => {
    await lockAccess(tx);
    if ((await countOtherSuperadmins(tx, undefined)) > 0) return false;
    const user = await insertUser(tx, {
      id: deps.newId(),
      email: first.email,
      email_key: emailKey(first.email),
      display_name: 'Superadmin',
      password_hash,
      password_lifetime_s: undefined,
      institution_id: undefined,
      role: undefined,
      platform_role: 'SVC_SUPERADMIN',
    });
    if (user === undefined) {
      throw new Error('BOOTSTRAP_EMAIL belongs to a user who is no superadmin.');
    }
    tellAudit(tx, deps.clock, {
      institution_id: undefined,
      action: 'user.created',
      target_type: 'user',
      target_id: user.id,
      changes: { email: user.email, platform_role: user.platform_role },
    });
    return true;
  });
}
