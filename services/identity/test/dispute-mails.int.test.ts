import { systemContext } from '@credit/platform/context';
import type { EventPayload } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import type { Event } from '@credit/proto/events/v1/events';
import { Role } from '@credit/proto/identity/v1/identity';
import { SmtpSink, testLogger, textOf } from '@credit/testing';
import { sendDueMail } from '../src/commands/send-due-mail';
import { remindOfDisputes } from '../src/commands/tell-of-disputes';
import { type ConsumerDependencies, identityConsumers } from '../src/consumers';
import { MAX_NAMED } from '../src/domain/dispute-mail';
import { type Mailer, smtpMailer } from '../src/mailing/mailer';
import { anonymous, PASSWORD, useIdentity } from './support/identity';

const MAIL_FROM = 'Network <no-reply@network.example>';
const CONSOLE_URL = 'https://credit.example/console';
const DAY_MS = 86_400_000;

const sink = new SmtpSink();
let mailer: Mailer;
let wakes = 0;

const identity = useIdentity({}, async () => {
  await sink.start();
  mailer = smtpMailer({ url: sink.url, from: MAIL_FROM });
  await join('compliance@lighthouse.example', Role.COMPLIANCE);
  await join('loans@lighthouse.example', Role.LOAN_OFFICER);
});
afterAll(async () => {
  mailer?.close();
  await sink.stop();
});

beforeEach(async () => {
  sink.mood = 'kind';
  sink.received.length = 0;
  wakes = 0;
  await identity.sql('DELETE FROM dispute_mails; DELETE FROM dispute_notices');
});

async function join(email: string, role: Role) {
  const { owner } = identity.member;
  const { invitation } = await identity.stub.createInvitation(owner, { email, role });
  const token = invitation?.token ?? '';
  await identity.stub.acceptInvitation(anonymous(), {
    token,
    display_name: 'Mate',
    password: PASSWORD,
  });
}

const mails = {
  wake: () => {
    wakes += 1;
  },
};

async function take(
  payload: EventPayload,
  environment: 'live' | 'test' = 'live',
  more: Partial<ConsumerDependencies> = { mails },
) {
  const { db } = identity.database;
  const deps = { newId, ...more } as ConsumerDependencies;
  const definition = identityConsumers(deps).find(({ type }) => type === payload.$case);
  if (definition === undefined) throw new Error(`Nobody takes ${payload.$case}.`);
  const ctx = systemContext(environment);
  const created_at = days(0);
  const event: Event = {
    id: newId(),
    environment,
    created_at,
    request_id: '',
    traceparent: '',
    payload,
  };
  await db.transaction(ctx, (tx) => definition.run(ctx, [{ ctx, event }], tx));
}

const days = (count: number) => new Date(Date.now() + count * DAY_MS).toISOString();

function contested(dispute_id: string) {
  const institution_ids = [identity.member.institution_id];
  const reason = 'INCORRECT_BALANCE' as const;
  return { dispute_id, institution_ids, reason, opened_at: days(0) };
}

async function open(due_in_days = 30, environment: 'live' | 'test' = 'live') {
  const dispute_id = newId();
  const value = { ...contested(dispute_id), due_at: days(due_in_days) };
  await take({ $case: 'dispute_opened', value }, environment);
  return dispute_id;
}

const resolve = (dispute_id: string) =>
  take({
    $case: 'dispute_resolved',
    value: {
      ...contested(dispute_id),
      status: 'RESOLVED_UPHELD',
      resolved_at: days(0),
      correction_pending: false,
    },
  });

const answer = (dispute_id: string) => {
  const { institution_ids: _all, ...value } = contested(dispute_id);
  return take({
    $case: 'dispute_answered',
    value: {
      ...value,
      institution_id: identity.member.institution_id,
      verdict: 'VERIFIED',
      answered_at: days(0),
      correction_event_ids: [],
    },
  });
};

const deps = () => ({
  db: identity.database.db,
  newId,
  mailer,
  console_url: CONSOLE_URL,
  public_origin: undefined,
  logger: testLogger,
});

async function sendAll(): Promise<string[]> {
  sink.received.length = 0;
  while (await sendDueMail(deps()));
  return sink.received.flatMap(({ to }) => to).sort();
}

const makeDue = () => identity.sql('UPDATE dispute_mails SET due_at = now()');
const told = () => ['compliance@lighthouse.example', identity.member.owner_email].sort();

test('whoever may answer is told of a dispute, once, with the way to it and no word of the claim', async () => {
  const dispute_id = await open();
  expect(wakes).toBe(1);
  expect(await sendAll()).toEqual(told());
  const [mail] = sink.received;
  const text = mail === undefined ? '' : textOf(mail);
  expect(text).toMatch(/^Subject: A dispute about your reporting\r$/m);
  expect(text).toContain(`    ${CONSOLE_URL}/disputes/${dispute_id}`);
  expect(text).toContain(`<a href="${CONSOLE_URL}/disputes/${dispute_id}"`);
  expect(text).toContain('Incorrect balance, due ');
  await makeDue();
  expect(await sendAll()).toEqual([]);
});

test('many disputes make one mail an hour, that names some and counts them all', async () => {
  await open();
  expect(await sendAll()).toEqual(told());
  for (let count = 0; count < MAX_NAMED + 3; count += 1) await open();
  // The hour is not over.
  expect(await sendAll()).toEqual([]);
  await makeDue();
  expect(await sendAll()).toEqual(told());
  const [mail] = sink.received;
  const text = mail === undefined ? '' : textOf(mail);
  expect(text).toMatch(/^Subject: Disputes about your reporting: 13\r$/m);
  expect(text).toContain('- and 3 more');
  expect(text).toContain(`    ${CONSOLE_URL}/disputes\r\n`);
});

test('a reminder comes some days before, once, unless it was answered or decided', async () => {
  const waiting = await open(4);
  await open(20);
  await answer(await open(4));
  await resolve(await open(4));
  await makeDue();
  await sendAll();
  expect(await remindOfDisputes(deps())).toBe(true);
  expect(await remindOfDisputes(deps())).toBe(false);
  expect(await sendAll()).toEqual(told());
  for (const mail of sink.received) {
    expect(textOf(mail)).toMatch(/^Subject: A dispute is due soon\r$/m);
    expect(textOf(mail)).toContain(`${CONSOLE_URL}/disputes/${waiting}`);
  }
});

test('what was decided before it is told is not told, in whatever order it is heard', async () => {
  const dispute_id = newId();
  await resolve(dispute_id);
  const value = { ...contested(dispute_id), due_at: days(30) };
  await take({ $case: 'dispute_opened', value });
  await resolve(await open());
  expect(await sendAll()).toEqual([]);
  expect(await remindOfDisputes(deps())).toBe(false);
});

test('nobody is told of test data, of what was told before, or without a mail server', async () => {
  await open(30, 'test');
  const value = { ...contested(newId()), due_at: days(30) };
  await take({ $case: 'dispute_opened', value: { ...value, told_before: true } });
  await take({ $case: 'dispute_opened', value }, 'live', { mails: undefined });
  expect(await identity.sql('SELECT FROM dispute_notices')).toEqual([]);
  expect(await sendAll()).toEqual([]);
});

test('a server that is busy is asked again, and a dispute meanwhile makes a mail of its own', async () => {
  await open();
  sink.mood = 'busy';
  await sendAll();
  await open();
  const rows = await identity.sql<{ attempts: number }>('SELECT attempts FROM dispute_mails');
  expect(rows.map(({ attempts }) => attempts).sort()).toEqual([0, 0, 1, 1]);
  sink.mood = 'kind';
  await makeDue();
  expect(await sendAll()).toEqual([...told(), ...told()].sort());
});

test('whoever has left meanwhile is told nothing', async () => {
  await open();
  await identity.sql("UPDATE users SET status = 'DISABLED' WHERE email LIKE 'compliance@%'");
  expect(await sendAll()).toEqual([identity.member.owner_email]);
  await identity.sql("UPDATE users SET status = 'ACTIVE' WHERE email LIKE 'compliance@%'");
});
