import { type CallContext, systemContext } from '@credit/platform/context';
import { hashSecret, newDisputeToken } from '@credit/platform/credentials';
import { newId } from '@credit/platform/runtime';
import type { OpenDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import { deleteContacts } from '../src/store/disputes';
import { administrator, lender, move, Record } from './support/contested';
import { type DisputesProcess, startWorld, type World } from './support/world';

jest.setTimeout(30_000);

let world: World;
let service: DisputesProcess;
let record: Record;

beforeAll(async () => {
  world = await startWorld();
  service = await world.start();
  record = new Record(world);
}, 30_000);
afterAll(() => world.stop());

const ADA = 'ada@example.org';
const opener = systemContext('live', {
  actor: { type: 'anonymous', id: '' },
  client_address: '203.0.113.7',
});

async function open(fields: Partial<OpenDisputeRequest> = {}) {
  const { access_token, dispute } = await service.disputes.openDispute(opener, {
    opened_by: 'stonecutter',
    reason: 'PAYMENT_REPORTED_LATE',
    description: 'The payment of 24 February was on time.',
    evidence_links: [],
    contact_email: ADA,
    ...fields,
  });
  if (dispute === undefined) throw new Error('No dispute came back.');
  return { id: dispute.id, access_token, dispute };
}

/** Has identity say that it mails a link, and returns what the link has. */
async function mailed(dispute_id: string): Promise<string> {
  const token = newDisputeToken();
  const value = { dispute_id, token_sha256: hashSecret(token) };
  await service.take({
    id: newId(),
    environment: 'live',
    created_at: undefined,
    request_id: '',
    traceparent: '',
    payload: { $case: 'dispute_link_mailed', value },
  });
  return token;
}

const follow = (dispute_id: string, access_token: string) =>
  service.disputes.getOpenedDispute(opener, { dispute_id, access_token });

async function mailsOwed(dispute_id: string) {
  return (await world.told()).flatMap(({ payload }) =>
    payload?.$case === 'dispute_mail_owed' && payload.value.dispute_id === dispute_id
      ? [payload.value]
      : [],
  );
}

const shown = async (ctx: CallContext, id: string) =>
  (await service.disputes.listDisputes(ctx, { limit: 100 })).disputes.find((one) => one.id === id);

test('an opener’s address is for the desk, and in nothing that anybody else is told', async () => {
  const { event } = await record.contested();
  const { access_token, dispute, id } = await open({ credit_event_id: event.id });
  expect(dispute.contact_email).toBeUndefined();
  expect((await follow(id, access_token)).dispute?.contact_email).toBeUndefined();
  expect(await shown(lender, id)).toMatchObject({ id });
  expect((await shown(lender, id))?.contact_email).toBeUndefined();
  const file = await service.disputes.getDispute(lender, { dispute_id: id });
  expect(file.dispute?.contact_email).toBeUndefined();
  expect((await shown(administrator, id))?.contact_email).toBe(ADA);
  const desk = await service.disputes.getDisputeRecord(administrator, { dispute_id: id });
  expect(desk.dispute?.contact_email).toBe(ADA);
  await move(service.disputes, id, 'RESOLVED_UPHELD');
  const naming = (await world.told()).filter(({ payload }) =>
    JSON.stringify(payload).includes(ADA),
  );
  expect(naming.map(({ payload }) => payload?.$case)).toEqual(['dispute_mail_owed']);
});

test('a receipt is owed with the intake, and the outcome with the decision, without a word of anybody’s', async () => {
  const { event } = await record.contested();
  const { dispute, id } = await open({ credit_event_id: event.id });
  const { due_at, opened_at, reason } = dispute;
  const of = { dispute_id: id, reason, due_at, opened_at };
  const receipt = { ...of, contact_email: ADA, client_address: '203.0.113.7' };
  expect(await mailsOwed(id)).toEqual([receipt]);
  await move(service.disputes, id, 'UNDER_REVIEW');
  expect(await mailsOwed(id)).toHaveLength(1);
  await move(service.disputes, id, 'RESOLVED_CORRECTED');
  const outcome = {
    status: 'RESOLVED_CORRECTED',
    is_corrected: true,
    correction_pending: false,
    voided_inquiry_count: 0,
  };
  expect(await mailsOwed(id)).toEqual([receipt, { ...of, outcome }]);
  const silent = await open({ credit_event_id: event.id, contact_email: undefined });
  await move(service.disputes, silent.id, 'REJECTED');
  expect(await mailsOwed(silent.id)).toEqual([]);
});

test('a mailed link opens its dispute beside the token of the answer, and no other dispute', async () => {
  const { access_token, id } = await open({ reported_institution_id: newId() });
  const other = await open({ reported_institution_id: newId() });
  const [first, second] = [await mailed(id), await mailed(id)];
  for (const token of [access_token, first, second]) {
    expect((await follow(id, token)).dispute?.id).toBe(id);
    await expect(follow(other.id, token)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  }
  await expect(follow(id, newDisputeToken())).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  // Of a dispute that there is not, nothing is kept, and nothing fails.
  const nowhere = newId();
  await expect(follow(nowhere, await mailed(nowhere))).rejects.toMatchObject({
    code: 'INVALID_API_KEY',
  });
});

test('words to another are read by who has the mailbox that they were sent to, not by who names it', async () => {
  const { event } = await record.contested();
  const decided = await open({ credit_event_id: event.id });
  const own = await open({ credit_event_id: event.id, opened_by: 'somebody' });
  const eves = await open({ credit_event_id: event.id, contact_email: 'eve@example.org' });
  const resolution = 'Ada paid in time.';
  const outcome = { resolution, apply_to_group: true };
  await move(service.disputes, decided.id, 'RESOLVED_UPHELD', outcome);
  const read = async (id: string, token: string) => (await follow(id, token)).dispute?.resolution;
  // Anybody can give Ada's address: the answer's token proves nothing of it.
  expect(await read(own.id, own.access_token)).toBeUndefined();
  expect(await read(own.id, await mailed(own.id))).toBe(resolution);
  expect(await read(eves.id, await mailed(eves.id))).toBeUndefined();
  expect((await mailsOwed(own.id)).at(-1)?.outcome?.status).toBe('RESOLVED_UPHELD');
});

test('an address is deleted 90 days after the outcome, and none before it', async () => {
  const on = world.database.db.read(administrator);
  const open_still = await open({ reported_institution_id: newId() });
  const [fresh, old] = [
    await open({ reported_institution_id: newId() }),
    await open({ reported_institution_id: newId() }),
  ];
  const contacts = async () => {
    const ids = [open_still.id, fresh.id, old.id];
    const rows = await world.rows<{ contact_email: string | null }>(
      'SELECT contact_email FROM disputes WHERE id = ANY ($1) ORDER BY id',
      [ids],
    );
    return rows.map(({ contact_email }) => contact_email);
  };
  for (const { id } of [fresh, old]) await move(service.disputes, id, 'REJECTED');
  const age = 'UPDATE disputes SET resolved_at = now() - make_interval(days => $2) WHERE id = $1';
  await world.rows(age, [fresh.id, 89]);
  await world.rows(age, [old.id, 91]);
  expect(await deleteContacts(on, 100)).toBe(1);
  expect(await deleteContacts(on, 100)).toBe(0);
  expect(await contacts()).toEqual([ADA, ADA, null]);
});
