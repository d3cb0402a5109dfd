import { PlatformRole, Role, UserStatus } from '@credit/proto/identity/v1/identity';
import { SmtpSink, testLogger, textOf, tokenIn } from '@credit/testing';
import { sendDueMail } from '../src/commands/send-due-mail';
import { type Mailer, smtpMailer } from '../src/mailing/mailer';
import { sweepPasswordResets } from '../src/store/password-resets';
import {
  addUser,
  anonymous,
  authorizeOne,
  check,
  codeOf,
  type IdentityStub,
  login,
  outboxOf,
  PASSWORD,
  useIdentity,
} from './support/identity';

const MAIL_FROM = 'Network <no-reply@network.example>';
const CONSOLE_URL = 'https://credit.example/console/';
const NEW_PASSWORD = 'four copper kettles sing';

const sink = new SmtpSink();
let stub: IdentityStub;
let mailer: Mailer;
const identity = useIdentity({}, async ({ replica }) => {
  await sink.start();
  stub = await replica({ SMTP_URL: sink.url, MAIL_FROM, CONSOLE_URL });
  mailer = smtpMailer({ url: sink.url, from: MAIL_FROM });
});
afterAll(async () => {
  mailer?.close();
  await sink.stop();
});
beforeEach(async () => {
  sink.received.length = 0;
  await identity.sql('DELETE FROM password_resets');
  await identity.sql('DELETE FROM invitation_mails');
  await identity.sql('DELETE FROM attempts');
});

const from = (client_address: string) => anonymous({ client_address });
const forget = (email: string, client_address = '192.0.2.1') =>
  stub.requestPasswordReset(from(client_address), { email });
const reset = (token: string, new_password = NEW_PASSWORD) =>
  stub.completePasswordReset(anonymous(), { token, new_password });

async function sendAll(): Promise<void> {
  const deps = {
    db: identity.database.db,
    mailer,
    console_url: CONSOLE_URL,
    public_origin: undefined,
    logger: testLogger,
  };
  while (await sendDueMail(deps));
}

async function tokensFor(email: string): Promise<string[]> {
  await sendAll();
  return sink.received.filter(({ to }) => to.includes(email)).map(tokenIn);
}

async function tokenFor(email: string): Promise<string> {
  await forget(email);
  const token = (await tokensFor(email)).at(-1);
  if (token === undefined) throw new Error('no mail');
  return token;
}

async function told(action: string) {
  const events = await outboxOf(identity);
  return events.flatMap(({ payload }) =>
    payload?.$case === 'audit_recorded' && payload.value.action === action ? [payload.value] : [],
  );
}

const newUser = () => addUser(identity.stub, identity.member, Role.VIEWER);

test('the mail has a link with the token in its fragment; it sets a password once and ends all sessions', async () => {
  const { email, signed_in } = await newUser();
  await forget(` ${email.toUpperCase()} `);
  const [token = ''] = await tokensFor(email);
  const [mail] = sink.received;
  if (mail === undefined) throw new Error('no mail');
  const link = 'https://credit.example/console/reset-password#token=';
  expect(textOf(mail)).toMatch(new RegExp(`\\r\\n +${link}${token}\\r\\n`));
  // In both parts of the mail the token stands in the link, and nowhere else.
  for (const before of textOf(mail).split(token).slice(0, -1))
    expect(before.endsWith(link)).toBe(true);

  // A password that is refused leaves it good.
  await expect(reset(token, 'password1234')).rejects.toMatchObject({
    details: [{ path: 'new_password' }],
  });
  await reset(token);
  expect((await authorizeOne(stub, check(signed_in.tokens?.access_token ?? ''))).state).toBe(
    'REVOKED',
  );
  const refresh_token = signed_in.tokens?.refresh_token ?? '';
  expect(await codeOf(stub.refresh(anonymous(), { refresh_token }))).toBe('INVALID_API_KEY');
  expect(await codeOf(login(stub, email, PASSWORD))).toBe('INVALID_API_KEY');
  await login(stub, email, NEW_PASSWORD);
  await expect(reset(token)).rejects.toMatchObject({
    code: 'REQUEST_ERROR',
    reason: 'TOKEN_NOT_VALID',
  });

  const target_id = signed_in.user?.user?.id;
  const { institution_id } = identity.member;
  expect(await told('user.password_reset_requested')).toContainEqual(
    expect.objectContaining({ institution_id, target_id }),
  );
  expect(await told('user.password_recovered')).toContainEqual(
    expect.objectContaining({ institution_id, target_id, actor_id: target_id }),
  );
});

test('no secret waits in a table or is told to the audit log', async () => {
  const { email } = await newUser();
  const token = await tokenFor(email);
  const rows = await identity.sql(
    `SELECT row_to_json(r)::text AS row FROM password_resets r
     UNION ALL SELECT row_to_json(m)::text FROM password_reset_mails m
     UNION ALL SELECT row_to_json(t)::text FROM password_reset_tokens t`,
  );
  expect(rows).toHaveLength(3);
  expect(JSON.stringify(rows)).not.toContain(token);
  for (const event of await told('user.password_reset_requested')) {
    expect(JSON.stringify(event)).not.toContain('svc_pwr_');
  }
});

test('an address that nobody has gets the same answer and the same rows, and no mail', async () => {
  expect(await forget('nobody@nowhere.example')).toEqual({});
  expect(await identity.sql('SELECT FROM password_reset_mails m')).toHaveLength(1);
  await sendAll();
  expect(sink.received).toEqual([]);
  const [entry] = (await told('user.password_reset_requested')).slice(-1);
  expect(entry).toMatchObject({ institution_id: '', target_type: 'address' });
  expect(JSON.stringify(entry)).not.toContain('nowhere');
});

test('the wrong, the late and the disabled are told the same', async () => {
  const { email, signed_in } = await newUser();
  const token = await tokenFor(email);
  const answers = [reset('svc_pwr_x'), reset('')];
  await identity.sql(`UPDATE password_resets SET expires_at = now()`);
  answers.push(reset(token));
  const user_id = signed_in.user?.user?.id ?? '';
  const second = await newUser();
  const good = await tokenFor(second.email);
  await stub.updateUser(identity.admin, {
    user_id: second.signed_in.user?.user?.id ?? '',
    status: UserStatus.DISABLED,
  });
  answers.push(reset(good));
  const messages = (await Promise.allSettled(answers)).map(
    (result) => result.status === 'rejected' && result.reason.message,
  );
  expect(new Set(messages).size).toBe(1);
  expect(messages[0]).toContain('unknown, was used, or is over');
  expect(user_id).not.toBe('');
  // Whoever is disabled is mailed nothing.
  sink.received.length = 0;
  await forget(second.email);
  expect(await tokensFor(second.email)).toEqual([]);
});

test('what changes the password or the address ends the links that are out', async () => {
  const { email, ctx } = await newUser();
  const first = await tokenFor(email);
  await stub.changePassword(ctx, { current_password: PASSWORD, new_password: NEW_PASSWORD });
  expect(await codeOf(reset(first))).toBe('REQUEST_ERROR');

  const second = await tokenFor(email);
  const user_id = ctx.actor.id;
  await stub.updateUser(identity.admin, { user_id, email: `moved.${email}` });
  expect(await codeOf(reset(second))).toBe('REQUEST_ERROR');

  const third = await tokenFor(`moved.${email}`);
  await stub.resetPassword(identity.admin, { user_id });
  expect(await codeOf(reset(third))).toBe('REQUEST_ERROR');
});

test('of two links that are used at once one sets the password', async () => {
  const { email, ctx } = await newUser();
  await forget(email);
  await forget(email);
  const [first = '', second = ''] = await tokensFor(email);
  const outcomes = await identity.collide(
    { text: 'SELECT FROM users WHERE id = $1 FOR UPDATE', values: [ctx.actor.id] },
    2,
    () => [reset(first), reset(second, `${NEW_PASSWORD} high`)],
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('an account gets five mails an hour; more requests change nothing that can be seen', async () => {
  const { email } = await newUser();
  for (let request = 0; request < 8; request += 1) {
    expect(await forget(email, `198.51.100.${request}`)).toEqual({});
  }
  expect(await tokensFor(email)).toHaveLength(5);
});

test('an address is put off after as many requests as it may fail to sign in', async () => {
  const few = await identity.replica({
    SMTP_URL: sink.url,
    MAIL_FROM,
    CONSOLE_URL,
    LOGIN_FAILURES_PER_ADDRESS: '2',
  });
  const ask = (email: string) => few.requestPasswordReset(from('203.0.113.9'), { email });
  await ask('a@nowhere.example');
  await ask('b@nowhere.example');
  await expect(ask('c@nowhere.example')).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    reason: 'TOO_MANY_ATTEMPTS',
  });
});

test('a network that sends no mail says so, whoever is asked for', async () => {
  for (const email of [identity.member.owner_email, 'nobody@nowhere.example']) {
    await expect(identity.stub.requestPasswordReset(anonymous(), { email })).rejects.toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      reason: 'NO_MAIL',
    });
  }
});

test('what has been over for a day is deleted with its tokens', async () => {
  const { email } = await newUser();
  await tokenFor(email);
  const on = identity.database.db.read(anonymous());
  expect(await sweepPasswordResets(on, 10)).toBe(0);
  await identity.sql(`UPDATE password_resets SET expires_at = now() - interval '25 hours'`);
  expect(await sweepPasswordResets(on, 10)).toBe(1);
  expect(await identity.sql('SELECT FROM password_reset_tokens t')).toEqual([]);
});

test('who runs the network is mailed no link without a second factor; with one, a link is good', async () => {
  const email = 'desk@network.example';
  const { user } = await identity.stub.createUser(identity.admin, {
    email,
    display_name: 'Desk',
    platform_role: PlatformRole.PLATFORM_ADMIN,
  });
  await forget(email);
  expect(await tokensFor(email)).toEqual([]);

  const setFactor = (confirmed: boolean) =>
    identity.sql(
      `INSERT INTO second_factors (user_id, key_id, sealed, confirmed_at)
       VALUES ($1, '', '', CASE WHEN $2 THEN now() END)
       ON CONFLICT (user_id) DO UPDATE SET confirmed_at = excluded.confirmed_at`,
      [user?.id, confirmed],
    );
  await setFactor(true);
  const token = await tokenFor(email);
  // It went between the mail and its use.
  await setFactor(false);
  expect(await codeOf(reset(token))).toBe('REQUEST_ERROR');
  await setFactor(true);
  await reset(token);
  const { tokens, challenge } = await login(stub, email, NEW_PASSWORD);
  expect(tokens).toBeUndefined();
  expect(challenge?.challenge).toMatch(/^svc_sc_/);
});
