import type { CallContext } from '@credit/platform/context';
import { newRefreshToken } from '@credit/platform/credentials';
import { isAppError } from '@credit/platform/errors';
import {
  CredentialState,
  InstitutionStatus,
  type LoginResponse,
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
  makeMember,
  PASSWORD,
  SUPERADMIN,
  useIdentity,
} from './support/identity';

const identity = useIdentity({ LOGIN_FAILURES_PER_ADDRESS: '30' });

const stateOf = async (token: string | undefined) =>
  (await authorizeOne(identity.stub, check(token ?? ''))).state;
const refresh = (refresh_token: string | undefined) =>
  identity.stub.refresh(anonymous(), { refresh_token: refresh_token ?? '' });

/** Turns the clock: whatever happened to the token happened so many seconds earlier. */
const age = (token: string | undefined, seconds: number) =>
  identity.sql(
    `UPDATE refresh_tokens SET used_at = used_at - make_interval(secs => $2)
     WHERE token_hash = sha256($1::bytea)`,
    [token, seconds],
  );

describe('login', () => {
  test('gives a pair and says who it is', async () => {
    const { tokens, user } = await login(
      identity.stub,
      ` ${identity.member.owner_email.toUpperCase()}`,
      PASSWORD,
    );
    expect(tokens?.access_token).toMatch(/^svc_at_/);
    expect(tokens?.refresh_token).toMatch(/^svc_rt_/);
    expect(tokens?.expires_in).toBe(900);
    expect(user).toMatchObject({
      user: { email: identity.member.owner_email, role: Role.OWNER, must_change_password: false },
      institution: { id: identity.member.institution_id, status: InstitutionStatus.ACTIVE },
    });
    expect(Date.parse(user?.user?.last_login_at ?? '')).toBeGreaterThan(Date.now() - 10_000);
  });

  test('tells no difference between an unknown e-mail, a wrong password and a disabled user', async () => {
    const disabled = await addUser(identity.stub, identity.member, Role.VIEWER);
    await identity.stub.updateUser(identity.admin, {
      user_id: disabled.ctx.actor.id,
      status: UserStatus.DISABLED,
    });
    const messages = await Promise.all(
      [
        [identity.member.owner_email, 'not the password'],
        ['nobody@nowhere.example', PASSWORD],
        [disabled.email, PASSWORD],
      ].map(async ([email = '', password = '']) => {
        const error = await login(identity.stub, email, password).catch(
          (caught: unknown) => caught,
        );
        return isAppError(error) ? `${error.code} ${error.message}` : error;
      }),
    );
    expect(new Set(messages)).toEqual(
      new Set(['INVALID_API_KEY The e-mail or the password is wrong.']),
    );
  });

  test('costs as much for an unknown e-mail as for a wrong password', async () => {
    const time = async (email: string) => {
      const start = performance.now();
      await login(identity.stub, email, 'not the password').catch(() => undefined);
      return performance.now() - start;
    };
    // The least of several in turn: whatever else the machine does only adds to a time. Where much is
    // done, of more: what costs more by itself stays dearer.
    let known = Number.POSITIVE_INFINITY;
    let unknown = Number.POSITIVE_INFINITY;
    const isAlike = () => unknown > known * 0.4 && unknown < known * 2.5;
    for (let turn = 0; turn < 5 && !isAlike(); turn += 1) {
      for (let round = 0; round < 8; round += 1) {
        known = Math.min(known, await time(identity.member.owner_email));
        unknown = Math.min(unknown, await time('nobody@nowhere.example'));
      }
      await identity.sql('DELETE FROM attempts');
    }
    expect(unknown).toBeGreaterThan(known * 0.4);
    expect(unknown).toBeLessThan(known * 2.5);
  });

  test('is refused while the institution is suspended', async () => {
    const other = await makeMember(identity.stub, identity.admin);
    await identity.stub.updateInstitution(identity.admin, {
      institution_id: other.institution_id,
      status: InstitutionStatus.SUSPENDED,
      reason: 'investigation',
    });
    expect(await codeOf(login(identity.stub, other.owner_email, PASSWORD))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect(await codeOf(refresh(other.signed_in.tokens?.refresh_token))).toBe('INSUFFICIENT_SCOPE');
    expect(await codeOf(login(identity.stub, identity.member.owner_email, PASSWORD))).toBe('OK');
  });
});

describe('guessing', () => {
  beforeEach(() => identity.sql('DELETE FROM attempts'));
  afterAll(() => identity.sql('DELETE FROM attempts'));

  const attempt = (email: string, password: string, client_address: string) =>
    codeOf(identity.stub.login(anonymous(), { email, password, client_address }));

  test('is stopped per account at one address, for both alone', async () => {
    const victim = await addUser(identity.stub, identity.member, Role.VIEWER);
    const codes: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      codes.push(await attempt(victim.email, 'not the password', '198.51.100.1'));
    }
    expect(codes).toEqual([
      ...Array(10).fill('INVALID_API_KEY'),
      ...Array(2).fill('RATE_LIMIT_EXCEEDED'),
    ]);
    // Even the right password has to wait there, else guessing would go on.
    const error = await identity.stub
      .login(anonymous(), {
        email: victim.email,
        password: PASSWORD,
        client_address: '198.51.100.1',
      })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect((error as { retry_after_s: number }).retry_after_s).toBeGreaterThan(800);
    // Its person, anywhere else, notices nothing; nor do others at that address.
    expect(await attempt(victim.email, PASSWORD, '198.51.100.2')).toBe('OK');
    expect(await attempt(identity.member.owner_email, PASSWORD, '198.51.100.1')).toBe('OK');

    await identity.sql("UPDATE attempts SET window_ends_at = now() - interval '1 s'");
    expect(await attempt(victim.email, PASSWORD, '198.51.100.1')).toBe('OK');
  });

  test('is stopped also when it comes all at once', async () => {
    const codes = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        attempt('nobody@nowhere.example', `guess number ${index}`, '198.51.100.3'),
      ),
    );
    expect(codes.filter((code) => code === 'INVALID_API_KEY')).toHaveLength(10);
    expect(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(15);
  });

  test('is stopped per address, over all accounts', async () => {
    const codes: string[] = [];
    for (let round = 0; round < 32; round += 1) {
      codes.push(await attempt(`name${round}@nowhere.example`, PASSWORD, '198.51.100.99'));
    }
    expect(codes.filter((code) => code === 'INVALID_API_KEY')).toHaveLength(30);
    expect(codes.slice(30)).toEqual(Array(2).fill('RATE_LIMIT_EXCEEDED'));
    expect(await attempt(identity.member.owner_email, PASSWORD, '198.51.100.98')).toBe('OK');
  });

  test('success starts an account anew, and does not count against its address', async () => {
    for (let round = 0; round < 9; round += 1) {
      await attempt(identity.member.owner_email, 'not the password', '198.51.100.97');
    }
    for (let round = 0; round < 25; round += 1) {
      expect(await attempt(identity.member.owner_email, PASSWORD, '198.51.100.97')).toBe('OK');
    }
    expect(await attempt(identity.member.owner_email, 'not the password', '198.51.100.97')).toBe(
      'INVALID_API_KEY',
    );
  });
});

describe('refresh', () => {
  test('rotates: each token gives the next, and the access token before stays good', async () => {
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const second = await refresh(first.tokens?.refresh_token);
    const third = await refresh(second.tokens?.refresh_token);
    expect(third.user?.user?.id).toBe(identity.member.owner.actor.id);
    for (const { tokens } of [first, second, third]) {
      expect(await stateOf(tokens?.access_token)).toBe(CredentialState.VALID);
    }
  });

  test('of a used token ends the family and its access tokens, and no other session', async () => {
    const neighbour = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const second = await refresh(first.tokens?.refresh_token);
    await refresh(second.tokens?.refresh_token);

    expect(await codeOf(refresh(first.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    for (const { tokens } of [first, second]) {
      expect(await stateOf(tokens?.access_token)).toBe(CredentialState.REVOKED);
      expect(await codeOf(refresh(tokens?.refresh_token))).toBe('INVALID_API_KEY');
    }
    expect(await stateOf(neighbour.tokens?.access_token)).toBe(CredentialState.VALID);
    expect(await codeOf(refresh(neighbour.tokens?.refresh_token))).toBe('OK');
  });

  test('repeated within ten seconds gives another pair in place of the one before', async () => {
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const one_tab = await refresh(first.tokens?.refresh_token);
    await age(first.tokens?.refresh_token, 8);
    const other_tab = await refresh(first.tokens?.refresh_token);
    expect(other_tab.tokens?.refresh_token).not.toBe(one_tab.tokens?.refresh_token);
    // Of the two pairs one is good; that the other comes a moment later ends nothing.
    expect(await stateOf(one_tab.tokens?.access_token)).toBe(CredentialState.REVOKED);
    expect(await codeOf(refresh(one_tab.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await stateOf(other_tab.tokens?.access_token)).toBe(CredentialState.VALID);
    expect(await codeOf(refresh(other_tab.tokens?.refresh_token))).toBe('OK');
    // The successor is used now: whoever comes with the first again stole it.
    expect(await codeOf(refresh(first.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await stateOf(other_tab.tokens?.access_token)).toBe(CredentialState.REVOKED);
  });

  test('of a pair that another took the place of is theft when it comes later', async () => {
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const victim = await refresh(first.tokens?.refresh_token);
    const thief = await refresh(first.tokens?.refresh_token);
    await identity.sql(
      `UPDATE refresh_tokens SET superseded_at = superseded_at - interval '11 s'
       WHERE token_hash = sha256($1::bytea)`,
      [victim.tokens?.refresh_token],
    );
    expect(await codeOf(refresh(victim.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await stateOf(thief.tokens?.access_token)).toBe(CredentialState.REVOKED);
    expect(await codeOf(refresh(thief.tokens?.refresh_token))).toBe('INVALID_API_KEY');
  });

  test('repeated later than that is theft', async () => {
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const second = await refresh(first.tokens?.refresh_token);
    await age(first.tokens?.refresh_token, 11);
    expect(await codeOf(refresh(first.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await stateOf(second.tokens?.access_token)).toBe(CredentialState.REVOKED);
  });

  test('twenty at once with one token: all of them get a pair, none is taken for a thief', async () => {
    const other = await identity.replica();
    const first = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const refresh_token = first.tokens?.refresh_token ?? '';
    const pairs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? identity.stub : other).refresh(anonymous(), { refresh_token }),
      ),
    );
    expect(new Set(pairs.map((pair) => pair.tokens?.refresh_token)).size).toBe(20);
    // However many pairs a repeated token gave, one is good.
    const states = await Promise.all(pairs.map((pair) => stateOf(pair.tokens?.access_token)));
    expect(states.filter((state) => state === CredentialState.VALID)).toHaveLength(1);
    const codes: string[] = [];
    for (const pair of pairs) codes.push(await codeOf(refresh(pair.tokens?.refresh_token)));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
  });

  test('refuses what is unknown, malformed or expired', async () => {
    const { tokens } = await login(identity.stub, identity.member.owner_email, PASSWORD);
    await identity.sql(
      'UPDATE refresh_tokens SET expires_at = now() WHERE token_hash = sha256($1::bytea)',
      [tokens?.refresh_token],
    );
    for (const token of [tokens?.refresh_token, newRefreshToken(), tokens?.access_token, '', 'x']) {
      expect(await codeOf(refresh(token))).toBe('INVALID_API_KEY');
    }
    // An expired token is no sign of theft.
    expect(await stateOf(tokens?.access_token)).toBe(CredentialState.VALID);
  });
});

describe('the end of sessions', () => {
  test('comes after thirty days however much they are used, and tokens do not outlive it', async () => {
    const { tokens } = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const session = `(SELECT session_id FROM refresh_tokens WHERE token_hash = sha256($1::bytea))`;
    const [row] = await identity.sql<{ days: number }>(
      `SELECT date_part('epoch', expires_at - created_at) / 86400 AS days
       FROM sessions WHERE id = ${session}`,
      [tokens?.refresh_token],
    );
    expect(row?.days).toBeCloseTo(30, 3);
    await identity.sql(
      `UPDATE sessions SET expires_at = now() + interval '60 s' WHERE id = ${session}`,
      [tokens?.refresh_token],
    );
    const last = await refresh(tokens?.refresh_token);
    expect(last.tokens?.expires_in).toBeLessThanOrEqual(60);
    expect(last.tokens?.expires_in).toBeGreaterThan(30);
    await identity.sql(`UPDATE sessions SET expires_at = now() WHERE id = ${session}`, [
      tokens?.refresh_token,
    ]);
    expect(await codeOf(refresh(last.tokens?.refresh_token))).toBe('INVALID_API_KEY');
  });

  test('comes when nobody refreshes for twelve hours', async () => {
    const { tokens } = await login(identity.stub, identity.member.owner_email, PASSWORD);
    const [row] = await identity.sql<{ hours: number }>(
      `SELECT date_part('epoch', expires_at - now()) / 3600 AS hours
       FROM refresh_tokens WHERE token_hash = sha256($1::bytea)`,
      [tokens?.refresh_token],
    );
    expect(row?.hours).toBeCloseTo(12, 1);
  });

  test('comes with signing out, for that session alone, and again is no error', async () => {
    const user = await addUser(identity.stub, identity.member, Role.VIEWER);
    const second = await login(identity.stub, user.email, PASSWORD);
    const token = user.signed_in.tokens?.access_token ?? '';
    const session_id =
      (await authorizeOne(identity.stub, check(token))).principal?.session_id ?? '';
    const stranger = await addUser(identity.stub, identity.member, Role.VIEWER);
    expect(await codeOf(identity.stub.logout(stranger.ctx, { session_id }))).toBe('NOT_FOUND');
    expect(await stateOf(token)).toBe(CredentialState.VALID);
    await identity.stub.logout(user.ctx, { session_id });
    expect(await stateOf(token)).toBe(CredentialState.REVOKED);
    expect(await codeOf(refresh(user.signed_in.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await stateOf(second.tokens?.access_token)).toBe(CredentialState.VALID);
    expect(await codeOf(identity.stub.logout(user.ctx, { session_id }))).toBe('OK');
  });

  test('revoke-sessions ends them all at once, for that user alone', async () => {
    const user = await addUser(identity.stub, identity.member, Role.DEVELOPER);
    const second = await login(identity.stub, user.email, PASSWORD);
    expect(
      await identity.stub.revokeSessions(identity.admin, { user_id: user.ctx.actor.id }),
    ).toEqual({
      revoked: 2,
    });
    for (const { tokens } of [user.signed_in, second]) {
      expect(await stateOf(tokens?.access_token)).toBe(CredentialState.REVOKED);
      expect(await codeOf(refresh(tokens?.refresh_token))).toBe('INVALID_API_KEY');
    }
    expect(await stateOf(identity.member.signed_in.tokens?.access_token)).toBe(
      CredentialState.VALID,
    );
    expect(await codeOf(login(identity.stub, user.email, PASSWORD))).toBe('OK');
  });

  test.each([
    ['a disabled user', { status: UserStatus.DISABLED }],
    ['another role', { role: Role.VIEWER }],
    ['a role on the platform', { platform_role: PlatformRole.PLATFORM_ADMIN }],
  ])('%s ends them', async (_name, change) => {
    const user = await addUser(identity.stub, identity.member, Role.DEVELOPER);
    await identity.stub.updateUser(identity.admin, { user_id: user.ctx.actor.id, ...change });
    expect(await stateOf(user.signed_in.tokens?.access_token)).toBe(CredentialState.REVOKED);
    expect(await codeOf(refresh(user.signed_in.tokens?.refresh_token))).toBe('INVALID_API_KEY');
  });

  test('another name or e-mail does not', async () => {
    const user = await addUser(identity.stub, identity.member, Role.DEVELOPER);
    await identity.stub.updateUser(identity.admin, {
      user_id: user.ctx.actor.id,
      display_name: 'First Mate',
    });
    expect(await stateOf(user.signed_in.tokens?.access_token)).toBe(CredentialState.VALID);
  });

  test('revocations and refreshes at once leave nothing alive', async () => {
    for (let round = 0; round < 15; round += 1) {
      const signed_in = await login(identity.stub, identity.member.owner_email, PASSWORD);
      const [refreshed] = await Promise.all([
        refresh(signed_in.tokens?.refresh_token).catch(() => undefined),
        identity.stub.revokeSessions(identity.admin, { user_id: identity.member.owner.actor.id }),
      ]);
      for (const tokens of [signed_in.tokens, refreshed?.tokens]) {
        if (tokens === undefined) continue;
        expect(await stateOf(tokens.access_token)).toBe(CredentialState.REVOKED);
        expect(await codeOf(refresh(tokens.refresh_token))).toBe('INVALID_API_KEY');
      }
    }
  });
});

describe('passwords', () => {
  const change = (ctx: CallContext, current_password: string, new_password: string) =>
    identity.stub.changePassword(ctx, { current_password, new_password });

  test('a change needs the current one, obeys the rules, and ends refreshing', async () => {
    const user = await addUser(identity.stub, identity.member, Role.VIEWER);
    expect(await codeOf(change(user.ctx, 'not the password', 'one green brass lantern'))).toBe(
      'VALIDATION_ERROR',
    );
    for (const weak of ['short', 'passwordpassword', `x ${user.email}`, PASSWORD]) {
      await expect(change(user.ctx, PASSWORD, weak)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ path: 'new_password' }],
      });
    }
    await change(user.ctx, PASSWORD, 'one green brass lantern');
    expect(await codeOf(refresh(user.signed_in.tokens?.refresh_token))).toBe('INVALID_API_KEY');
    expect(await codeOf(login(identity.stub, user.email, PASSWORD))).toBe('INVALID_API_KEY');
    expect(await codeOf(login(identity.stub, user.email, 'one green brass lantern'))).toBe('OK');
    expect(await codeOf(change(anonymous(), PASSWORD, 'one green brass lantern'))).toBe(
      'INSUFFICIENT_SCOPE',
    );
  });

  test('a temporary one must be changed, and ends by itself', async () => {
    const { user, temporary_password } = await identity.stub.createUser(identity.admin, {
      email: 'pilot@lighthouse.example',
      display_name: 'Pilot',
      institution_id: identity.member.institution_id,
      role: Role.ADMIN,
    });
    expect(user).toMatchObject({ must_change_password: true, status: UserStatus.ACTIVE });
    const first = await login(identity.stub, 'pilot@lighthouse.example', temporary_password);
    const principal = (await authorizeOne(identity.stub, check(first.tokens?.access_token ?? '')))
      .principal;
    expect(principal?.must_change_password).toBe(true);
    await change(asUser(first), temporary_password, 'one green brass lantern');
    const second = await login(
      identity.stub,
      'pilot@lighthouse.example',
      'one green brass lantern',
    );
    expect(second.user?.user?.must_change_password).toBe(false);

    const reset = await identity.stub.resetPassword(identity.admin, { user_id: user?.id ?? '' });
    expect(Date.parse(reset.expires_at ?? '')).toBeGreaterThan(Date.now());
    expect(await stateOf(second.tokens?.access_token)).toBe(CredentialState.REVOKED);
    expect(
      await codeOf(login(identity.stub, 'pilot@lighthouse.example', 'one green brass lantern')),
    ).toBe('INVALID_API_KEY');
    await identity.sql('UPDATE users SET password_expires_at = now() WHERE id = $1', [user?.id]);
    expect(
      await codeOf(login(identity.stub, 'pilot@lighthouse.example', reset.temporary_password)),
    ).toBe('INVALID_API_KEY');
  });

  test('a login that is under way when the password is reset comes too late, or ends with it', async () => {
    for (const reset_goes_first of [false, true]) {
      const user = await addUser(identity.stub, identity.member, Role.VIEWER);
      const user_id = user.ctx.actor.id;
      const [signed_in] = await identity.collide<LoginResponse | undefined>(
        { text: 'SELECT id FROM users WHERE id = $1 FOR UPDATE', values: [user_id] },
        2,
        () => {
          const reset = () =>
            identity.stub.resetPassword(identity.admin, { user_id }).then(() => undefined);
          const first = reset_goes_first ? reset() : undefined;
          const second = login(identity.stub, user.email, PASSWORD);
          return [second, first ?? reset()];
        },
      );
      if (signed_in?.status === 'fulfilled') {
        expect(await stateOf(signed_in.value?.tokens?.access_token)).toBe(CredentialState.REVOKED);
      } else {
        expect(signed_in?.reason).toMatchObject({ code: 'INVALID_API_KEY' });
      }
    }
  });

  test('secrets are nowhere in the database', async () => {
    const { tokens } = await login(identity.stub, SUPERADMIN.email, SUPERADMIN.password);
    const { invitation } = await identity.stub.createInvitation(identity.member.owner, {
      email: 'cook@lighthouse.example',
      role: Role.VIEWER,
    });
    const { secret } = await identity.stub.createApiKey(identity.member.owner, {
      display_name: 'ledger',
      scopes: ['credit:read'],
      environment: 'test',
      allowed_ips: [],
    });
    const tables = await identity.sql<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'identity'",
    );
    let dump = '';
    for (const { name } of tables) {
      const rows = await identity.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      dump += rows.map(({ row }) => row).join('\n');
    }
    expect(dump).toContain(secret.slice(0, 16));
    for (const value of [
      tokens?.access_token,
      tokens?.refresh_token,
      invitation?.token,
      secret,
      SUPERADMIN.password,
    ]) {
      if (value === undefined) throw new Error('a secret is missing');
      expect(dump).not.toContain(value);
      expect(dump).not.toContain(Buffer.from(value).toString('hex'));
    }
  });
});
