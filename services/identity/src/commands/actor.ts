import type { CallContext } from '@credit/platform/context';
import type { Queryable } from '@credit/platform/db';
import { type AppError, forbidden } from '@credit/platform/errors';
import {
  isPermitted,
  type Permission,
  type PlatformRole,
  type Role,
} from '@credit/platform/values';
import { holdsPlatformRole } from '../domain/roles';
import type { User } from '../domain/users';
import { findUser } from '../store/users';

// The gateway has checked all this before the call. It is looked at again in the
// transaction of the change: rights may have been taken away in between, and a key can
// never do what only users may, whoever calls.

/** What a key is told where only a user may. */
export function needsUser(): AppError {
  return forbidden('This takes the session of a user, not an API key.', {
    reason: 'CREDENTIAL_KIND',
  });
}

/** What those of an institution are told that is not ACTIVE. */
export function inactive(): AppError {
  return forbidden('The institution is not ACTIVE.', { reason: 'INSTITUTION_STATUS' });
}

function lacks(required: Permission | PlatformRole): AppError {
  return forbidden(`This takes ${required}.`, { reason: 'ROLE', required });
}

/** The id of the acting user. */
export function userOf({ actor }: CallContext): string {
  if (actor.type !== 'user') throw needsUser();
  return actor.id;
}

/** The acting user, which must be an active one. */
export async function requireUser(on: Queryable, ctx: CallContext): Promise<User> {
  const user = await findUser(on, userOf(ctx));
  if (user === undefined || user.status !== 'ACTIVE') {
    throw forbidden('The user is not active any more.', { reason: 'ROLE' });
  }
  return user;
}

/** A user that belongs to an institution. */
export type Member = User & { readonly institution_id: string; readonly role: Role };

/** The acting user, with the permission in its own institution. */
export async function requirePermission(
  on: Queryable,
  ctx: CallContext,
  permission: Permission,
): Promise<Member> {
  const user = await requireUser(on, ctx);
  const { institution_id, role } = user;
  if (institution_id === undefined || role === undefined) throw lacks(permission);
  if (institution_id !== ctx.institution_id || !isPermitted(role, permission)) {
    throw lacks(permission);
  }
  return { ...user, institution_id, role };
}

/** The acting user, with the role on the platform. */
export async function requirePlatformRole(
  on: Queryable,
  ctx: CallContext,
  role: PlatformRole,
): Promise<User> {
  const user = await requireUser(on, ctx);
  if (!holdsPlatformRole(user.platform_role, role)) throw lacks(role);
  return user;
}
