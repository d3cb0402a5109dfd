import {
  type Access,
  assertSomebodyIsLeft,
  changedAccess,
  endsSessions,
  losesOwner,
  losesSuperadmin,
} from '../../src/domain/users';

const owner: Access = {
  status: 'ACTIVE',
  institution_id: 'harbour',
  role: 'OWNER',
  platform_role: undefined,
};
const superadmin: Access = {
  status: 'ACTIVE',
  institution_id: undefined,
  role: undefined,
  platform_role: 'SVC_SUPERADMIN',
};

test('what a change leaves out stays', () => {
  expect(changedAccess(owner, {})).toEqual(owner);
  expect(changedAccess(owner, { role: { to: 'ADMIN' } })).toEqual({ ...owner, role: 'ADMIN' });
});

test('leaving an institution ends the role, entering one needs a new one', () => {
  expect(
    changedAccess(
      { ...owner, platform_role: 'PLATFORM_ADMIN' },
      { institution_id: { to: undefined } },
    ),
  ).toEqual({
    ...owner,
    institution_id: undefined,
    role: undefined,
    platform_role: 'PLATFORM_ADMIN',
  });
  expect(() => changedAccess(owner, { institution_id: { to: 'lighthouse' } })).toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR' }),
  );
  const moved = { institution_id: { to: 'lighthouse' }, role: { to: 'VIEWER' } } as const;
  expect(changedAccess(owner, moved)).toEqual({
    ...owner,
    institution_id: 'lighthouse',
    role: 'VIEWER',
  });
});

test('role and institution go together, and nobody is left with neither role', () => {
  const paths = (before: Access, change: Parameters<typeof changedAccess>[1]) => {
    try {
      changedAccess(before, change);
      return [];
    } catch (error) {
      return (error as { details: { path: string }[] }).details.map((detail) => detail.path);
    }
  };
  expect(paths(owner, { role: { to: undefined } })).toEqual(['role']);
  expect(paths(superadmin, { role: { to: 'ADMIN' } })).toEqual(['institution_id']);
  expect(paths(superadmin, { platform_role: { to: undefined } })).toEqual(['role']);
  expect(paths(owner, { institution_id: { to: undefined } })).toEqual(['role']);
});

test('a change of rights ends sessions, a change of nothing does not', () => {
  expect(endsSessions(owner, owner)).toBe(false);
  expect(endsSessions(owner, { ...owner, role: 'ADMIN' })).toBe(true);
  expect(endsSessions(owner, { ...owner, status: 'DISABLED' })).toBe(true);
  expect(endsSessions(owner, { ...owner, institution_id: 'lighthouse' })).toBe(true);
  expect(endsSessions(owner, { ...owner, platform_role: 'PLATFORM_ADMIN' })).toBe(true);
});

test('an institution loses an owner by demotion, move or disabling of an active one', () => {
  expect(losesOwner(owner, { ...owner, role: 'ADMIN' })).toBe('harbour');
  expect(losesOwner(owner, { ...owner, institution_id: 'lighthouse' })).toBe('harbour');
  expect(losesOwner(owner, { ...owner, status: 'DISABLED' })).toBe('harbour');
  expect(losesOwner(owner, owner)).toBeUndefined();
  expect(losesOwner({ ...owner, role: 'ADMIN' }, { ...owner, role: 'VIEWER' })).toBeUndefined();
  expect(
    losesOwner({ ...owner, status: 'DISABLED' }, { ...owner, role: 'VIEWER' }),
  ).toBeUndefined();
});

test('the platform loses a superadmin in the same ways', () => {
  expect(losesSuperadmin(superadmin, { ...superadmin, status: 'DISABLED' })).toBe(true);
  expect(losesSuperadmin(superadmin, { ...superadmin, platform_role: 'PLATFORM_ADMIN' })).toBe(
    true,
  );
  expect(losesSuperadmin(superadmin, superadmin)).toBe(false);
  expect(losesSuperadmin(owner, { ...owner, status: 'DISABLED' })).toBe(false);
});

test('somebody must be left', () => {
  expect(() => assertSomebodyIsLeft({ owners: undefined, superadmins: undefined })).not.toThrow();
  expect(() => assertSomebodyIsLeft({ owners: 1, superadmins: 1 })).not.toThrow();
  expect(() => assertSomebodyIsLeft({ owners: 0, superadmins: undefined })).toThrow(/OWNER/);
  expect(() => assertSomebodyIsLeft({ owners: undefined, superadmins: 0 })).toThrow(
    /SVC_SUPERADMIN/,
  );
});
