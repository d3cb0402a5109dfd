import { ROLES } from '@credit/platform/values';
import { holdsPlatformRole, mayInvite } from '../../src/domain/roles';

test('only an owner makes an owner; who may not manage users invites nobody', () => {
  expect(ROLES.filter((role) => mayInvite('OWNER', role))).toEqual([...ROLES]);
  expect(ROLES.filter((role) => mayInvite('ADMIN', role))).toEqual([
    'ADMIN',
    'COMPLIANCE',
    'LOAN_OFFICER',
    'DEVELOPER',
    'VIEWER',
  ]);
  for (const inviter of ['COMPLIANCE', 'LOAN_OFFICER', 'DEVELOPER', 'VIEWER', undefined] as const) {
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
