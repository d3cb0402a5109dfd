import { randomUUID } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import type { AnswerDisputeRequest, ListDisputesRequest } from '@credit/proto/disputes/v1/disputes';
import { EventType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, payment, refusal } from '../../reporting/test/harness';
import { MAX_ANSWERS } from '../src/domain/answer';
import { administrator, lender, move, open, Record } from './support/contested';
import { type Disputes, startWorld, type World } from './support/world';

jest.setTimeout(20_000);

let world: World;
let disputes: Disputes;
let record: Record;

beforeAll(async () => {
  world = await startWorld();
  ({ disputes } = await world.start());
  record = new Record(world);
}, 30_000);
afterAll(() => world.stop());

const officer = (ctx: CallContext = lender): CallContext => ({
  ...keyed(ctx),
  actor: { type: 'user', id: randomUUID() },
});

const answer = (
  dispute_id: string,
  fields: Partial<AnswerDisputeRequest> = {},
  ctx: CallContext = officer(),
) =>
  disputes.answerDispute(ctx, {
    dispute_id,
    verdict: 'VERIFIED',
    text: 'The statement shows no payment before the 24th.',
    correction_event_ids: [],
    ...fields,
  });

/** A dispute about a late payment, as its furnisher's listing has found it. */
async function opened(opened_by = 'stonecutter', ctx: CallContext = lender) {
  const { account, event } = await record.contested(ctx);
  const { id } = await open(disputes, { credit_event_id: event.id, opened_by });
  await disputes.listDisputes(ctx, { limit: 1 });
  return { id, account, event };
}

const idsOf = async (ctx: CallContext, wanted: Partial<ListDisputesRequest>) =>
  (await disputes.listDisputes(ctx, { limit: 100, ...wanted })).disputes.map(({ id }) => id);

const unknown = { code: 'NOT_FOUND', message: 'There is no such dispute about your reporting.' };

describe('a dispute as the institution concerned reads it', () => {
  test('stands beside the account and its events, with whom it came from but not their address', async () => {
    const { account, event, id } = await opened('Ada Stone <ada@example.org>');
    const file = await disputes.getDispute(lender, { dispute_id: id });
    expect(file.dispute).toMatchObject({ id, status: 'OPEN', opened_by: 'Ada Stone <…>' });
    expect(file.steps).toEqual([{ kind: 'OPENED', at: file.dispute?.opened_at }]);
    expect(file.answers).toEqual([]);
    expect(file.record).toMatchObject({
      accounts: [{ id: account.id, status: 'PAST_DUE' }],
      has_more_accounts: false,
      account_id: account.id,
      events: [{ id: event.id }, { event_type: 'ACCOUNT_OPENED' }],
      contested_events: [{ id: event.id }],
    });
    expect(JSON.stringify([file.dispute, file.steps, file.answers])).not.toContain('example.org');
  });

  test('shows what was made of the event since, tied both ways', async () => {
    const { account, event, id } = await opened();
    const correction = await mend(account.id, event.id);
    const file = await disputes.getDispute(lender, { dispute_id: id });
    expect(file.record?.contested_events).toMatchObject([
      { id: event.id, superseded_by_event_id: correction },
      { id: correction, supersedes_event_id: event.id },
    ]);
  });

  test('is nothing to anybody else, nor is another’s account in it', async () => {
    const { id } = await opened();
    const other = institution();
    expect(await refusal(disputes.getDispute(other, { dispute_id: id }))).toMatchObject(unknown);
    expect(await refusal(disputes.getDispute(other, { dispute_id: newId() }))).toMatchObject(
      unknown,
    );
    expect(await refusal(answer(id, {}, officer(other)))).toMatchObject(unknown);
    const desk = disputes.getDispute(administrator, { dispute_id: id });
    expect(await refusal(desk)).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });

    const subject_id = (await newAccount(world.reporting.reporting, lender)).subject_id;
    const theirs = await newAccount(world.reporting.reporting, other, { subject_id });
    const { id: of_both } = await open(disputes, { subject_id });
    await disputes.listDisputes(other, { limit: 1 });
    const file = await disputes.getDispute(other, { dispute_id: of_both });
    expect(file.record?.accounts.map((one) => one.id)).toEqual([theirs.id]);
    const [, mine] = [theirs, (await disputes.getDispute(lender, { dispute_id: of_both })).record];
    const asked = { dispute_id: of_both, account_id: mine?.account_id };
    expect(await refusal(disputes.getDispute(other, asked))).toMatchObject({
      paths: ['account_id'],
    });
  });

  test('has no record when it is about an inquiry', async () => {
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    const reported_institution_id = lender.institution_id;
    const inquiry = {
      subject_id,
      reported_institution_id,
      reason: 'UNAUTHORISED_INQUIRY' as const,
    };
    const { id } = await open(disputes, inquiry);
    await disputes.listDisputes(lender, { limit: 1 });
    expect((await disputes.getDispute(lender, { dispute_id: id })).record).toBeUndefined();
  });

  test('shows long records in parts', async () => {
    const { account, id } = await opened();
    const events = Array.from({ length: 204 }, (_, day) => payment(account, 50 + day));
    await world.reporting.reporting.reportEvents(keyed(lender), { events });
    const first = (await disputes.getDispute(lender, { dispute_id: id })).record;
    expect([first?.events.length, first?.next_before_sequence]).toEqual([200, 7]);
    const rest = await disputes.getDispute(lender, { dispute_id: id, before_sequence: 7 });
    expect(rest.record?.events.map(({ sequence }) => sequence)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(rest.record?.next_before_sequence).toBeUndefined();
  });
});

async function mend(account_id: string, event_id: string): Promise<string> {
  const { event } = await world.reporting.reporting.reportEvent(keyed(lender), {
    event: payment({ id: account_id }, 41, {
      event_type: EventType.CORRECTION,
      amount_minor: undefined,
      supersedes_event_id: event_id,
      correction_reason: 'It was paid.',
    }),
  });
  if (event === undefined) throw new Error('No correction came back.');
  return event.id;
}

describe('an answer', () => {
  test('is kept, logged in the user’s name, and told to its own systems alone', async () => {
    const { id } = await opened();
    const ctx = officer();
    const { answer: kept } = await answer(id, {}, ctx);
    expect(kept).toMatchObject({ verdict: 'VERIFIED', institution_id: lender.institution_id });
    const file = await disputes.getDispute(lender, { dispute_id: id });
    expect(file.answers).toEqual([kept]);
    expect(file.dispute).toMatchObject({ status: 'OPEN', answered_at: kept?.answered_at });
    expect(file.steps.map(({ kind }) => kind)).toEqual(['OPENED', 'ANSWERED']);
    const told = (await world.told()).map(({ payload }) => payload);
    const logs = told.flatMap((one) =>
      one?.$case === 'audit_recorded' && one.value.action === 'dispute.answered' ? [one.value] : [],
    );
    const own = logs.filter(({ target_id }) => target_id === id);
    expect(own.map(({ institution_id }) => institution_id)).toEqual(['', lender.institution_id]);
    expect(own.map(({ actor_type, actor_id }) => `${actor_type} ${actor_id}`)).toEqual([
      `user ${ctx.actor.id}`,
      `user ${ctx.actor.id}`,
    ]);
    expect(told).toContainEqual({
      $case: 'dispute_answered',
      value: expect.objectContaining({
        dispute_id: id,
        institution_id: lender.institution_id,
        verdict: 'VERIFIED',
      }),
    });
  });

  test('with its key repeated is one answer', async () => {
    const { id } = await opened();
    const ctx = officer();
    const first = await answer(id, {}, ctx);
    expect(await answer(id, {}, { ...ctx, reply_metadata: new Map() })).toEqual(first);
    const changed = answer(id, { text: 'Otherwise.' }, { ...ctx, reply_metadata: new Map() });
    expect(await refusal(changed)).toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
    expect((await disputes.getDispute(lender, { dispute_id: id })).answers).toHaveLength(1);
  });

  test('is checked without being kept by a dry run, which needs no key', async () => {
    const { id } = await opened();
    const ctx = { ...officer(), idempotency_key: '' };
    const { answer: rehearsed } = await answer(id, { dry_run: true }, ctx);
    expect(rehearsed).toMatchObject({ id: NIL_UUID, verdict: 'VERIFIED' });
    expect(ctx.reply_metadata.get('dry-run')).toBe('true');
    expect((await disputes.getDispute(lender, { dispute_id: id })).answers).toEqual([]);
    const wrong = answer(id, { dry_run: true, verdict: 'CORRECTED' }, ctx);
    expect(await refusal(wrong)).toMatchObject({ paths: ['correction_event_ids'] });
    await move(disputes, id, 'REJECTED');
    expect(await refusal(answer(id, { dry_run: true }, ctx))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
  });

  test('gives way to the next one, up to a bound, and all are kept', async () => {
    const { id } = await opened();
    await answer(id);
    await answer(id, { verdict: 'NOT_OURS' });
    const { answers } = await disputes.getDispute(lender, { dispute_id: id });
    expect(answers.map(({ verdict }) => verdict)).toEqual(['NOT_OURS', 'VERIFIED']);
    for (let count = 2; count < MAX_ANSWERS; count += 1) await answer(id);
    expect(await refusal(answer(id))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      message: `Your institution has answered this dispute ${MAX_ANSWERS} times already.`,
    });
  });

  test('names corrections of the contested account that its institution filed', async () => {
    const { account, event, id } = await opened();
    const corrected = (...correction_event_ids: string[]) =>
      answer(id, { verdict: 'CORRECTED', correction_event_ids });
    for (const wrong of [event.id, newId()]) {
      expect(await refusal(corrected(wrong))).toMatchObject({ paths: ['correction_event_ids[0]'] });
    }
    const elsewhere = await record.contested();
    const other = await mend(elsewhere.account.id, elsewhere.event.id);
    expect(await refusal(corrected(other))).toMatchObject({ paths: ['correction_event_ids[0]'] });
    const own = await mend(account.id, event.id);
    expect((await corrected(own)).answer).toMatchObject({ correction_event_ids: [own] });
  });

  test('comes during a review too, and not after the outcome', async () => {
    const { id } = await opened();
    await move(disputes, id, 'UNDER_REVIEW', { resolution: undefined });
    await answer(id);
    await move(disputes, id, 'RESOLVED_UPHELD');
    expect(await refusal(answer(id))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      message: 'The dispute is RESOLVED_UPHELD, and outcomes are final.',
    });
    const { steps } = await disputes.getDispute(lender, { dispute_id: id });
    expect(steps.map(({ kind }) => kind)).toEqual([
      'OPENED',
      'REVIEW_BEGUN',
      'ANSWERED',
      'RESOLVED',
    ]);
  });

  test('of one institution is not for another that the dispute concerns', async () => {
    const other = institution();
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    await newAccount(world.reporting.reporting, other, { subject_id });
    const { id } = await open(disputes, { subject_id });
    await disputes.listDisputes(lender, { limit: 1 });
    await answer(id);
    const file = await disputes.getDispute(other, { dispute_id: id });
    expect(file.answers).toEqual([]);
    expect(file.steps.map(({ kind }) => kind)).toEqual(['OPENED']);
    expect(file.dispute?.answered_at).toBeUndefined();
    expect(await idsOf(other, { stage: 'NEEDS_ANSWER' })).toContain(id);
  });
});

describe('a listing', () => {
  test('is narrowed to what waits for an answer, for an outcome, and for nothing', async () => {
    const own = institution();
    const waiting = await opened('stonecutter', own);
    const answered = await opened('stonecutter', own);
    const decided = await opened('stonecutter', own);
    await answer(answered.id, {}, officer(own));
    await move(disputes, decided.id, 'REJECTED');
    const stages = ['NEEDS_ANSWER', 'ANSWERED', 'UNDECIDED', 'DECIDED'] as const;
    const found = await Promise.all(stages.map((stage) => idsOf(own, { stage })));
    expect(found).toEqual([[waiting.id], [answered.id], [answered.id, waiting.id], [decided.id]]);
    const { institution_id: reported_institution_id } = own;
    const desk = await Promise.all(
      stages.map((stage) => idsOf(administrator, { stage, reported_institution_id })),
    );
    expect(desk).toEqual(found);
  });

  test('comes by due dates, page by page, without what has its outcome', async () => {
    const own = institution();
    const made = [];
    for (let count = 0; count < 4; count += 1) made.push((await opened('stonecutter', own)).id);
    await move(disputes, made[1] ?? '', 'REJECTED');
    const due = [made[0], made[2], made[3]];
    expect(await idsOf(own, { order: 'DUE' })).toEqual(due);
    const { institution_id: reported_institution_id } = own;
    const wanted = { order: 'DUE' as const, reported_institution_id, limit: 2 };
    const first = await disputes.listDisputes(administrator, wanted);
    const { next_cursor: cursor } = first;
    const rest = await disputes.listDisputes(administrator, { ...wanted, cursor });
    expect([...first.disputes, ...rest.disputes].map(({ id }) => id)).toEqual(due);
    expect([first.total_count, rest.next_cursor]).toEqual([3, undefined]);
    const refused = disputes.listDisputes(own, { limit: 1, order: 'DUE', stage: 'DECIDED' });
    expect(await refusal(refused)).toMatchObject({ paths: ['order'] });
    const broken = disputes.listDisputes(own, { limit: 1, order: 'DUE', cursor: cursor?.slice(2) });
    expect(await refusal(broken)).toMatchObject({ paths: ['cursor'] });
  });

  test('shows a member no address, and is not searched by one', async () => {
    const own = institution();
    const { id } = await opened('ada@example.org', own);
    const { disputes: listed } = await disputes.listDisputes(own, { limit: 1 });
    expect(listed.map(({ opened_by }) => opened_by)).toEqual(['…']);
    expect(await idsOf(own, { q: 'ada@example' })).toEqual([]);
    const named = await opened('Ada Stone', own);
    expect(await idsOf(own, { q: 'ada' })).toEqual([named.id]);
    expect(await idsOf(administrator, { q: 'ada@example' })).toContain(id);
  });
});
