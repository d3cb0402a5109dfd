import {
  ApplicationStatus,
  PlatformRole,
  Role,
  UserStatus,
} from '@credit/proto/identity/v1/identity';
import {
  addUser,
  anonymous,
  asUser,
  authorizeOne,
  check,
  codeOf,
  login,
  makeKey,
  makeMember,
  outboxOf,
  PASSWORD,
  useIdentity,
} from './support/identity';

const identity = useIdentity();

async function entriesOf(target_id: string) {
  return (await outboxOf(identity)).flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' && payload.value.target_id === target_id
      ? [payload.value]
      : [],
  );
}

describe('users of an institution', () => {
  test('are listed with their role, status and last sign-in, and those of no other', async () => {
    const { stub, admin } = identity;
    const member = await makeMember(stub, admin);
    const mate = await addUser(stub, member, Role.DEVELOPER);
    const { users, total_count } = await stub.listMembers(member.owner, { limit: 50 });
    expect(users.map(({ email }) => email)).toEqual([mate.email, member.owner_email]);
    expect(total_count).toBe(2);
    expect(users[0]).toMatchObject({ role: 'DEVELOPER', status: 'ACTIVE' });
    expect(users[0]?.last_login_at).toBeDefined();
    const found = await stub.listMembers(member.owner, { q: mate.email, limit: 50 });
    expect(found.users).toHaveLength(1);
    expect(await codeOf(stub.listMembers(admin, { limit: 50 }))).toBe('INSUFFICIENT_SCOPE');
  });

  test('are disabled at once, with an entry, and enabled again', async () => {
    const { stub, member } = identity;
    const { email, signed_in, ctx } = await addUser(stub, member, Role.DEVELOPER);
    const user_id = ctx.actor.id;
    await stub.updateMember(member.owner, { user_id, status: UserStatus.DISABLED });
    const token = signed_in.tokens?.access_token ?? '';
    expect((await authorizeOne(stub, check(token))).state).toBe('REVOKED');
    expect(await codeOf(login(stub, email, PASSWORD))).toBe('INVALID_API_KEY');
    await stub.updateMember(member.owner, { user_id, status: UserStatus.ACTIVE });
    await login(stub, email, PASSWORD);
    const entries = await entriesOf(user_id);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.disabled', 'user.enabled']),
    );
    for (const entry of entries.filter(({ action }) => action === 'user.disabled')) {
      expect(entry).toMatchObject({
        institution_id: member.institution_id,
        actor_id: member.owner.actor.id,
      });
    }
  });

  test('get another role, which ends their sessions and what they gave and no longer could', async () => {
    const { stub, member } = identity;
    const { signed_in, ctx } = await addUser(stub, member, Role.ADMIN);
    const { invitation } = await stub.createInvitation(ctx, {
      email: 'guest@lighthouse.example',
      role: Role.VIEWER,
    });
    const user_id = ctx.actor.id;
    const { user } = await stub.updateMember(member.owner, { user_id, role: Role.VIEWER });
    expect(user?.role).toBe('VIEWER');
    const token = signed_in.tokens?.access_token ?? '';
    expect((await authorizeOne(stub, check(token))).state).toBe('REVOKED');
    const preview = stub.previewInvitation(anonymous(), { token: invitation?.token ?? '' });
    expect(await codeOf(preview)).toBe('REQUEST_ERROR');
    // A repeat is no change: nothing more is told.
    const before = (await entriesOf(user_id)).length;
    await stub.updateMember(member.owner, { user_id, role: Role.VIEWER });
    expect(await entriesOf(user_id)).toHaveLength(before);
  });

  test('who are OWNER are an OWNER’s to change, and the last of them stays', async () => {
    const { stub, admin } = identity;
    const member = await makeMember(stub, admin);
    const owner_id = member.owner.actor.id;
    const administrator = await addUser(stub, member, Role.ADMIN);
    const refused = { code: 'INSUFFICIENT_SCOPE', reason: 'ROLE' };
    for (const change of [{ status: UserStatus.DISABLED }, { role: Role.VIEWER }]) {
      const changed = stub.updateMember(administrator.ctx, { user_id: owner_id, ...change });
      await expect(changed).rejects.toMatchObject(refused);
    }
    const promoted = stub.updateMember(administrator.ctx, {
      user_id: administrator.ctx.actor.id,
      role: Role.OWNER,
    });
    await expect(promoted).rejects.toMatchObject(refused);
    for (const change of [{ status: UserStatus.DISABLED }, { role: Role.VIEWER }]) {
      const changed = stub.updateMember(member.owner, { user_id: owner_id, ...change });
      await expect(changed).rejects.toMatchObject({ reason: 'LAST_OWNER' });
    }
    const second = { user_id: administrator.ctx.actor.id, role: Role.OWNER };
    await stub.updateMember(member.owner, second);
    await stub.updateMember(member.owner, { user_id: owner_id, role: Role.ADMIN });
  });

  test('two owners who take the role from each other at once leave one', async () => {
    const { stub, admin } = identity;
    const member = await makeMember(stub, admin);
    const other = await addUser(stub, member, Role.OWNER);
    const results = await identity.collide(
      { text: 'SELECT FROM access_lock FOR UPDATE', values: [] },
      2,
      () => [
        stub.updateMember(member.owner, { user_id: other.ctx.actor.id, role: Role.VIEWER }),
        stub.updateMember(other.ctx, { user_id: member.owner.actor.id, role: Role.VIEWER }),
      ],
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('of another institution are not there, and of the platform are not a member’s to change', async () => {
    const { stub, admin, member } = identity;
    const stranger = await makeMember(stub, admin);
    const status = UserStatus.DISABLED;
    const user_id = stranger.owner.actor.id;
    expect(await codeOf(stub.updateMember(member.owner, { user_id, status }))).toBe('NOT_FOUND');
    const both = await addUser(stub, member, Role.VIEWER);
    await stub.updateUser(admin, {
      user_id: both.ctx.actor.id,
      platform_role: PlatformRole.PLATFORM_ADMIN,
    });
    const changed = stub.updateMember(member.owner, { user_id: both.ctx.actor.id, status });
    expect(await codeOf(changed)).toBe('INSUFFICIENT_SCOPE');
    const viewer = await addUser(stub, member, Role.VIEWER);
    const own = stub.updateMember(viewer.ctx, { user_id: viewer.ctx.actor.id, role: Role.ADMIN });
    expect(await codeOf(own)).toBe('INSUFFICIENT_SCOPE');
    expect(await codeOf(stub.updateMember(member.owner, { user_id }))).toBe('VALIDATION_ERROR');
  });
});

describe('an institution', () => {
  test('says itself where its site is and whether it is listed', async () => {
    const { stub, admin } = identity;
    const member = await makeMember(stub, admin);
    const changed = await stub.updateOwnInstitution(member.owner, {
      website: 'https://lighthouse.example',
      publicly_listed: false,
    });
    expect(changed.institution).toMatchObject({
      website: 'https://lighthouse.example',
      publicly_listed: false,
      status: 'ACTIVE',
    });
    expect((await stub.getOwnInstitution(member.owner, {})).institution).toEqual(
      changed.institution,
    );
    await stub.updateOwnInstitution(member.owner, { publicly_listed: false });
    const { institution } = await stub.updateOwnInstitution(member.owner, { website: '' });
    expect(institution?.website).toBeUndefined();
    const told = (await entriesOf(member.institution_id)).filter(
      ({ action }) => action === 'institution.updated',
    );
    expect(told.map(({ changes_json }) => JSON.parse(changes_json))).toEqual([
      {
        website: { from: null, to: 'https://lighthouse.example' },
        publicly_listed: { from: true, to: false },
      },
      { website: { from: 'https://lighthouse.example', to: null } },
    ]);
    const viewer = await addUser(stub, member, Role.VIEWER);
    const refused = stub.updateOwnInstitution(viewer.ctx, { publicly_listed: true });
    expect(await codeOf(refused)).toBe('INSUFFICIENT_SCOPE');
    expect(await codeOf(stub.updateOwnInstitution(member.owner, {}))).toBe('VALIDATION_ERROR');
  });

  test('is shown to administrators with why it stands as it does and what it has', async () => {
    const { stub, admin } = identity;
    const member = await makeMember(stub, admin);
    const { institution_id } = member;
    const mate = await addUser(stub, member, Role.VIEWER);
    const status = UserStatus.DISABLED;
    await stub.updateMember(member.owner, { user_id: mate.ctx.actor.id, status });
    const key = await makeKey(stub, member.owner);
    const revoked = await makeKey(stub, member.owner);
    await stub.revokeApiKey(member.owner, { key_id: revoked.id });
    await stub.createInvitation(member.owner, { email: 'x@lighthouse.example', role: Role.VIEWER });
    await stub.updateInstitution(admin, {
      institution_id,
      status: 'SUSPENDED',
      reason: 'Reporting stopped.',
    });
    expect(await stub.getInstitution(admin, { institution_id })).toMatchObject({
      institution: { id: institution_id, status: 'SUSPENDED' },
      status_reason: 'Reporting stopped.',
      user_count: 1,
      api_key_count: 1,
      invitation_count: 1,
    });
    expect(key.id).not.toBe(revoked.id);
    const unknown = stub.getInstitution(admin, { institution_id: member.owner.actor.id });
    expect(await codeOf(unknown)).toBe('NOT_FOUND');
  });

  test('names who made a key', async () => {
    const { stub, member } = identity;
    const { id } = await makeKey(stub, member.owner);
    const { api_keys } = await stub.listApiKeys(member.owner, { limit: 50 });
    expect(api_keys.find((key) => key.id === id)?.created_by).toBe(member.owner.actor.id);
  });
});

describe('the invitation of an approved application', () => {
  const apply = async (contact_email: string) =>
    (
      await identity.stub.submitApplication(anonymous(), {
        institution_name: `Quay of ${contact_email}`,
        contact_name: 'Ada',
        contact_email,
      })
    ).id;

  test('is made anew in place of the one before, until the institution has a user', async () => {
    const { stub, admin } = identity;
    const application_id = await apply('ada@quay.example');
    const resend = () => stub.resendInvitation(admin, { application_id });
    await expect(resend()).rejects.toMatchObject({ reason: 'NOT_APPROVED' });
    const approved = await stub.reviewApplication(admin, {
      application_id,
      status: ApplicationStatus.APPROVED,
    });
    const { invitation } = await resend();
    expect(invitation).toMatchObject({ email: 'ada@quay.example', role: 'OWNER' });
    const join = (token: string | undefined) =>
      stub.acceptInvitation(anonymous(), {
        token: token ?? '',
        display_name: 'Ada',
        password: PASSWORD,
      });
    expect(await codeOf(join(approved.invitation?.token))).toBe('REQUEST_ERROR');
    expect((await entriesOf(application_id)).map(({ action }) => action)).toContain(
      'application.invitation_resent',
    );
    await join(invitation?.token);
    await expect(resend()).rejects.toMatchObject({ reason: 'ALREADY_DECIDED' });
  });

  test('is not made for an address with an account, by nobody else, and not without end', async () => {
    const { stub, admin, member } = identity;
    const application_id = await apply('eve@quay.example');
    await stub.reviewApplication(admin, { application_id, status: ApplicationStatus.APPROVED });
    expect(await codeOf(stub.resendInvitation(member.owner, { application_id }))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    for (let again = 0; again < 9; again += 1) {
      await stub.resendInvitation(admin, { application_id });
    }
    await expect(stub.resendInvitation(admin, { application_id })).rejects.toMatchObject({
      reason: 'TOO_MANY_ATTEMPTS',
    });
    await identity.sql('DELETE FROM attempts');
    const taken = await stub.createInvitation(member.owner, {
      email: 'eve@quay.example',
      role: Role.VIEWER,
    });
    await stub.acceptInvitation(anonymous(), {
      token: taken.invitation?.token ?? '',
      display_name: 'Eve',
      password: PASSWORD,
    });
    await expect(stub.resendInvitation(admin, { application_id })).rejects.toMatchObject({
      reason: 'EMAIL_TAKEN',
    });
    expect(asUser(await login(stub, 'eve@quay.example', PASSWORD)).institution_id).toBe(
      member.institution_id,
    );
  });
});
