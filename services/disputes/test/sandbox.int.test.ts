import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type {
  DisputeStatus,
  MoveDisputeRequest,
  OpenSandboxDisputeRequest,
} from '@credit/proto/disputes/v1/disputes';
import { type Account, EventType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, payment, refusal } from '../../reporting/test/harness';
import { SANDBOX_DISPUTES_A_DAY } from '../src/commands/sandbox-disputes';
import { type Disputes, startWorld, type World } from './support/world';

const DAY_MS = 86_400_000;

let world: World;
let stub: Disputes;

beforeAll(async () => {
  world = await startWorld();
  ({ disputes: stub } = await world.start());
}, 30_000);
afterAll(() => world.stop());

const member = () => institution(randomUUID(), { environment: 'test' });

/** A late payment that the institution reports. */
async function reported(ctx: CallContext) {
  const { reporting } = world.reporting;
  const account = await newAccount(reporting, ctx);
  const late = { event_type: EventType.PAYMENT_LATE, amount_minor: undefined };
  const { event } = await reporting.reportEvent(keyed(ctx), { event: payment(account, 40, late) });
  return { account, event_id: event?.id ?? '' };
}

/** An event of a fictional furnisher about a persona of the institution's. */
async function ofPersona(ctx: CallContext) {
  const { reporting } = world.reporting;
  const { subject } = await reporting.createPersona(keyed(ctx), { persona: 'LATE_PAYER' });
  const subject_id = subject?.id ?? '';
  const network = systemContext('test');
  const { accounts } = await reporting.listContestedAccounts(network, {
    subject_id,
    institution_ids: [],
  });
  return { subject_id, event_id: accounts[0]?.opening_event_id ?? '' };
}

async function open(ctx: CallContext, fields: Partial<OpenSandboxDisputeRequest>) {
  const request = { credit_event_id: '', reason: 'OTHER' as const, opened_days_ago: 0, ...fields };
  const { dispute } = await stub.openSandboxDispute(ctx, request);
  if (dispute === undefined) throw new Error('No dispute came back.');
  return dispute;
}

async function move(
  ctx: CallContext,
  dispute_id: string,
  status: DisputeStatus,
  fields: Partial<MoveDisputeRequest> = {},
) {
  const decision = {
    dispute_id,
    status,
    resolution: 'As the test has it.',
    account_ids: [],
    inquiry_ids: [],
    ...fields,
  };
  return (await stub.moveSandboxDispute(ctx, { decision })).dispute;
}

const accountNow = (ctx: CallContext, { id }: Account) => world.reporting.accountNow(ctx, id);

/** What was told of a dispute; of entries in logs, whose they are. */
async function told(dispute_id: string) {
  return (await world.told('test')).flatMap(({ payload }) => {
    if (payload?.$case === 'audit_recorded' && payload.value.target_id === dispute_id)
      return [`${payload.value.action} of ${payload.value.institution_id || 'the network'}`];
    if (payload?.$case !== 'dispute_opened' && payload?.$case !== 'dispute_resolved') return [];
    if (payload.value.dispute_id !== dispute_id) return [];
    return [`${payload.$case} to ${payload.value.institution_ids.join()}`];
  });
}

test('a dispute has its whole life, and all whom it concerns hear of it', async () => {
  const ctx = member();
  const { account, event_id } = await reported(ctx);
  const dispute = await open(ctx, { credit_event_id: event_id, reason: 'PAYMENT_REPORTED_LATE' });
  expect(dispute).toMatchObject({
    status: 'OPEN',
    subject_id: account.subject_id,
    credit_event_id: event_id,
    overdue: false,
    group_id: undefined,
  });
  expect((await move(ctx, dispute.id, 'UNDER_REVIEW'))?.status).toBe('UNDER_REVIEW');
  expect((await accountNow(ctx, account)).status).toBe('DISPUTED');
  const correction = { corrected_event_type: EventType.PAYMENT_MADE, amount_minor: 100n };
  const corrected = await move(ctx, dispute.id, 'RESOLVED_CORRECTED', { correction });
  expect(corrected).toMatchObject({ status: 'RESOLVED_CORRECTED', correction_pending: false });
  expect(corrected?.correction_event_id).toBeDefined();
  expect((await accountNow(ctx, account)).status).toBe('CURRENT');
  const own = ctx.institution_id;
  expect(await told(dispute.id)).toEqual([
    `dispute_opened to ${own}`,
    `dispute.opened of ${own}`,
    'dispute.reviewed of the network',
    `dispute.reviewed of ${own}`,
    'dispute.resolved of the network',
    `dispute.resolved of ${own}`,
    `dispute_resolved to ${own}`,
  ]);
  expect(await refusal(move(ctx, dispute.id, 'REJECTED'))).toMatchObject({
    reason: 'DISPUTE_MOVED',
  });
  expect(await world.told('live')).toEqual([]);
});

test.each([
  [0, 30, false],
  [25, 5, false],
  [29, 1, false],
  [31, -1, true],
  [40, -10, true],
])('opened %i days ago it is due in %i days', async (opened_days_ago, due_days, overdue) => {
  const ctx = member();
  const { event_id } = await reported(ctx);
  const dispute = await open(ctx, { credit_event_id: event_id, opened_days_ago });
  const inDays = (time = '') => Math.round((Date.parse(time) - world.clock.now_ms()) / DAY_MS) + 0;
  expect(inDays(dispute.opened_at)).toBe(0 - opened_days_ago);
  expect(inDays(dispute.due_at)).toBe(due_days);
  expect(dispute.overdue).toBe(overdue);
  const listed = await stub.listDisputes(ctx, { limit: 10, overdue: true });
  expect(listed.disputes.map(({ id }) => id)).toEqual(overdue ? [dispute.id] : []);
});

test.each([-1, 41, 2_147_483_647])('%i days ago is refused by its name', async (days) => {
  const ctx = member();
  const { event_id } = await reported(ctx);
  const opened = open(ctx, { credit_event_id: event_id, opened_days_ago: days });
  expect(await refusal(opened)).toMatchObject({ paths: ['opened_days_ago'] });
});

test('who made a persona stands in for its furnisher, who has no log', async () => {
  const ctx = member();
  const { event_id, subject_id } = await ofPersona(ctx);
  const dispute = await open(ctx, { credit_event_id: event_id, reason: 'NOT_MY_ACCOUNT' });
  expect(dispute).toMatchObject({ subject_id, reported_institution_id: undefined });
  await move(ctx, dispute.id, 'RESOLVED_CORRECTED');
  const own = ctx.institution_id;
  expect(new Set((await told(dispute.id)).map((text) => text.split(' ').at(-1)))).toEqual(
    new Set([own, 'network']),
  );
  expect((await stub.listDisputes(ctx, { limit: 10 })).disputes).toMatchObject([
    { id: dispute.id, status: 'RESOLVED_CORRECTED' },
  ]);
});

test('those that are alike are a group, which is decided together', async () => {
  const ctx = member();
  const { event_id } = await reported(ctx);
  const one = await open(ctx, { credit_event_id: event_id });
  const other = await open(ctx, { credit_event_id: event_id });
  await move(ctx, one.id, 'RESOLVED_UPHELD', { apply_to_group: true });
  const { disputes } = await stub.listDisputes(ctx, { limit: 10, status: 'RESOLVED_UPHELD' });
  expect(disputes.map(({ id }) => id).sort()).toEqual([one.id, other.id].sort());
});

describe('another institution', () => {
  it('contests neither what one reported nor what is about its persona', async () => {
    const ctx = member();
    const ids = [(await reported(ctx)).event_id, (await ofPersona(ctx)).event_id, newId()];
    for (const credit_event_id of ids) {
      expect(await refusal(open(member(), { credit_event_id }))).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  it('decides, sees and clears nothing of it', async () => {
    const ctx = member();
    const stranger = member();
    const { event_id } = await reported(ctx);
    const dispute = await open(ctx, { credit_event_id: event_id });
    expect(await refusal(move(stranger, dispute.id, 'REJECTED'))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await stub.rejectSandboxDisputes(stranger, {})).toEqual({ disputes: 0, done: true });
    expect((await stub.listDisputes(stranger, { limit: 10 })).disputes).toEqual([]);
    expect((await stub.listDisputes(ctx, { limit: 10, status: 'OPEN' })).disputes).toHaveLength(1);
  });
});

test('nothing of it is in live', async () => {
  const live = institution();
  const { event_id } = await reported(live);
  const refused = { reason: 'TEST_KEYS_ONLY' };
  expect(await refusal(open(live, { credit_event_id: event_id }))).toMatchObject(refused);
  expect(await refusal(move(live, newId(), 'REJECTED'))).toMatchObject(refused);
  expect(await refusal(stub.rejectSandboxDisputes(live, {}))).toMatchObject(refused);
});

test('a dispute of the public is decided by nobody but the network', async () => {
  const ctx = member();
  const { event_id } = await reported(institution(ctx.institution_id));
  const { dispute } = await stub.openDispute(systemContext('live'), {
    credit_event_id: event_id,
    opened_by: 'stonecutter',
    reason: 'OTHER',
    description: 'The payment of 1 February was on time.',
    evidence_links: [],
  });
  expect(await refusal(move(ctx, dispute?.id ?? '', 'REJECTED'))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('clearing rejects what is undecided, part by part', async () => {
  const ctx = member();
  const { account, event_id } = await reported(ctx);
  const reviewed = await open(ctx, { credit_event_id: event_id, reason: 'FRAUD' });
  await move(ctx, reviewed.id, 'UNDER_REVIEW');
  for (let count = 0; count < 21; count += 1) await open(ctx, { credit_event_id: event_id });
  expect(await stub.rejectSandboxDisputes(ctx, {})).toEqual({ disputes: 20, done: false });
  expect(await stub.rejectSandboxDisputes(ctx, {})).toEqual({ disputes: 2, done: true });
  expect(await stub.rejectSandboxDisputes(ctx, {})).toEqual({ disputes: 0, done: true });
  expect((await accountNow(ctx, account)).status).toBe('PAST_DUE');
});

test('a day has so many, and the next one as many again', async () => {
  const ctx = member();
  const { event_id } = await reported(ctx);
  for (let count = 0; count < SANDBOX_DISPUTES_A_DAY; count += 1)
    await open(ctx, { credit_event_id: event_id });
  expect(await refusal(open(ctx, { credit_event_id: event_id }))).toMatchObject({
    reason: 'DISPUTES_OF_THE_DAY',
    code: 'RATE_LIMIT_EXCEEDED',
  });
  world.clock.offset_ms += DAY_MS;
  await open(ctx, { credit_event_id: event_id });
}, 60_000);
