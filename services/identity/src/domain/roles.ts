/** Role of a user within an institution. */
export const ROLES = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'] as const;
export type Role = (typeof ROLES)[number];

/** Role of a user on the platform; a SVC_SUPERADMIN is a PLATFORM_ADMIN too. */
export const PLATFORM_ROLES = ['PLATFORM_ADMIN', 'SVC_SUPERADMIN'] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];

/** What a role may allow within the institution. */
export const PERMISSIONS = [
  'api_keys.create',
  'api_keys.read',
  'api_keys.revoke',
  'institution.users.manage',
  'audit.read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  OWNER: PERMISSIONS,
  ADMIN: PERMISSIONS,
  DEVELOPER: ['api_keys.read'],
  VIEWER: [],
};

/** The permissions that come with a role; none without one. */
export function permissionsOf(role: Role | undefined): readonly Permission[] {
  return role === undefined ? [] : PERMISSIONS_OF[role];
}

/** Whether the role allows it. */
export function isPermitted(role: Role | undefined, permission: Permission): boolean {
  return permissionsOf(role).includes(permission);
}

/** Whether a holder of `held` may do what `wanted` may. */
export function holdsPlatformRole(held: PlatformRole | undefined, wanted: PlatformRole): boolean {
  return held === 'SVC_SUPERADMIN' || held === wanted;
}

/** Only an owner makes an owner; any other role is the inviter's to give. */
export function mayInvite(inviter: Role | undefined, role: Role): boolean {
  if (!isPermitted(inviter, 'institution.users.manage')) return false;
  return role !== 'OWNER' || inviter === 'OWNER';
}
