import { type Environment, systemContext } from '@credit/platform/context';
import { newContactToken } from '@credit/platform/credentials';
import { isAppError } from '@credit/platform/errors';
import { newId, toTimestamp } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { SmtpSink, testLogger, textOf, tokenIn } from '@credit/testing';
import { sendDueMail } from '../src/commands/send-due-mail';
import { SWEEPS } from '../src/commands/sweep';
import { type ConsumerDependencies, identityConsumers } from '../src/consumers';
import { type Mailer, smtpMailer } from '../src/mailing/mailer';
import {
  MAX_CONFIRMATIONS_OF_MAILBOX,
  MAX_CONFIRMATIONS_OF_SUBJECT,
  MAX_NEWS_NAMED,
} from '../src/persons/domain/person-mail';
import { anonymous, outboxOf, useIdentity } from './support/identity';

const CONSOLE_URL = 'https://credit.example/console';
const MAREN = 'maren@post.example';

const sink = new SmtpSink();
let mailer: Mailer;

const settings = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Network <no-reply@network.example>',
  PUBLIC_ORIGIN: 'https://credit.example',
};
const identity = useIdentity(settings, async () => {
  await sink.start();
  mailer = smtpMailer({ url: sink.url, from: 'Network <no-reply@network.example>' });
});
afterAll(async () => {
  mailer?.close();
  await sink.stop();
});

beforeEach(async () => {
  sink.mood = 'kind';
  sink.received.length = 0;
  await identity.sql(
    `DELETE FROM person_mails; DELETE FROM person_news; DELETE FROM person_contacts;
     DELETE FROM person_contact_requests; DELETE FROM attempts; DELETE FROM outbox`,
  );
});

const as = (subject_id: string, environment: Environment = 'live') =>
  anonymous({ actor: { type: 'person', id: subject_id }, environment });
const set = (subject_id: string, email = MAREN, environment: Environment = 'live') =>
  identity.stub.setPersonContact(as(subject_id, environment), { email });
const read = async (subject_id: string) =>
  (await identity.stub.getPersonContact(as(subject_id), {})).contact;
const remove = (subject_id: string) => identity.stub.removePersonContact(as(subject_id), {});
const confirm = (token: string) => identity.stub.confirmPersonContact(anonymous(), { token });
const reasonOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  return isAppError(error) ? error.reason : String(error);
};

async function sendAll(): Promise<string[]> {
  sink.received.length = 0;
  const deps = {
    db: identity.database.db,
    mailer,
    console_url: CONSOLE_URL,
    public_origin: undefined,
    logger: testLogger,
  };
  while (await sendDueMail(deps));
  return sink.received.map(({ data, to }) => `${/^Subject: (.*)\r$/m.exec(data)?.[1]} > ${to}`);
}
const textSent = () => {
  const [mail] = sink.received;
  return mail === undefined ? '' : textOf(mail).replaceAll(/\s+/g, ' ');
};
async function tokenFor(subject_id: string, email = MAREN): Promise<string> {
  await set(subject_id, email);
  expect(await sendAll()).toEqual([`Confirm your address > ${email}`]);
  const [mail] = sink.received;
  return mail === undefined ? '' : tokenIn(mail);
}
async function toldPerson(email = MAREN): Promise<string> {
  const subject_id = newId();
  await confirm(await tokenFor(subject_id, email));
  return subject_id;
}

async function take(
  payload: NonNullable<Event['payload']>,
  environment: Environment = 'live',
): Promise<void> {
  const deps = { newId, mails: { wake() {} } } as unknown as ConsumerDependencies;
  const definition = identityConsumers(deps).find(({ type }) => type === payload.$case);
  const ctx = systemContext(environment);
  const created_at = toTimestamp(Date.now());
  const event = { id: newId(), environment, created_at, request_id: '', traceparent: '', payload };
  await identity.database.db.transaction(ctx, async (tx) =>
    definition?.run(ctx, [{ ctx, event: event as never }], tx),
  );
}
const looked = (
  subject_id: string,
  more: { inquiry_type?: 'HARD' | 'SOFT'; inquiry_id?: string; voided_at?: string } = {},
  at_ms = Date.now(),
): NonNullable<Event['payload']> => ({
  $case: 'inquiry_recorded',
  value: {
    subject_id,
    subject_type: 'INDIVIDUAL',
    inquiry: {
      inquiry_id: newId(),
      institution_id: identity.member.institution_id,
      purpose: 'CREDIT_APPLICATION',
      inquiry_type: 'HARD',
      duplicate: false,
      created_at: toTimestamp(at_ms),
      subject_version: 2,
      voided_at: undefined,
      ...more,
    },
  } as never,
});
const corrected = (subject_id: string, correction_event_id: string, kind: string) =>
  ({
    $case: 'record_corrected',
    value: {
      subject_id,
      correction_event_id,
      kind,
      reported_at: toTimestamp(Date.now()),
      reporting_institution_id: identity.member.institution_id,
    },
  }) as never;
const moved = (kind: string, from_subject_id: string, to_subject_id: string) =>
  ({
    $case: 'subject_records_moved',
    value: { kind, from_subject_id, to_subject_id },
  }) as never;

test('an address is confirmed once, by the token of its mail alone', async () => {
  const subject_id = newId();
  expect(await read(subject_id)).toEqual({});
  const token = await tokenFor(subject_id);
  expect(textSent()).toContain(`https://credit.example/my/confirm#token=${token}`);
  expect(textSent()).not.toContain(subject_id);
  expect(await read(subject_id)).toMatchObject({ waiting_email: MAREN });
  const ends = await Promise.allSettled([confirm(token), confirm(token), confirm(token)]);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await reasonOf(confirm(token))).toBe('TOKEN_NOT_VALID');
  const contact = await read(subject_id);
  expect(contact?.email).toBe(MAREN);
  expect(contact?.waiting_email).toBeUndefined();
  expect(Date.now() - Date.parse(contact?.confirmed_at ?? '')).toBeLessThan(60_000);
  // Nobody else has it, and it is in no log.
  expect(await read(newId())).toEqual({});
  const told = JSON.stringify(await outboxOf(identity));
  expect(told).toContain('person_contact.confirmed');
  expect(told).not.toContain('maren');
});

test('what was forged, is over or was replaced confirms nothing', async () => {
  const subject_id = newId();
  for (const forged of ['', 'x', newContactToken(), `svc_al_${'0'.repeat(43)}`]) {
    expect(await reasonOf(confirm(forged))).toBe('TOKEN_NOT_VALID');
  }
  const first = await tokenFor(subject_id);
  const second = await tokenFor(subject_id, 'other@post.example');
  expect(await reasonOf(confirm(first))).toBe('TOKEN_NOT_VALID');
  await identity.sql('UPDATE person_contact_requests SET expires_at = now()');
  expect(await reasonOf(confirm(second))).toBe('TOKEN_NOT_VALID');
  expect(await read(subject_id)).toEqual({});
});

test('a HARD look is told once, with who and what for, and nothing of a SOFT or voided one', async () => {
  const subject_id = await toldPerson();
  const inquiry_id = newId();
  await take(looked(subject_id, { inquiry_id }));
  await take(looked(subject_id, { inquiry_id }));
  await take(looked(subject_id, { inquiry_type: 'SOFT' }));
  await take(looked(subject_id, { voided_at: toTimestamp(Date.now()) }));
  await take(looked(subject_id), 'test');
  await take(looked(newId()));
  expect(await sendAll()).toEqual([`A lender looked at your file > ${MAREN}`]);
  const [named] = await identity.sql<{ name: string }>(
    'SELECT name FROM institutions WHERE id = $1',
    [identity.member.institution_id],
  );
  expect(textSent()).toContain(`${named?.name} looked for: Credit application,`);
  expect(textSent()).toContain('https://credit.example/my ');
  await take(looked(subject_id, { inquiry_id }));
  await identity.sql('UPDATE person_mails SET due_at = now()');
  expect(await sendAll()).toEqual([]);
});

test('a correction is told once, whoever else is told of it', async () => {
  const subject_id = await toldPerson();
  const correction = newId();
  await take(corrected(subject_id, correction, 'DEFAULT'));
  await take(corrected(subject_id, correction, 'RECORD'));
  expect(await sendAll()).toEqual([`Your file was corrected > ${MAREN}`]);
});

test('one mail an hour tells all that has come, and names some of it', async () => {
  const subject_id = await toldPerson();
  await take(looked(subject_id));
  expect(await sendAll()).toHaveLength(1);
  for (let index = 0; index < MAX_NEWS_NAMED + 2; index += 1) await take(looked(subject_id));
  expect(await sendAll()).toEqual([]);
  const [waits] = await identity.sql<{ minutes: number }>(
    `SELECT extract(epoch FROM due_at - now())::float / 60 AS minutes FROM person_mails
     WHERE kind = 'NEWS' AND attempts = 0`,
  );
  expect(waits?.minutes).toBeGreaterThan(55);
  await identity.sql('UPDATE person_mails SET due_at = now()');
  expect(await sendAll()).toEqual([`News of your file: ${MAX_NEWS_NAMED + 2} > ${MAREN}`]);
  expect(textSent()).toContain('and 2 more');
});

test('a busy server is asked again, and loses nothing', async () => {
  const subject_id = await toldPerson();
  await take(looked(subject_id));
  sink.mood = 'busy';
  expect(await sendAll()).toEqual([]);
  sink.mood = 'kind';
  await identity.sql('UPDATE person_mails SET due_at = now()');
  expect(await sendAll()).toEqual([`A lender looked at your file > ${MAREN}`]);
});

test('nothing is told before the address is confirmed, nor of what was before', async () => {
  const subject_id = newId();
  const token = await tokenFor(subject_id);
  await take(looked(subject_id));
  expect(await sendAll()).toEqual([]);
  await confirm(token);
  await take(looked(subject_id, {}, Date.now() - 60_000));
  expect(await sendAll()).toEqual([]);
});

test('nothing is told after the address was erased, but that it was', async () => {
  const subject_id = await toldPerson();
  await take(looked(subject_id));
  await remove(subject_id);
  expect(await read(subject_id)).toEqual({});
  await take(looked(subject_id));
  expect(await sendAll()).toEqual([`This address is told no more > ${MAREN}`]);
  await remove(subject_id);
  expect(await sendAll()).toEqual([]);
  // With the mail the address is gone.
  const on = identity.database.db.read(systemContext('live'));
  for (const sweep of SWEEPS) await sweep(on, 100);
  expect(await identity.sql('SELECT FROM person_mails')).toEqual([]);
  // What waits is erased as well.
  const token = await tokenFor(subject_id);
  await remove(subject_id);
  expect(await reasonOf(confirm(token))).toBe('TOKEN_NOT_VALID');
  expect(await sendAll()).toEqual([]);
});

test('the address of before is told until another is confirmed, and hears that it was replaced', async () => {
  const subject_id = await toldPerson();
  const token = await tokenFor(subject_id, 'eve@post.example');
  await take(looked(subject_id));
  expect(await sendAll()).toEqual([`A lender looked at your file > ${MAREN}`]);
  await confirm(token);
  expect(await sendAll()).toEqual([`This address is told no more > ${MAREN}`]);
  expect(textSent()).toContain('Another address was confirmed');
  expect(textSent()).not.toContain('eve');
  await take(looked(subject_id));
  await identity.sql('UPDATE person_mails SET due_at = now() WHERE attempts = 0');
  expect(await sendAll()).toEqual(['A lender looked at your file > eve@post.example']);
  // Set to what is told, it takes back what waits and mails nothing.
  await set(subject_id, 'third@post.example');
  await set(subject_id, 'Eve@Post.example');
  expect(await sendAll()).toEqual([]);
  expect((await read(subject_id))?.waiting_email).toBeUndefined();
});

test('a mailbox gets a few links a day, a file has a few mailed, and an earlier link stays good', async () => {
  const subject_id = newId();
  const token = await tokenFor(subject_id, 'm.aren@post.example');
  for (let index = 1; index < MAX_CONFIRMATIONS_OF_MAILBOX + 2; index += 1) {
    await set(newId(), `maren+${index}@post.example`);
  }
  await set(subject_id, 'm.aren@post.example');
  expect(await sendAll()).toHaveLength(MAX_CONFIRMATIONS_OF_MAILBOX - 1);
  await confirm(token);
  const busy = newId();
  for (let index = 0; index < MAX_CONFIRMATIONS_OF_SUBJECT + 2; index += 1) {
    await set(busy, `reader${index}@post.example`);
    await sendAll();
  }
  await set(busy, 'last@post.example');
  expect(await sendAll()).toEqual([]);
  expect((await read(busy))?.waiting_email).toBe('last@post.example');
});

test('whose file became part of another’s is told of neither, and the other one goes on', async () => {
  const [gone, survivor] = [await toldPerson('gone@post.example'), await toldPerson()];
  const waits = newId();
  const token = await tokenFor(waits, 'waits@post.example');
  await take(moved('MERGE', gone, survivor));
  await take(moved('MERGE', waits, survivor));
  expect(await sendAll()).toEqual(['This address is told no more > gone@post.example']);
  expect(await reasonOf(confirm(token))).toBe('TOKEN_NOT_VALID');
  await take(looked(survivor));
  await take(looked(gone));
  expect(await sendAll()).toEqual([`A lender looked at your file > ${MAREN}`]);
  await take(moved('SPLIT', survivor, gone));
  expect(await sendAll()).toEqual([`This address is told no more > ${MAREN}`]);
});

test('of test data nothing is mailed, nobody but the person sets anything, and it takes a mail server', async () => {
  await set(newId(), MAREN, 'test');
  expect(await sendAll()).toEqual([]);
  expect(await reasonOf(identity.stub.setPersonContact(anonymous(), { email: MAREN }))).toBe(
    'CREDENTIAL_KIND',
  );
  const unmailed = await identity.replica({ SMTP_URL: '', MAIL_FROM: '' });
  expect(await reasonOf(unmailed.setPersonContact(as(newId()), { email: MAREN }))).toBe('NO_MAIL');
});
