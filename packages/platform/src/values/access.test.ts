import { isPermitted, PERMISSIONS, permittedTo, ROLES } from './access';

const OF_BOTH = (...permissions: string[]) => ({ permissions, test_permissions: [] });

test('each role may what the table says, and nobody without a role may anything', () => {
  expect(Object.fromEntries(ROLES.map((role) => [role, permittedTo(role)]))).toEqual({
    OWNER: OF_BOTH(...PERMISSIONS),
    ADMIN: OF_BOTH(...PERMISSIONS),
    COMPLIANCE: OF_BOTH(
      'audit.read',
      'credit.read',
      'records.read',
      'disputes.respond',
      'institution.read',
    ),
    LOAN_OFFICER: OF_BOTH('credit.read', 'reports.request', 'institution.read'),
    DEVELOPER: {
      permissions: ['api_keys.read', 'webhooks.manage', 'institution.read'],
      test_permissions: ['credit.read', 'records.read', 'records.write'],
    },
    VIEWER: OF_BOTH('institution.read'),
  });
  expect(permittedTo(undefined)).toEqual(OF_BOTH());
});

test('what holds on test data alone does not hold', () => {
  expect(isPermitted('DEVELOPER', 'webhooks.manage')).toBe(true);
  expect(isPermitted('DEVELOPER', 'records.read')).toBe(false);
  expect(isPermitted(undefined, 'institution.read')).toBe(false);
});
