/** What an API key may be allowed to do. None of it is about credentials. */
export const SCOPES = [
  'credit:read',
  'credit:report',
  'accounts:write',
  'events:write',
  'reports:request',
  'webhooks:manage',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Role of a user within an institution. */
export const ROLES = [
  'OWNER',
  'ADMIN',
  'COMPLIANCE',
  'LOAN_OFFICER',
  'DEVELOPER',
  'VIEWER',
] as const;
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
  'credit.read',
  'records.read',
  'records.write',
  'reports.request',
  'webhooks.manage',
  'disputes.respond',
  'institution.read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What somebody may do, by where it holds. */
export interface Permitted {
  /** On live data and on test data. */
  readonly permissions: readonly Permission[];
  /** On test data alone. */
  readonly test_permissions: readonly Permission[];
}

const NOTHING: Permitted = { permissions: [], test_permissions: [] };
const EVERYTHING: Permitted = { permissions: PERMISSIONS, test_permissions: [] };

const PERMITTED_TO: Readonly<Record<Role, Permitted>> = {
  OWNER: EVERYTHING,
  ADMIN: EVERYTHING,
  COMPLIANCE: {
    permissions: [
      'audit.read',
      'credit.read',
      'records.read',
      'disputes.respond',
      'institution.read',
    ],
    test_permissions: [],
  },
  LOAN_OFFICER: {
    permissions: ['credit.read', 'reports.request', 'institution.read'],
    test_permissions: [],
  },
  DEVELOPER: {
    permissions: ['api_keys.read', 'webhooks.manage', 'institution.read'],
    test_permissions: ['credit.read', 'records.read', 'records.write'],
  },
  VIEWER: { permissions: ['institution.read'], test_permissions: [] },
};

/** What comes with a role; nothing without one. */
export function permittedTo(role: Role | undefined): Permitted {
  return role === undefined ? NOTHING : PERMITTED_TO[role];
}

/** Whether the role allows it, on live data and on test data. */
export function isPermitted(role: Role | undefined, permission: Permission): boolean {
  return permittedTo(role).permissions.includes(permission);
}
