import type { CallContext } from '@credit/platform/context';
import { conflict, type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { type PlatformRole, type Role, TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { requiredEmail, requiredText } from '../domain/texts';
import { accessFaults, type User } from '../domain/users';
import { findInstitution } from '../store/institutions';
import { insertUser } from '../store/users';
import { requirePlatformRole } from './actor';
import { tellAdministration, withNulls } from './tell';
import { newTemporaryPassword } from './temporary-password';

/** Creates a login with a temporary password, which is in the answer and nowhere else. */
export async function createUser(
  deps: Dependencies,
  ctx: CallContext,
  wanted: {
    email: string;
    display_name: string;
    institution_id: string | undefined;
    role: Role | undefined;
    platform_role: PlatformRole | undefined;
  },
): Promise<{ user: User; temporary_password: string }> {
  const { institution_id, role, platform_role } = wanted;
  const faults: ErrorDetail[] = [];
  const email = requiredEmail(faults, 'email', wanted.email);
  const display_name = requiredText(faults, 'display_name', wanted.display_name, TEXTS.person_name);
  faults.push(...accessFaults({ status: 'ACTIVE', institution_id, role, platform_role }));
  if (faults.length > 0) throw invalid(faults);

  const temporary_password = newTemporaryPassword();
  const password_hash = await deps.passwords.hash(temporary_password);
  const user = await deps.db.transaction(ctx, async (tx) => {
    await requirePlatformRole(tx, ctx, 'SVC_SUPERADMIN');
    if (institution_id !== undefined && (await findInstitution(tx, institution_id)) === undefined) {
      throw notFound('There is no such institution.');
    }
    const created = await insertUser(tx, {
      id: deps.newId(),
      email,
      email_key: emailKey(email),
      display_name,
      password_hash,
      password_lifetime_s: deps.config.TEMPORARY_PASSWORD_LIFETIME_S,
      institution_id,
      role,
      platform_role,
    });
    if (created === undefined)
      throw conflict('A user with this e-mail exists already.', { reason: 'EMAIL_TAKEN' });
    const told = {
      action: 'user.created',
      target_type: 'user',
      target_id: created.id,
      changes: withNulls({ email, role, platform_role }),
    };
    tellAdministration(tx, deps.clock, told, [institution_id]);
    return created;
  });
  return { user, temporary_password };
}
