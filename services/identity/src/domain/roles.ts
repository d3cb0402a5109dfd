import { isPermitted, type PlatformRole, type Role } from '@credit/platform/values';

/** Whether a holder of `held` may do what `wanted` may. */
export function holdsPlatformRole(held: PlatformRole | undefined, wanted: PlatformRole): boolean {
  return held === 'SVC_SUPERADMIN' || held === wanted;
}

/** Only an owner makes an owner; any other role is the inviter's to give. */
export function mayInvite(inviter: Role | undefined, role: Role): boolean {
  if (!isPermitted(inviter, 'institution.users.manage')) return false;
  return role !== 'OWNER' || inviter === 'OWNER';
}
