import { systemContext } from '@credit/platform/context';
import { openKeyRing } from '@credit/platform/credentials';
import { isAppError } from '@credit/platform/errors';
import { resealSecrets } from '@credit/platform/runtime';
import { type LoginResponse, PlatformRole, Role } from '@credit/proto/identity/v1/identity';
import { testLogger } from '@credit/testing';
import { Secret, TOTP } from 'otpauth';
import { resetSuperadmin } from '../src/commands/reset-superadmin';
import { type MailDependencies, sendDueMail } from '../src/commands/send-due-mail';
import { FACTOR_MAIL_WINDOW_S, MAX_FACTOR_MAILS } from '../src/domain/second-factor-mail';
import type { Mail } from '../src/mailing/mailer';
import { countAttempt } from '../src/store/attempts';
import { SEALED, sweepChallenges } from '../src/store/second-factors';
import {
  addUser,
  anonymous,
  asUser,
  authorizeOne,
  check,
  codeOf,
  FACTOR_KEY,
  login,
  makeKey,
  now_ms,
  outboxOf,
  PASSWORD,
  passTime,
  SUPERADMIN,
  useIdentity,
} from './support/identity';

const STEP_MS = 30_000;

const identity = useIdentity();
beforeEach(async () => {
  // No code of the test before is of a step around now; and this step goes on for as long as it can.
  passTime(11 * STEP_MS - (now_ms() % STEP_MS));
  await identity.sql('DELETE FROM attempts');
});

/** The code that an authenticator shows so many steps from now. */
function codeFrom(secret: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: now_ms() + steps * STEP_MS });
}

/** One that is none around now. */
function wrongCode(secret: string): string {
  const good = [-1, 0, 1].map((steps) => codeFrom(secret, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code)) ?? '';
}

const begin = (ctx: ReturnType<typeof asUser>) =>
  identity.stub.beginSecondFactor(ctx, { current_password: PASSWORD, issuer: 'Network' });

const sessionsOf = async (ctx: ReturnType<typeof asUser>) =>
  (await identity.stub.listSessions(ctx, { limit: 50 })).sessions;

/** A user with a confirmed factor; the step of confirmation is over. */
async function enrolled(role: Role = Role.VIEWER) {
  const { stub, member } = identity;
  const user = await addUser(stub, member, role);
  const { secret } = await begin(user.ctx);
  const session_id = (await sessionsOf(user.ctx))[0]?.id ?? '';
  const { recovery_codes } = await stub.confirmSecondFactor(user.ctx, {
    code: codeFrom(secret),
    session_id,
  });
  passTime(2 * STEP_MS);
  return { ...user, id: user.ctx.actor.id, secret, recovery_codes, session_id };
}

async function challengeOf(email: string, password = PASSWORD): Promise<string> {
  const { tokens, user, challenge } = await login(identity.stub, email, password);
  expect({ tokens, user }).toEqual({ tokens: undefined, user: undefined });
  if (challenge === undefined) throw new Error('no challenge');
  return challenge.challenge;
}

const complete = (proof: { challenge: string; code?: string; recovery_code?: string }) =>
  identity.stub.completeLogin(anonymous({ client_address: '192.0.2.1' }), proof);

async function reasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    return isAppError(error) ? error.reason : String(error);
  }
}

async function told(action: string, target_id: string) {
  const events = await outboxOf(identity);
  return events.flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' &&
    payload.value.action === action &&
    payload.value.target_id === target_id
      ? [JSON.parse(payload.value.changes_json || '{}')]
      : [],
  );
}

describe('setting it up', () => {
  test('takes the password, and asks for nothing until a code has confirmed it', async () => {
    const { stub, member } = identity;
    const { email, ctx } = await addUser(stub, member, Role.VIEWER);
    await expect(
      stub.beginSecondFactor(ctx, { current_password: 'another one altogether', issuer: 'N' }),
    ).rejects.toMatchObject({ details: [{ path: 'current_password', message: 'is wrong' }] });
    const first = await begin(ctx);
    expect(first.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(first.otpauth_uri).toContain(`otpauth://totp/Network:${encodeURIComponent(email)}?`);
    expect(first.otpauth_uri).toContain(`secret=${first.secret}`);
    expect((await login(stub, email, PASSWORD)).tokens).toBeDefined();

    const { secret } = await begin(ctx);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    const confirm = (code: string) => stub.confirmSecondFactor(ctx, { code, session_id });
    await expect(confirm('12345')).rejects.toMatchObject({
      details: [{ path: 'code', message: 'must be 6 digits' }],
    });
    expect(await codeOf(confirm(codeFrom(first.secret)))).toBe('VALIDATION_ERROR');
    expect((await confirm(codeFrom(secret))).recovery_codes).toHaveLength(10);
    expect(await reasonOf(confirm(codeFrom(secret, 1)))).toBe('SECOND_FACTOR_ENROLLED');
    expect(await reasonOf(begin(ctx))).toBe('SECOND_FACTOR_ENROLLED');
    await challengeOf(email);
  });

  test('ends the other sessions, keeps its own, and is shown to its user', async () => {
    const { stub, member } = identity;
    const { email, ctx } = await addUser(stub, member, Role.VIEWER);
    const other = await login(stub, email, PASSWORD);
    const mine = await login(stub, email, PASSWORD);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    const { secret } = await begin(ctx);
    await stub.confirmSecondFactor(ctx, { code: codeFrom(secret), session_id });
    const state = async ({ tokens }: typeof mine) =>
      (await authorizeOne(stub, check(tokens?.access_token ?? ''))).state;
    expect([await state(mine), await state(other)]).toEqual(['VALID', 'REVOKED']);
    expect(await codeOf(stub.refresh(anonymous(), other.tokens as never))).toBe('INVALID_API_KEY');
    expect(await sessionsOf(ctx)).toMatchObject([{ id: session_id, amr: 'pwd+otp' }]);
    const { user } = await stub.getCaller(ctx, {});
    expect(user).toMatchObject({ user: { second_factor: true }, recovery_codes_left: 10 });
  });

  test('keeps the secret sealed, and recovery codes as hashes', async () => {
    const { id, secret, recovery_codes } = await enrolled();
    const [row] = await identity.sql<{ sealed: Buffer }>(
      'SELECT sealed FROM second_factors WHERE user_id = $1',
      [id],
    );
    expect(row?.sealed.includes(secret)).toBe(false);
    const hashes = await identity.sql<{ code_hash: Buffer }>(
      'SELECT code_hash FROM recovery_codes WHERE user_id = $1',
      [id],
    );
    expect(new Set(hashes.map(({ code_hash }) => code_hash.toString('hex'))).size).toBe(10);
    for (const code of recovery_codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  });
});

describe('signing in with it', () => {
  test('a right password gives a challenge; a code makes a session of it, with an entry', async () => {
    const { email, secret, id } = await enrolled();
    const challenge = await challengeOf(email);
    const { tokens, user } = await complete({ challenge, code: codeFrom(secret) });
    expect(user?.user?.id).toBe(id);
    const access_token = tokens?.access_token ?? '';
    const { principal } = await authorizeOne(identity.stub, check(access_token));
    const session_id = principal?.session_id ?? '';
    expect(await told('user.logged_in', session_id)).toEqual([{ amr: 'pwd+otp' }]);
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret, 1) }))).toBe(
      'TOKEN_NOT_VALID',
    );
  });

  test('a wrong password is told as that of anybody', async () => {
    const { email } = await enrolled();
    expect(await reasonOf(login(identity.stub, email, 'another one altogether'))).toBe(
      'SIGN_IN_FAILED',
    );
  });

  test.each([-1, 0, 1])('a code of %i steps from now is taken', async (steps) => {
    const { email, secret } = await enrolled();
    const challenge = await challengeOf(email);
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret, steps) }))).toBe('OK');
  });

  test.each([-2, 2])('one of %i steps from now is not', async (steps) => {
    const { email, secret } = await enrolled();
    const challenge = await challengeOf(email);
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret, steps) }))).toBe(
      'SECOND_FACTOR_FAILED',
    );
  });

  test('a code is good once, and those before it are over with it', async () => {
    const { email, secret } = await enrolled();
    const code = codeFrom(secret);
    const earlier = codeFrom(secret, -1);
    await complete({ challenge: await challengeOf(email), code });
    const challenge = await challengeOf(email);
    expect(await reasonOf(complete({ challenge, code }))).toBe('SECOND_FACTOR_FAILED');
    expect(await reasonOf(complete({ challenge, code: earlier }))).toBe('SECOND_FACTOR_FAILED');
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret, 1) }))).toBe('OK');
  });

  test('the code that confirmed the factor signs nobody in', async () => {
    const { stub, member } = identity;
    const { email, ctx } = await addUser(stub, member, Role.VIEWER);
    const { secret } = await begin(ctx);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    const code = codeFrom(secret);
    await stub.confirmSecondFactor(ctx, { code, session_id });
    expect(await reasonOf(complete({ challenge: await challengeOf(email), code }))).toBe(
      'SECOND_FACTOR_FAILED',
    );
  });

  test('a recovery code is good once, however it is written', async () => {
    const { email, recovery_codes, ctx } = await enrolled();
    const [one = '', two = ''] = recovery_codes;
    const challenge = await challengeOf(email);
    const { tokens } = await complete({ challenge, recovery_code: one.toLowerCase() });
    const { principal } = await authorizeOne(identity.stub, check(tokens?.access_token ?? ''));
    expect(await sessionsOf(ctx)).toContainEqual(
      expect.objectContaining({ id: principal?.session_id, amr: 'pwd+recovery' }),
    );
    const { user } = await identity.stub.getCaller(ctx, {});
    expect(user?.recovery_codes_left).toBe(9);
    const next = await challengeOf(email);
    expect(await reasonOf(complete({ challenge: next, recovery_code: one }))).toBe(
      'SECOND_FACTOR_FAILED',
    );
    expect(
      await reasonOf(complete({ challenge: next, recovery_code: two.replaceAll('-', ' ') })),
    ).toBe('OK');
  });

  test('one of the two codes is given, well-formed; a mistake in that costs no attempt', async () => {
    const { email, secret, recovery_codes } = await enrolled();
    const challenge = await challengeOf(email);
    for (let n = 0; n < 6; n += 1) {
      expect(await reasonOf(complete({ challenge, code: 'abcdef' }))).toBe('INVALID_FIELDS');
      expect(await reasonOf(complete({ challenge, recovery_code: 'short' }))).toBe(
        'INVALID_FIELDS',
      );
      expect(await reasonOf(complete({ challenge }))).toBe('INVALID_FIELDS');
      const both = { challenge, code: codeFrom(secret), recovery_code: recovery_codes[0] ?? '' };
      expect(await reasonOf(complete(both))).toBe('INVALID_FIELDS');
    }
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret) }))).toBe('OK');
  });

  test('a code of one user opens nothing of another', async () => {
    const [ada, grace] = [await enrolled(), await enrolled()];
    const challenge = await challengeOf(ada.email);
    const [recovery_code = ''] = grace.recovery_codes;
    expect(await reasonOf(complete({ challenge, recovery_code }))).toBe('SECOND_FACTOR_FAILED');
    expect(await reasonOf(complete({ challenge, code: wrongCode(ada.secret) }))).toBe(
      'SECOND_FACTOR_FAILED',
    );
  });
});

describe('the bounds of a challenge', () => {
  test('five codes may be tried in one, then not even the right one is taken', async () => {
    const { email, secret, id } = await enrolled();
    const challenge = await challengeOf(email);
    for (let n = 0; n < 5; n += 1) {
      expect(await reasonOf(complete({ challenge, code: wrongCode(secret) }))).toBe(
        'SECOND_FACTOR_FAILED',
      );
    }
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret) }))).toBe('TOKEN_NOT_VALID');
    expect(await told('user.login_failed', id)).toHaveLength(5);
    expect(await told('user.login_failed', id)).toContainEqual(
      expect.objectContaining({ fault: 'WRONG_SECOND_FACTOR' }),
    );
  });

  test('ten wrong codes of a user are all that a quarter of an hour takes, in however many', async () => {
    const { email, secret } = await enrolled();
    for (let n = 0; n < 2; n += 1) {
      const challenge = await challengeOf(email);
      for (let m = 0; m < 5; m += 1) {
        await reasonOf(complete({ challenge, code: wrongCode(secret) }));
      }
    }
    const challenge = await challengeOf(email);
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret) }))).toBe(
      'TOO_MANY_ATTEMPTS',
    );
  });

  test('it is over after five minutes, and swept', async () => {
    const { email, secret, id } = await enrolled();
    const challenge = await challengeOf(email);
    await identity.sql(
      `UPDATE sign_in_challenges SET expires_at = expires_at - interval '301 s' WHERE user_id = $1`,
      [id],
    );
    expect(await reasonOf(complete({ challenge, code: codeFrom(secret) }))).toBe('TOKEN_NOT_VALID');
    const on = identity.database.db.read(systemContext('live'));
    expect(await sweepChallenges(on, 100)).toBeGreaterThan(0);
  });

  test('it ends with a changed password, ended sessions and a disabled user', async () => {
    const { stub, admin, member } = identity;
    const user = await enrolled();
    const { email, secret, id } = user;
    const before = await challengeOf(email);
    const new_password = 'four copper kettles sing';
    await stub.changePassword(user.ctx, { current_password: PASSWORD, new_password });
    expect(await reasonOf(complete({ challenge: before, code: codeFrom(secret) }))).toBe(
      'TOKEN_NOT_VALID',
    );
    const second = await challengeOf(email, new_password);
    await stub.revokeSessions(admin, { user_id: id });
    expect(await reasonOf(complete({ challenge: second, code: codeFrom(secret) }))).toBe(
      'TOKEN_NOT_VALID',
    );
    const third = await challengeOf(email, new_password);
    await stub.updateMember(member.owner, { user_id: id, status: 'DISABLED' });
    expect(await reasonOf(complete({ challenge: third, code: codeFrom(secret) }))).toBe(
      'TOKEN_NOT_VALID',
    );
  });
});

describe('at once', () => {
  const lockOf = (id: string) => ({
    text: 'SELECT id FROM users WHERE id = $1 FOR UPDATE',
    values: [id],
  });
  const outcomes = (settled: PromiseSettledResult<unknown>[]) =>
    settled
      .map((one) => (one.status === 'fulfilled' ? 'OK' : (one.reason.reason as string)))
      .sort();

  test('of two sign-ins with one code, one is let in', async () => {
    const { email, secret, id } = await enrolled();
    const challenges = [await challengeOf(email), await challengeOf(email)];
    const code = codeFrom(secret);
    const settled = await identity.collide(lockOf(id), 2, () =>
      challenges.map((challenge) => complete({ challenge, code })),
    );
    expect(outcomes(settled)).toEqual(['OK', 'SECOND_FACTOR_FAILED']);
  });

  test('of two with one recovery code, one is let in', async () => {
    const { email, recovery_codes, id } = await enrolled();
    const challenges = [await challengeOf(email), await challengeOf(email)];
    const [recovery_code = ''] = recovery_codes;
    const settled = await identity.collide(lockOf(id), 2, () =>
      challenges.map((challenge) => complete({ challenge, recovery_code })),
    );
    expect(outcomes(settled)).toEqual(['OK', 'SECOND_FACTOR_FAILED']);
  });

  test('of two with one challenge and two good codes, one is let in, and the other code stays good', async () => {
    const { email, recovery_codes, id } = await enrolled();
    const challenge = await challengeOf(email);
    const settled = await identity.collide(lockOf(id), 2, () =>
      recovery_codes.slice(0, 2).map((recovery_code) => complete({ challenge, recovery_code })),
    );
    expect(outcomes(settled)).toEqual(['OK', 'TOKEN_NOT_VALID']);
    const [{ count } = { count: 0 }] = await identity.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL',
      [id],
    );
    expect(count).toBe(9);
  });

  test('a sign-in that waits while the factor is confirmed is asked for it', async () => {
    const { stub, member } = identity;
    const { email, ctx } = await addUser(stub, member, Role.VIEWER);
    const { secret } = await begin(ctx);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    const [confirmed, signed_in] = await identity.collide(lockOf(ctx.actor.id), 2, () => {
      const confirming = stub.confirmSecondFactor(ctx, { code: codeFrom(secret), session_id });
      const after = new Promise((resolve) => setTimeout(resolve, 300)).then(() =>
        login(stub, email, PASSWORD),
      );
      return [confirming as Promise<unknown>, after as Promise<unknown>];
    });
    expect(confirmed?.status).toBe('fulfilled');
    expect(signed_in).toMatchObject({ value: { tokens: undefined } });
  });
});

describe('changing it', () => {
  test('new recovery codes put the old ones out of use', async () => {
    const { ctx, secret, recovery_codes, email } = await enrolled();
    const { stub } = identity;
    const proof = { current_password: PASSWORD, code: codeFrom(secret) };
    const renewed = await stub.renewRecoveryCodes(ctx, proof);
    expect(renewed.recovery_codes).toHaveLength(10);
    expect(renewed.recovery_codes).not.toContain(recovery_codes[0]);
    const challenge = await challengeOf(email);
    const [old = ''] = recovery_codes;
    expect(await reasonOf(complete({ challenge, recovery_code: old }))).toBe(
      'SECOND_FACTOR_FAILED',
    );
    const [fresh = ''] = renewed.recovery_codes;
    expect(await reasonOf(complete({ challenge, recovery_code: fresh }))).toBe('OK');
  });

  test('removing takes the password and a code, of either kind', async () => {
    const { ctx, secret, recovery_codes, email, id } = await enrolled();
    const { stub } = identity;
    const remove = (proof: { current_password: string; code?: string; recovery_code?: string }) =>
      stub.removeSecondFactor(ctx, proof);
    expect(await codeOf(remove({ current_password: 'wrong one', code: codeFrom(secret) }))).toBe(
      'VALIDATION_ERROR',
    );
    await expect(
      remove({ current_password: PASSWORD, code: wrongCode(secret) }),
    ).rejects.toMatchObject({ details: [{ path: 'code' }] });
    expect(await told('user.second_factor_failed', id)).toHaveLength(1);
    await remove({ current_password: PASSWORD, recovery_code: recovery_codes[0] ?? '' });
    expect(await told('user.second_factor_removed', id)).toHaveLength(1);
    expect((await login(stub, email, PASSWORD)).tokens).toBeDefined();
    expect(await reasonOf(remove({ current_password: PASSWORD, code: '123456' }))).toBe(
      'NO_SECOND_FACTOR',
    );
    const { user } = await stub.getCaller(ctx, {});
    expect(user).toMatchObject({ user: { second_factor: false }, recovery_codes_left: 0 });
  });

  test('a changed or reset password leaves it standing', async () => {
    const { stub, admin } = identity;
    const { id, email, secret } = await enrolled();
    const { temporary_password } = await stub.resetPassword(admin, { user_id: id });
    const challenge = await challengeOf(email, temporary_password);
    const { user } = await complete({ challenge, code: codeFrom(secret) });
    expect(user?.user).toMatchObject({ must_change_password: true, second_factor: true });
  });
});

describe('where the network asks for one', () => {
  const owing = async (stub: typeof identity.stub, { tokens }: LoginResponse) => {
    const { principal } = await authorizeOne(stub, check(tokens?.access_token ?? ''));
    return principal?.must_set_second_factor;
  };

  test('of everyone: who has none owes it until it is set up, and owes it again when it is gone', async () => {
    const stub = await identity.replica({ REQUIRE_SECOND_FACTOR: 'everyone' });
    const { email, ctx, signed_in } = await addUser(stub, identity.member, Role.VIEWER);
    expect(signed_in.user?.must_set_second_factor).toBe(true);
    expect(await owing(stub, signed_in)).toBe(true);
    expect((await stub.getCaller(ctx, {})).user?.must_set_second_factor).toBe(true);
    const { secret } = await begin(ctx);
    expect(await owing(stub, signed_in)).toBe(true);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    await stub.confirmSecondFactor(ctx, { code: codeFrom(secret), session_id });
    expect(await owing(stub, signed_in)).toBe(false);
    const challenge = await challengeOf(email);
    const second = await stub.completeLogin(anonymous(), { challenge, code: codeFrom(secret, 1) });
    expect(second.user?.must_set_second_factor).toBe(false);
    passTime(2 * STEP_MS);
    await stub.removeSecondFactor(ctx, {
      current_password: PASSWORD,
      code: codeFrom(secret),
    });
    expect(await owing(stub, signed_in)).toBe(true);
    // A replica that asks for none lets it be.
    expect(await owing(identity.stub, signed_in)).toBe(false);
  });

  test('of administrators: members owe nothing, and no key ever does', async () => {
    const stub = await identity.replica({ REQUIRE_SECOND_FACTOR: 'administrators' });
    const member = await addUser(stub, identity.member, Role.OWNER);
    expect(await owing(stub, member.signed_in)).toBe(false);
    expect(await owing(stub, await login(stub, SUPERADMIN.email, SUPERADMIN.password))).toBe(true);
    const { secret } = await makeKey(identity.stub, identity.member.owner);
    const everyone = await identity.replica({ REQUIRE_SECOND_FACTOR: 'everyone' });
    const { principal } = await authorizeOne(everyone, check(secret));
    expect(principal).toMatchObject({ is_api_key: true, must_set_second_factor: false });
  });
});

describe('what its user is mailed', () => {
  const sent: Mail[] = [];
  const worker = (): MailDependencies => ({
    db: identity.database.db,
    logger: testLogger,
    console_url: 'https://credit.example/console',
    public_origin: undefined,
    mailer: {
      send: async (mail) => {
        sent.push(mail);
      },
      close() {},
    },
  });
  /** What one person is sent by all mails that are due. */
  const mailsTo = async (email: string) => {
    while (await sendDueMail(worker())) {}
    return sent.filter(({ to }) => to === email);
  };
  const MAILING = {
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Network <no-reply@network.example>',
    CONSOLE_URL: 'https://credit.example/console',
  };

  test('is each change of it, and each recovery code that is used, once', async () => {
    const stub = await identity.replica(MAILING);
    const { email, ctx } = await addUser(stub, identity.member, Role.VIEWER);
    const { secret } = await begin(ctx);
    const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
    const code = codeFrom(secret);
    const { recovery_codes } = await stub.confirmSecondFactor(ctx, { code, session_id });
    passTime(2 * STEP_MS);
    const challenge = await challengeOf(email);
    const [recovery_code = ''] = recovery_codes;
    await stub.completeLogin(anonymous(), { challenge, recovery_code });
    // A code that does not fit is no news.
    const [used] = await mailsTo(email).then((mails) => mails.slice(-1));
    expect(JSON.stringify(used)).toContain('9 recovery codes are left.');
    const again = await challengeOf(email);
    await reasonOf(stub.completeLogin(anonymous(), { challenge: again, recovery_code }));
    const proof = (steps: number) => ({
      current_password: PASSWORD,
      code: codeFrom(secret, steps),
    });
    await stub.renewRecoveryCodes(ctx, proof(0));
    await stub.removeSecondFactor(ctx, proof(1));
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'A second factor was set up',
      'A recovery code was used',
      'You have new recovery codes',
      'Your second factor was removed',
    ]);
    const written = JSON.stringify(mails);
    expect(written).toContain('https://credit.example/console/second-factor');
    for (const told of [secret, recovery_code]) expect(written).not.toContain(told);
    expect(await mailsTo(email)).toHaveLength(4);
  });

  test('says nothing of codes that went with the factor', async () => {
    const stub = await identity.replica(MAILING);
    const { email, ctx, recovery_codes } = await enrolled();
    await stub.removeSecondFactor(ctx, {
      current_password: PASSWORD,
      recovery_code: recovery_codes[0] ?? '',
    });
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'A recovery code was used',
      'Your second factor was removed',
    ]);
    expect(JSON.stringify(mails)).not.toContain('left');
  });

  test('is that somebody else took it off; of one that was only offered nothing', async () => {
    const stub = await identity.replica(MAILING);
    const { email, id } = await enrolled();
    await stub.resetMemberSecondFactor(identity.member.owner, { user_id: id });
    await stub.resetMemberSecondFactor(identity.member.owner, { user_id: id });
    expect((await mailsTo(email)).map(({ subject }) => subject)).toEqual([
      'Your second factor was taken off',
    ]);
    const other = await addUser(stub, identity.member, Role.VIEWER);
    await begin(other.ctx);
    await stub.resetMemberSecondFactor(identity.member.owner, { user_id: other.ctx.actor.id });
    expect(await mailsTo(other.email)).toEqual([]);
  });

  test('is bounded: what comes on top is in the audit log', async () => {
    const stub = await identity.replica(MAILING);
    const { email, id, ctx, secret } = await enrolled();
    const window = { subject: `factor mails ${id}`, window_s: FACTOR_MAIL_WINDOW_S };
    const on = identity.database.db.read(systemContext('live'));
    for (let told = 1; told < MAX_FACTOR_MAILS; told += 1) await countAttempt(on, [window]);
    const renew = (steps: number) =>
      stub.renewRecoveryCodes(ctx, { current_password: PASSWORD, code: codeFrom(secret, steps) });
    await renew(0);
    await renew(1);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await told('user.recovery_codes_renewed', id)).toHaveLength(2);
  });
});

test('no session begins by the password alone of who has one, whatever code begins it', async () => {
  const { id } = await enrolled();
  // As a replica of before there was a second factor begins one.
  const insert = (user_id: string) =>
    identity.sql(
      `INSERT INTO sessions (id, user_id, expires_at)
       VALUES (gen_random_uuid(), $1, now() + interval '1 day')`,
      [user_id],
    );
  await expect(insert(id)).rejects.toThrow('a session of a user with a second factor');
  const { ctx } = await addUser(identity.stub, identity.member, Role.VIEWER);
  await begin(ctx);
  expect(await codeOf(insert(ctx.actor.id))).toBe('OK');
});

describe('taking it off somebody', () => {
  test('an owner does it for a colleague: sessions end, the password signs in alone', async () => {
    const { stub, member } = identity;
    const { id, email, ctx } = await enrolled();
    await stub.resetMemberSecondFactor(member.owner, { user_id: id });
    expect(await sessionsOf(ctx)).toEqual([]);
    expect((await login(stub, email, PASSWORD)).tokens).toBeDefined();
    await stub.resetMemberSecondFactor(member.owner, { user_id: id });
    expect(await told('user.second_factor_reset', id)).toEqual([
      { removed: true, sessions_ended: 1 },
      { removed: false, sessions_ended: 1 },
    ]);
  });

  test('an ADMIN does it for no OWNER, a VIEWER for nobody, and nobody for strangers', async () => {
    const { stub, member, admin } = identity;
    const owner = await enrolled(Role.OWNER);
    const user_id = owner.id;
    const an_admin = await addUser(stub, member, Role.ADMIN);
    const viewer = await addUser(stub, member, Role.VIEWER);
    const reset = (ctx: typeof admin) => codeOf(stub.resetMemberSecondFactor(ctx, { user_id }));
    expect(await reset(an_admin.ctx)).toBe('INSUFFICIENT_SCOPE');
    expect(await reset(viewer.ctx)).toBe('INSUFFICIENT_SCOPE');
    const elsewhere = await stub.createUser(admin, {
      email: 'runs@network.example',
      display_name: 'Runs',
      platform_role: PlatformRole.PLATFORM_ADMIN,
    });
    const stranger = { user_id: elsewhere.user?.id ?? '' };
    expect(await codeOf(stub.resetMemberSecondFactor(member.owner, stranger))).toBe('NOT_FOUND');
    expect(await codeOf(stub.resetSecondFactor(member.owner, { user_id }))).toBe(
      'INSUFFICIENT_SCOPE',
    );
    await stub.resetSecondFactor(admin, { user_id });
    expect((await login(stub, owner.email, PASSWORD)).tokens).toBeDefined();
  });
});

test('what an earlier key sealed is sealed anew, and is as good as before', async () => {
  const { email, secret, id } = await enrolled();
  const next = Buffer.alloc(32, 9).toString('base64');
  const second_factor_keys = openKeyRing(next, [FACTOR_KEY]);
  const reseal = (keys: typeof second_factor_keys) => {
    const parts = {
      db: identity.database.db,
      clock: { now_ms },
      sealed: { columns: SEALED, keys },
    };
    return resealSecrets(parts, 'live');
  };
  expect(await reseal(second_factor_keys)).toBeGreaterThan(0);
  expect(await reseal(second_factor_keys)).toBe(0);
  const stub = await identity.replica({ SECOND_FACTOR_KEY: next });
  const challenge = await challengeOf(email);
  const { user } = await stub.completeLogin(anonymous(), { challenge, code: codeFrom(secret) });
  expect(user?.user?.id).toBe(id);
  await reseal(openKeyRing(FACTOR_KEY, [next]));
});

test('the operator lets a superadmin in without it', async () => {
  const { stub, admin, database } = identity;
  const made = await stub.createUser(admin, {
    email: 'second@network.example',
    display_name: 'Second',
    platform_role: PlatformRole.SVC_SUPERADMIN,
  });
  const user_id = made.user?.id ?? '';
  const signed_in = await login(stub, 'second@network.example', made.temporary_password);
  const ctx = asUser(signed_in);
  const { secret } = await stub.beginSecondFactor(ctx, {
    current_password: made.temporary_password,
    issuer: 'Network',
  });
  const session_id = (await sessionsOf(ctx))[0]?.id ?? '';
  await stub.confirmSecondFactor(ctx, { code: codeFrom(secret), session_id });
  const { temporary_password } = await resetSuperadmin(
    {
      db: database.db,
      clock: { now_ms },
      config: { TEMPORARY_PASSWORD_LIFETIME_S: 3_600 } as never,
      passwords: { hash: async () => 'x' } as never,
    } as never,
    { email: 'second@network.example', reason: 'lost' },
  );
  expect(temporary_password).not.toBe('');
  const [reset] = await told('user.reset_by_operator', user_id);
  expect(reset).toMatchObject({ second_factor: 'removed' });
  expect(await identity.sql('SELECT FROM second_factors WHERE user_id = $1', [user_id])).toEqual(
    [],
  );
});
