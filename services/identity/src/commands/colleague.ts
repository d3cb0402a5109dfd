import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { forbidden, notFound } from '@credit/platform/errors';
import type { Role } from '@credit/platform/values';
import { mayInvite } from '../domain/roles';
import { lockUser, type UserWithPassword } from '../store/users';
import { type Member, requirePermission } from './actor';

/**
 * The acting user and the user of its institution that it changes, whose row is locked. What an
 * OWNER has is an OWNER's to give and to take. Who also has a role on the platform is changed by
 * those who run it alone.
 */
export async function requireColleague(
  tx: Transaction,
  ctx: CallContext,
  user_id: string,
): Promise<{ actor: Member; before: UserWithPassword }> {
  const actor = await requirePermission(tx, ctx, 'institution.users.manage');
  const before = await lockUser(tx, user_id);
  if (before === undefined || before.institution_id !== actor.institution_id) {
    throw notFound('There is no such user in the institution.');
  }
  if (before.role !== undefined) assertMayChange(actor, before.role);
  if (before.platform_role !== undefined) {
    throw forbidden('The user has a role on the platform: its administrators change it.', {
      reason: 'ROLE',
    });
  }
  return { actor, before };
}

/** Throws unless who has the actor's role may change who has, or will have, the other. */
export function assertMayChange(actor: Member, held: Role): void {
  if (mayInvite(actor.role, held)) return;
  throw forbidden(`A user who is ${actor.role} cannot change who is ${held}.`, { reason: 'ROLE' });
}
