import {
  holdsPlatformRole,
  mayInvite,
  PERMISSIONS,
  permissionsOf,
  ROLES,
} from '../../src/domain/roles';

test('owners and admins hold every permission, developers see keys, viewers nothing', () => {
  expect(permissionsOf('OWNER')).toEqual(PERMISSIONS);
  expect(permissionsOf('ADMIN')).toEqual(PERMISSIONS);
  expect(permissionsOf('DEVELOPER')).toEqual(['api_keys.read']);
  expect(permissionsOf('VIEWER')).toEqual([]);
  expect(permissionsOf(undefined)).toEqual([]);
});

test('only an owner makes an owner; who may not manage users invites nobody', () => {
  expect(ROLES.filter((role) => mayInvite('OWNER', role))).toEqual([...ROLES]);
  expect(ROLES.filter((role) => mayInvite('ADMIN', role))).toEqual([
    'ADMIN',
    'DEVELOPER',
    'VIEWER',
  ]);
  for (const inviter of ['DEVELOPER', 'VIEWER', undefined] as const) {
    expect(ROLES.filter((role) => mayInvite(inviter, role))).toEqual([]);
  }
});

test('a superadmin is a platform administrator, and not the other way round', () => {
  expect(holdsPlatformRole('SVC_SUPERADMIN', 'PLATFORM_ADMIN')).toBe(true);
  expect(holdsPlatformRole('SVC_SUPERADMIN', 'SVC_SUPERADMIN')).toBe(true);
  expect(holdsPlatformRole('PLATFORM_ADMIN', 'PLATFORM_ADMIN')).toBe(true);
  expect(holdsPlatformRole('PLATFORM_ADMIN', 'SVC_SUPERADMIN')).toBe(false);
  expect(holdsPlatformRole(undefined, 'PLATFORM_ADMIN')).toBe(false);
});
