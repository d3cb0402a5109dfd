import { Role } from '@credit/proto/identity/v1/identity';
import {
  addUser,
  anonymous,
  asUser,
  authorizeOne,
  check,
  codeOf,
  login,
  outboxOf,
  PASSWORD,
  useIdentity,
} from './support/identity';

const identity = useIdentity();
const list = (ctx: ReturnType<typeof anonymous>, limit = 50, cursor?: string) =>
  identity.stub.listSessions(ctx, { limit, cursor });

test('a user sees its own sessions with when and from where, and no other’s', async () => {
  const { stub, member } = identity;
  const { email, ctx } = await addUser(stub, member, Role.VIEWER);
  const second = await stub.login(anonymous(), {
    email,
    password: PASSWORD,
    client_address: '2001:db8::7',
  });
  const { sessions } = await list(ctx);
  expect(sessions).toHaveLength(2);
  expect(sessions.map(({ client_address }) => client_address)).toEqual([
    '2001:db8::7',
    '192.0.2.1',
  ]);
  const [newest, oldest] = sessions;
  expect(Date.parse(String(newest?.created_at))).toBeGreaterThanOrEqual(
    Date.parse(String(oldest?.created_at)),
  );

  const refresh_token = second.tokens?.refresh_token ?? '';
  await stub.refresh(anonymous({ client_address: '198.51.100.4' }), { refresh_token });
  const [refreshed] = (await list(ctx)).sessions;
  expect(refreshed).toMatchObject({ id: newest?.id, client_address: '198.51.100.4' });
  expect(Date.parse(String(refreshed?.last_used_at))).toBeGreaterThan(
    Date.parse(String(newest?.last_used_at)),
  );

  const page = await list(ctx, 1);
  expect(page.sessions.map(({ id }) => id)).toEqual([newest?.id]);
  const rest = await list(ctx, 1, page.next_cursor);
  expect(rest.sessions.map(({ id }) => id)).toEqual([oldest?.id]);
  expect((await list(member.owner)).sessions.map(({ id }) => id)).not.toContain(newest?.id);
});

test('one is ended at once, with an entry, and is not listed any more; again is no error', async () => {
  const { stub, member } = identity;
  const { email, ctx } = await addUser(stub, member, Role.VIEWER);
  const other = await login(stub, email, PASSWORD);
  const access_token = other.tokens?.access_token ?? '';
  const session_id = (await list(ctx)).sessions[0]?.id ?? '';
  await stub.endSession(ctx, { session_id });
  expect((await authorizeOne(stub, check(access_token))).state).toBe('REVOKED');
  expect((await list(ctx)).sessions).toHaveLength(1);
  await stub.endSession(ctx, { session_id });
  const entries = (await outboxOf(identity)).filter(
    ({ payload }) =>
      payload?.$case === 'audit_recorded' &&
      payload.value.action === 'session.ended' &&
      payload.value.target_id === session_id,
  );
  expect(entries).toHaveLength(1);
});

test('what a change of the password leaves of a session is seen, and ended with it', async () => {
  const { stub, member } = identity;
  const { ctx, signed_in } = await addUser(stub, member, Role.VIEWER);
  await stub.changePassword(ctx, {
    current_password: PASSWORD,
    new_password: 'four copper kettles sing',
  });
  const access_token = signed_in.tokens?.access_token ?? '';
  expect((await authorizeOne(stub, check(access_token))).state).toBe('VALID');
  const { sessions } = await list(ctx);
  expect(sessions).toHaveLength(1);
  await stub.endSession(ctx, { session_id: sessions[0]?.id ?? '' });
  expect((await authorizeOne(stub, check(access_token))).state).toBe('REVOKED');
  expect((await list(ctx)).sessions).toEqual([]);
});

test('another user’s session is not there, and one that ran out is not listed', async () => {
  const { stub, member } = identity;
  const { email, ctx } = await addUser(stub, member, Role.VIEWER);
  const session_id = (await list(ctx)).sessions[0]?.id ?? '';
  expect(await codeOf(stub.endSession(member.owner, { session_id }))).toBe('NOT_FOUND');
  expect(await codeOf(stub.logout(member.owner, { session_id }))).toBe('NOT_FOUND');
  await identity.sql(`UPDATE refresh_tokens SET expires_at = now() WHERE session_id = $1`, [
    session_id,
  ]);
  expect((await list(ctx)).sessions).toHaveLength(1);
  await identity.sql(`UPDATE access_tokens SET expires_at = now() WHERE session_id = $1`, [
    session_id,
  ]);
  expect((await list(asUser(await login(stub, email, PASSWORD)))).sessions).toHaveLength(1);
});

test('an invitation can be looked at by its token, as long as it can be accepted', async () => {
  const { stub, member } = identity;
  const { invitation } = await stub.createInvitation(member.owner, {
    email: 'looking@lighthouse.example',
    role: Role.DEVELOPER,
  });
  const token = invitation?.token ?? '';
  const preview = () => stub.previewInvitation(anonymous(), { token });
  expect(await preview()).toMatchObject({
    institution_name: expect.stringMatching(/^Lighthouse/),
    email: 'looking@lighthouse.example',
    role: 'DEVELOPER',
    expires_at: invitation?.expires_at,
  });
  await stub.acceptInvitation(anonymous(), { token, display_name: 'Mate', password: PASSWORD });
  await expect(preview()).rejects.toMatchObject({ reason: 'TOKEN_NOT_VALID' });
  await expect(stub.previewInvitation(anonymous(), { token: '' })).rejects.toMatchObject({
    reason: 'TOKEN_NOT_VALID',
  });
});

test('a look tells nothing of whether the address has an account', async () => {
  const { stub, member } = identity;
  const { email } = await addUser(stub, member, Role.VIEWER);
  const { invitation } = await stub.createInvitation(member.owner, { email, role: Role.VIEWER });
  const seen = await stub.previewInvitation(anonymous(), { token: invitation?.token ?? '' });
  expect(seen.email).toBe(email);
});
