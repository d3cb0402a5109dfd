import { systemContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import { newId } from '@credit/platform/runtime';
import type { DisputeMailOwed } from '@credit/proto/events/v1/events';
import { SmtpSink, testLogger, textOf, tokenIn } from '@credit/testing';
import { sendDueMail } from '../src/commands/send-due-mail';
import { type ConsumerDependencies, identityConsumers } from '../src/consumers';
import { MAX_RECEIPTS_OF_MAILBOX, MAX_RECEIPTS_OF_PLACE } from '../src/domain/opener-mail';
import { type Mailer, smtpMailer } from '../src/mailing/mailer';
import { sweepDisputeOpeners } from '../src/store/dispute-openers';
import { outboxOf, useIdentity } from './support/identity';

const CONSOLE_URL = 'https://credit.example/console';
const DAY_MS = 86_400_000;
const ADA = 'ada@example.org';

const sink = new SmtpSink();
let mailer: Mailer;

const identity = useIdentity({}, async () => {
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
  await identity.sql('DELETE FROM dispute_openers; DELETE FROM attempts; DELETE FROM outbox');
});

const mails = { wake() {} };

async function take(
  news: Partial<DisputeMailOwed> & { dispute_id: string },
  environment: 'live' | 'test' = 'live',
  more: Partial<ConsumerDependencies> = { mails },
) {
  const { db } = identity.database;
  const deps = { newId, ...more } as ConsumerDependencies;
  const definition = identityConsumers(deps).find(({ type }) => type === 'dispute_mail_owed');
  const ctx = systemContext(environment);
  const opened_at = new Date().toISOString();
  const due_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
  const value = { reason: 'INCORRECT_BALANCE' as const, opened_at, due_at, ...news };
  const event = {
    id: newId(),
    environment,
    created_at: opened_at,
    request_id: '',
    traceparent: '',
    payload: { $case: 'dispute_mail_owed' as const, value },
  };
  await db.transaction(ctx, async (tx) => definition?.run(ctx, [{ ctx, event }], tx));
}

async function receive(more: Partial<DisputeMailOwed> = {}, ...rest: ['test'] | []) {
  const dispute_id = newId();
  const news = { dispute_id, contact_email: ADA, client_address: '203.0.113.7', ...more };
  await take(news, ...rest);
  return dispute_id;
}

const UPHELD = {
  status: 'RESOLVED_UPHELD' as const,
  is_corrected: false,
  correction_pending: false,
  voided_inquiry_count: 0,
};
const decide = (dispute_id: string) => take({ dispute_id, outcome: UPHELD });

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
const RECEIVED = `Your dispute was received > ${ADA}`;
const DECIDED = `Your dispute was decided > ${ADA}`;

/** The hashes of links that disputes was told of. */
const linksTold = async () =>
  (await outboxOf(identity)).flatMap(({ payload }) =>
    payload?.$case === 'dispute_link_mailed'
      ? [[payload.value.dispute_id, Buffer.from(payload.value.token_sha256).toString('hex')]]
      : [],
  );

test('an opener is told of receipt and outcome, each once, with a link that nobody else has', async () => {
  const dispute_id = await receive();
  expect(await sendAll()).toEqual([RECEIVED]);
  const [receipt] = sink.received;
  if (receipt === undefined) throw new Error('no mail');
  const first = tokenIn(receipt);
  const link = `${CONSOLE_URL.replace('/console', '')}/dispute/follow#dispute_id=${dispute_id}&token=${first}`;
  expect(textOf(receipt)).toContain(`    ${link}`);
  expect(textOf(receipt)).toContain(`<a href="${link.replace('&', '&amp;')}"`);

  await decide(dispute_id);
  await decide(dispute_id);
  expect(await sendAll()).toEqual([DECIDED]);
  const [outcome] = sink.received;
  const second = outcome === undefined ? '' : tokenIn(outcome);
  const hash = (token: string) => hashSecret(token).toString('hex');
  expect(await linksTold()).toEqual([
    [dispute_id, hash(first)],
    [dispute_id, hash(second)],
  ]);
  expect(second).not.toBe(first);
  expect(await sendAll()).toEqual([]);
});

test('what is repeated or forged tells nobody anything', async () => {
  const dispute_id = await receive();
  expect(await sendAll()).toEqual([RECEIVED]);
  await take({ dispute_id, contact_email: ADA, client_address: '203.0.113.7' });
  await take({ dispute_id, contact_email: 'eve@example.org', client_address: '203.0.113.7' });
  // Nobody was ever told of this one.
  await decide(newId());
  await receive({}, 'test');
  expect(await sendAll()).toEqual([]);
  await decide(dispute_id);
  expect(await sendAll()).toEqual([DECIDED]);
  await expect(take({ dispute_id, outcome: { ...UPHELD, status: 'OPEN' } })).rejects.toThrow();
});

test('an outcome that is heard of first is told in place of the receipt, once', async () => {
  const dispute_id = newId();
  await decide(dispute_id);
  await take({ dispute_id, contact_email: ADA, client_address: '203.0.113.7' });
  expect(await sendAll()).toEqual([DECIDED]);
  const meanwhile = await receive();
  await decide(meanwhile);
  expect(await sendAll()).toEqual([DECIDED]);
});

test('a stranger’s mailbox gets a few a day, however its address is dressed', async () => {
  const ids: string[] = [];
  for (let index = 0; index < MAX_RECEIPTS_OF_MAILBOX + 2; index += 1) {
    const client_address = `203.0.113.${index}`;
    ids.push(await receive({ contact_email: `a.da+${index}@example.org`, client_address }));
  }
  expect(await sendAll()).toHaveLength(MAX_RECEIPTS_OF_MAILBOX);
  for (const id of ids) await decide(id);
  expect(await sendAll()).toHaveLength(MAX_RECEIPTS_OF_MAILBOX);
  // Another one's mailbox is not the worse for it.
  await receive({ contact_email: 'grace@example.org' });
  expect(await sendAll()).toEqual(['Your dispute was received > grace@example.org']);
});

test('one place mails a few strangers a day, and what it asks for beyond uses up nothing of theirs', async () => {
  for (let index = 0; index < MAX_RECEIPTS_OF_PLACE; index += 1) {
    await receive({ contact_email: `reader${index}@example.org` });
  }
  for (let index = 0; index < MAX_RECEIPTS_OF_MAILBOX; index += 1) await receive();
  expect(await sendAll()).toHaveLength(MAX_RECEIPTS_OF_PLACE);
  await receive({ client_address: '198.51.100.1' });
  expect(await sendAll()).toEqual([RECEIVED]);
});

test('a server that is busy is asked again, with another link', async () => {
  await receive();
  sink.mood = 'busy';
  expect(await sendAll()).toEqual([]);
  sink.mood = 'kind';
  await identity.sql('UPDATE dispute_opener_mails SET due_at = now()');
  expect(await sendAll()).toEqual([RECEIVED]);
  expect(await linksTold()).toHaveLength(2);
});

test('addresses go 90 days after the outcome, and without a mail server none is kept', async () => {
  const [waits, fresh, old] = [await receive(), await receive(), await receive()];
  for (const id of [fresh, old]) await decide(id);
  const age =
    'UPDATE dispute_openers SET decided_at = now() - make_interval(days => $2) WHERE dispute_id = $1';
  await identity.sql(age, [fresh, 89]);
  await identity.sql(age, [old, 91]);
  const on = identity.database.db.read(systemContext('live'));
  expect(await sweepDisputeOpeners(on, 100)).toBe(1);
  const kept = await identity.sql<{ dispute_id: string }>(
    'SELECT dispute_id FROM dispute_openers ORDER BY dispute_id',
  );
  expect(kept.map(({ dispute_id }) => dispute_id)).toEqual([waits, fresh]);
  const unmailed = newId();
  const news = { dispute_id: unmailed, contact_email: ADA, client_address: '203.0.113.7' };
  await take(news, 'live', { mails: undefined });
  await take({ dispute_id: waits, outcome: UPHELD }, 'live', { mails: undefined });
  const rows = await identity.sql('SELECT FROM dispute_openers WHERE decided_at IS NULL');
  expect(rows).toEqual([]);
});
