import { loadConfig, newId } from '@credit/platform/runtime';
import { Role } from '@credit/proto/identity/v1/identity';
import { SmtpSink, testLogger, tokenIn } from '@credit/testing';
import { sendDueMail } from '../src/commands/send-due-mail';
import { configSchema } from '../src/config';
import { type Mailer, smtpMailer } from '../src/mailing/mailer';
import { mailWorker } from '../src/workers/mail-worker';
import { anonymous, codeOf, type IdentityStub, PASSWORD, useIdentity } from './support/identity';

const MAIL_FROM = 'Network <no-reply@network.example>';
const ORIGIN = 'https://network.example';
const CONSOLE_URL = 'https://credit.example/console';

const sink = new SmtpSink();
/** Owes mails, as its process never starts the worker: whoever sends them is another one. */
let stub: IdentityStub;
let mailer: Mailer;
let people = 0;

const identity = useIdentity({}, async ({ replica }) => {
  await sink.start();
  stub = await replica({ SMTP_URL: sink.url, MAIL_FROM, CONSOLE_URL, PUBLIC_ORIGIN: `${ORIGIN}/` });
  mailer = smtpMailer({ url: sink.url, from: MAIL_FROM });
});
afterAll(async () => {
  mailer?.close();
  await sink.stop();
});

beforeEach(async () => {
  await identity.sql('DELETE FROM invitation_tokens');
  sink.mood = 'kind';
  sink.received.length = 0;
  await identity.sql('DELETE FROM invitation_mails');
});

async function invite(email = `mailed${++people}@lighthouse.example`) {
  const { invitation } = await stub.createInvitation(identity.member.owner, {
    email,
    role: Role.VIEWER,
  });
  if (invitation === undefined) throw new Error('no invitation');
  return invitation;
}

const accept = (token: string) =>
  stub.acceptInvitation(anonymous(), { token, display_name: 'Mate', password: PASSWORD });

const deps = () => ({
  db: identity.database.db,
  mailer,
  console_url: CONSOLE_URL,
  public_origin: ORIGIN,
  logger: testLogger,
});

/** All that is due now; how many attempts that were. */
async function sendAll(): Promise<number> {
  let attempts = 0;
  while (await sendDueMail(deps())) attempts += 1;
  return attempts;
}

const makeDue = () => identity.sql(`UPDATE invitation_mails SET due_at = now()`);

/** A mail's text without the folding of long lines. */
const decoded = ({ data }: { data: string }) => data.replaceAll('=\r\n', '').replaceAll('=3D', '=');

test('an invitation is mailed, with a token as good as the one that was shown', async () => {
  const invitation = await invite();
  expect(await sendAll()).toBe(1);
  expect(sink.received).toHaveLength(1);
  const [mail] = sink.received;
  if (mail === undefined) throw new Error('no mail');
  expect(mail).toMatchObject({ from: 'no-reply@network.example', to: [invitation.email] });
  expect(mail.data).toMatch(/^From: Network <no-reply@network\.example>\r$/m);
  expect(mail.data).toMatch(/^Subject: Invitation to join Lighthouse \d+\r$/m);
  expect(mail.data).toMatch(/^Auto-Submitted: auto-generated\r$/m);

  const token = tokenIn(mail);
  expect(token).not.toBe(invitation.token);
  const leadsTo = (of: string) => `${CONSOLE_URL}/join#token=${of}`;
  expect(invitation.link).toBe(leadsTo(invitation.token));
  expect(decoded(mail)).toContain(`    ${leadsTo(token)}\r\n`);
  expect((await accept(token)).user?.user?.email).toBe(invitation.email);
  expect(await codeOf(accept(invitation.token))).toBe('REQUEST_ERROR');
  expect(await codeOf(accept(token))).toBe('REQUEST_ERROR');
});

test('the token that was shown stays good, and ends the mailed one', async () => {
  const invitation = await invite();
  await sendAll();
  await accept(invitation.token);
  const [mail] = sink.received;
  if (mail === undefined) throw new Error('no mail');
  expect(await codeOf(accept(tokenIn(mail)))).toBe('REQUEST_ERROR');
});

test('approval mails the first owner', async () => {
  const { id } = await stub.submitApplication(anonymous(), {
    institution_name: 'Quay\r\nBcc: eve@example.com',
    contact_name: 'Ada',
    contact_email: 'ada@quay.example',
  });
  await stub.reviewApplication(identity.admin, {
    application_id: id,
    status: 'APPROVED',
  });
  await sendAll();
  expect(sink.received.map(({ to }) => to)).toEqual([['ada@quay.example']]);
  // A name is text, whatever it holds: it makes no header.
  expect(sink.received[0]?.data).not.toMatch(/^Bcc:/m);
});

test('what was committed is mailed although its process is gone, once', async () => {
  const invitations = await Promise.all([invite(), invite(), invite()]);
  // Two other processes, at the same time.
  const attempts = await Promise.all([sendAll(), sendAll()]);
  expect(attempts[0] + attempts[1]).toBe(3);
  expect(sink.received.flatMap(({ to }) => to).sort()).toEqual(
    invitations.map(({ email }) => email).sort(),
  );
  await makeDue();
  expect(await sendAll()).toBe(0);
});

test('an address with an account is told so by mail, without a token, and nobody else is', async () => {
  const { owner_email } = identity.member;
  await invite(` ${owner_email.toUpperCase()}`);
  expect(await sendAll()).toBe(1);
  const [mail] = sink.received;
  expect(mail?.to).toEqual([owner_email]);
  expect(mail?.data).toContain('has an account in the network already');
  expect(mail?.data).not.toContain('svc_inv_');
  expect(await identity.sql('SELECT FROM invitation_tokens t')).toHaveLength(0);
});

test('an invitation that was withdrawn or replaced meanwhile is not mailed', async () => {
  const { id: invitation_id } = await invite('gone@lighthouse.example');
  await stub.withdrawInvitation(identity.member.owner, { invitation_id });
  await invite('replaced@lighthouse.example');
  const newest = await invite('replaced@lighthouse.example');
  expect(await sendAll()).toBe(3);
  expect(sink.received.map(({ to }) => to)).toEqual([[newest.email]]);
});

test('a server that is away or busy is tried again later, and no secret waits for it', async () => {
  const invitation = await invite();
  sink.mood = 'busy';
  expect(await sendAll()).toBe(1);
  // Not due before its pause is over.
  expect(await sendAll()).toBe(0);
  const [waiting] = await identity.sql('SELECT * FROM invitation_mails');
  expect(waiting).toMatchObject({ attempts: 1, sent_at: null, given_up_at: null });
  expect(JSON.stringify(waiting)).toContain('come again');
  expect(JSON.stringify(waiting)).not.toContain('svc_inv_');

  sink.mood = 'kind';
  await makeDue();
  await sendAll();
  expect(sink.received.map(({ to }) => to)).toEqual([[invitation.email]]);
});

test('a mail of which the server said nothing goes out again; both tokens are good', async () => {
  await invite();
  sink.mood = 'forgetful';
  await sendAll();
  sink.mood = 'kind';
  await makeDue();
  await sendAll();
  const [first, second] = sink.received.map(tokenIn);
  expect(first).not.toBe(second);
  await accept(first ?? '');
  expect(await codeOf(accept(second ?? ''))).toBe('REQUEST_ERROR');
});

test('an address that does not exist is given up', async () => {
  await invite();
  sink.mood = 'no such address';
  await sendAll();
  await makeDue();
  expect(await sendAll()).toBe(0);
  const [row] = await identity.sql<{ given_up: boolean }>(
    'SELECT given_up_at IS NOT NULL AS given_up FROM invitation_mails',
  );
  expect(row).toEqual({ given_up: true });
});

test('an invitation that was accepted or has expired meanwhile is not mailed', async () => {
  await accept((await invite()).token);
  const late = await invite();
  await identity.sql('UPDATE invitations SET expires_at = now() WHERE id = $1', [late.id]);
  expect(await sendAll()).toBe(2);
  expect(sink.received).toEqual([]);
});

test('without a mail server none is owed', async () => {
  await identity.stub.createInvitation(identity.member.owner, {
    email: 'unmailed@lighthouse.example',
    role: Role.VIEWER,
  });
  expect(await identity.sql('SELECT FROM invitation_mails')).toEqual([]);
});

test('the worker sends what it is woken for, and stops between mails', async () => {
  const mailer = smtpMailer({ url: sink.url, from: MAIL_FROM });
  const worker = mailWorker({ ...deps(), mailer, newId });
  worker.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await invite();
  worker.wake();
  for (let round = 0; sink.received.length === 0 && round < 100; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(sink.received).toHaveLength(1);
  await worker.stop();
});

test.each([
  ['http://mail.example', MAIL_FROM, 'SMTP_URL is no smtp:// URL'],
  ['mail.example:25', MAIL_FROM, 'SMTP_URL is no smtp:// URL'],
  ['smtp://mail.example', '', 'MAIL_FROM is not set'],
])('SMTP_URL "%s" from "%s" is refused at boot', (SMTP_URL, from, sentence) => {
  const environment = {
    RPC_ADDRESS: '127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    DATABASE_URL: 'postgres://localhost/x',
    SMTP_URL,
    MAIL_FROM: from,
    PUBLIC_ORIGIN: 'https://credit.example',
  };
  expect(() => loadConfig(configSchema, environment)).toThrow(sentence);
});

test.each([
  [{}, undefined],
  [{ PUBLIC_ORIGIN: 'https://credit.example/' }, 'https://credit.example/console'],
  [
    { PUBLIC_ORIGIN: 'https://credit.example', CONSOLE_URL: 'https://desk.example' },
    'https://desk.example',
  ],
])('mails link to the console of %j', (origins, console_url) => {
  const environment = {
    RPC_ADDRESS: '127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    DATABASE_URL: 'postgres://localhost/x',
    SMTP_URL: 'smtp://mail.example',
    MAIL_FROM,
    ...origins,
  };
  const load = () => loadConfig(configSchema, environment);
  if (console_url === undefined) expect(load).toThrow('CONSOLE_URL is not set');
  else expect(load().console_url).toBe(console_url);
});
