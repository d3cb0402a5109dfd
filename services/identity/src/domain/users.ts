import { conflict, type ErrorDetail, invalid } from '@credit/platform/errors';
import type { PlatformRole, Role } from '@credit/platform/values';

/** Standing of a user. */
export const USER_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** A user account. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly display_name: string;
  readonly status: UserStatus;
  readonly institution_id: string | undefined;
  readonly role: Role | undefined;
  readonly platform_role: PlatformRole | undefined;
  readonly must_change_password: boolean;
  /** As shown; what depends on it reads the factor under the user's lock. */
  readonly second_factor: boolean;
  readonly recovery_codes_left: number;
  readonly last_login_at: string | undefined;
  readonly created_at: string;
}

/** What lets a user do things. */
export type Access = Pick<User, 'status' | 'institution_id' | 'role' | 'platform_role'>;

/** What a field becomes; without a value it loses what it held. */
export interface Becomes<Value> {
  readonly to: Value | undefined;
}

/** A change of it; what is not named stays. */
export interface AccessChange {
  readonly status?: UserStatus | undefined;
  readonly institution_id?: Becomes<string> | undefined;
  readonly role?: Becomes<Role> | undefined;
  readonly platform_role?: Becomes<PlatformRole> | undefined;
}

/**
 * The access after a change. Leaving an institution ends the role in it; entering
 * another needs a role in that one. VALIDATION_ERROR when the result makes no sense.
 */
export function changedAccess(before: Access, change: AccessChange): Access {
  const institution_id = changed(before.institution_id, change.institution_id);
  const moved = institution_id !== before.institution_id;
  const after: Access = {
    status: change.status ?? before.status,
    institution_id,
    role: changed(moved ? undefined : before.role, change.role),
    platform_role: changed(before.platform_role, change.platform_role),
  };
  const faults = accessFaults(after);
  if (faults.length > 0) throw invalid(faults);
  return after;
}

function changed<Value>(
  before: Value | undefined,
  change: Becomes<Value> | undefined,
): Value | undefined {
  return change === undefined ? before : change.to;
}

/** What is wrong with an access: role and institution go together, and one of the two roles is needed. */
export function accessFaults(access: Access): ErrorDetail[] {
  if (access.institution_id !== undefined && access.role === undefined) {
    return [{ path: 'role', message: 'is required with an institution' }];
  }
  if (access.institution_id === undefined && access.role !== undefined) {
    return [{ path: 'institution_id', message: 'is required with a role' }];
  }
  if (access.institution_id === undefined && access.platform_role === undefined) {
    return [{ path: 'role', message: 'a user needs a role in an institution or on the platform' }];
  }
  return [];
}

/** Whether the sessions begun under the old access must end. */
export function endsSessions(before: Access, after: Access): boolean {
  return (
    after.status === 'DISABLED' ||
    after.institution_id !== before.institution_id ||
    after.role !== before.role ||
    after.platform_role !== before.platform_role
  );
}

function isOwner(access: Access): boolean {
  return access.status === 'ACTIVE' && access.role === 'OWNER';
}

function isSuperadmin(access: Access): boolean {
  return access.status === 'ACTIVE' && access.platform_role === 'SVC_SUPERADMIN';
}

/** The institution that loses an owner by the change, if any. */
export function losesOwner(before: Access, after: Access): string | undefined {
  if (!isOwner(before)) return undefined;
  if (isOwner(after) && after.institution_id === before.institution_id) return undefined;
  return before.institution_id;
}

/** Whether the platform loses a superadmin by the change. */
export function losesSuperadmin(before: Access, after: Access): boolean {
  return isSuperadmin(before) && !isSuperadmin(after);
}

/** Throws INVALID_STATE_TRANSITION when nobody would be left; counts leave the changed user out. */
export function assertSomebodyIsLeft(left: {
  readonly owners: number | undefined;
  readonly superadmins: number | undefined;
}): void {
  if (left.owners === 0)
    throw conflict('The institution would be left without an OWNER.', { reason: 'LAST_OWNER' });
  if (left.superadmins === 0) {
    throw conflict('The platform would be left without a SVC_SUPERADMIN.', {
      reason: 'LAST_SUPERADMIN',
    });
  }
}
