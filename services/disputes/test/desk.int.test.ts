import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import type { MoveDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import { EventType, Purpose } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, payment, refusal } from '../../reporting/test/harness';
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

const desk = () => ({ ...administrator, reply_metadata: new Map<string, string>() });

async function rehearse(dispute_id: string, fields: Partial<MoveDisputeRequest>, ctx = desk()) {
  return disputes.moveDispute(ctx, {
    dispute_id,
    status: 'RESOLVED_CORRECTED',
    resolution: 'The bank confirms the transfer.',
    account_ids: [],
    inquiry_ids: [],
    dry_run: true,
    ...fields,
  });
}

/** A dispute of a late payment, found where it is. */
async function contested() {
  const { account, event } = await record.contested();
  const { id } = await open(disputes, { credit_event_id: event.id });
  await disputes.listDisputes(lender, { limit: 1 });
  return { id, account, event };
}

/** All that a decision could change, here and in reporting. */
async function everything(dispute_id: string, account: { id: string; subject_id: string }) {
  const network = systemContext('live');
  const { steps, dispute } = await disputes.getDispute(lender, { dispute_id });
  const { reporting } = world.reporting;
  const head = await reporting.getSubjectFile(network, { subject_id: account.subject_id });
  const rows = await world.rows('SELECT * FROM dispute_moves WHERE dispute_id = $1', [dispute_id]);
  const reviews = await world.rows('SELECT * FROM account_reviews ORDER BY account_id');
  return { steps, dispute, version: head.subject_version, rows, reviews };
}

describe('the record for who decides', () => {
  test('has the claim, the account with its events, all answers, and no other account', async () => {
    const { account, event, id } = await contested();
    await newAccount(world.reporting.reporting, lender, { subject_id: account.subject_id });
    await disputes.answerDispute(keyed(lender), {
      dispute_id: id,
      verdict: 'NOT_OURS',
      text: 'We know nobody of that name.',
      correction_event_ids: [],
    });
    const file = await disputes.getDisputeRecord(desk(), { dispute_id: id });
    expect(file.dispute).toMatchObject({ id, group_id: id, group_size: 1 });
    expect(file.answers).toMatchObject([{ verdict: 'NOT_OURS' }]);
    expect(file.record?.accounts.map((one) => one.id)).toEqual([account.id]);
    expect(file.record?.accounts[0]?.metadata_json).toBe('');
    expect(file.record?.events.map((one) => one.event_type)).toEqual([
      'PAYMENT_LATE',
      'ACCOUNT_OPENED',
    ]);
    expect(file.record?.contested_events.map((one) => one.id)).toEqual([event.id]);
  });

  test('is read by administrators alone, and each read is logged with what was shown', async () => {
    const { account, id } = await contested();
    const before = (await world.told()).length;
    const refused = disputes.getDisputeRecord(lender, { dispute_id: id });
    expect(await refusal(refused)).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await refusal(disputes.getDisputeRecord(desk(), { dispute_id: newId() }))).toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
    expect(await world.told()).toHaveLength(before);
    await disputes.getDisputeRecord(desk(), { dispute_id: id });
    const logs = (await world.told()).slice(before).map(({ payload }) => payload?.value);
    expect(logs).toEqual(
      ['', lender.institution_id].map((institution_id) =>
        expect.objectContaining({
          institution_id,
          actor_id: administrator.actor.id,
          action: 'dispute.record_read',
          target_id: id,
          changes_json: JSON.stringify({ account_ids: [account.id] }),
        }),
      ),
    );
  });

  test('shows other disputes of the same account and of all of the subject’s, decided ones too', async () => {
    const { account, event, id } = await contested();
    const earlier = await open(disputes, { credit_event_id: event.id, reason: 'OTHER' });
    await move(disputes, earlier.id, 'REJECTED');
    const { subject_id } = account;
    const wide = await open(disputes, { subject_id });
    const elsewhere = await newAccount(world.reporting.reporting, institution(), { subject_id });
    const foreign = await record.late(elsewhere, 40, institution(elsewhere.institution_id));
    await open(disputes, { credit_event_id: foreign.id });
    await disputes.listDisputes(lender, { limit: 1 });
    const file = await disputes.getDisputeRecord(desk(), { dispute_id: id });
    expect(file.related.map((one) => one.id)).toEqual([wide.id, earlier.id]);
  });

  test('of an institution without a subject, or of nobody, is none', async () => {
    const alone = await open(disputes, { reported_institution_id: lender.institution_id });
    const nobody = await open(disputes, { subject_id: newId() });
    await disputes.listDisputes(lender, { limit: 1 });
    for (const { id } of [alone, nobody]) {
      const file = await disputes.getDisputeRecord(desk(), { dispute_id: id });
      expect(file.record).toBeUndefined();
    }
  });
});

describe('the record of an inquiry that nobody authorised', () => {
  const [looker, other] = [institution(), institution()];
  const look = async (ctx: typeof looker, subject_id: string) => {
    const { inquiry } = await world.reporting.reporting.recordInquiry(ctx, {
      inquiry_id: newId(),
      subject_id,
      purpose: Purpose.NEW_CREDIT_APPLICATION,
    });
    return inquiry?.id ?? '';
  };

  test('has the inquiries of whom it names, or everybody’s; of another reason none', async () => {
    const { account, id: late } = await contested();
    const { subject_id } = account;
    const own = await look(looker, subject_id);
    const theirs = await look(other, subject_id);
    const contest = async (fields: object) => {
      const { id } = await open(disputes, {
        subject_id,
        reason: 'UNAUTHORISED_INQUIRY',
        ...fields,
      });
      await disputes.listDisputes(lender, { limit: 1 });
      const file = await disputes.getDisputeRecord(desk(), { dispute_id: id });
      return { id, inquiries: file.inquiries.map((one) => one.id), file };
    };
    const { institution_id: reported_institution_id } = looker;
    const before = (await world.told()).length;
    const named = await contest({ reported_institution_id });
    expect(named.inquiries).toEqual([own]);
    const reads = (await world.told())
      .slice(before)
      .flatMap(({ payload }) =>
        payload?.$case === 'audit_recorded' && payload.value.action === 'dispute.record_read'
          ? [[payload.value.institution_id, JSON.parse(payload.value.changes_json).inquiry_ids]]
          : [],
      );
    expect(reads).toEqual([
      ['', [own]],
      [looker.institution_id, [own]],
    ]);
    expect((await contest({})).inquiries).toEqual([theirs, own]);
    // An institution alone looks at nobody, and an event that there is not names nobody.
    expect((await contest({ subject_id: undefined, reported_institution_id })).inquiries).toEqual(
      [],
    );
    expect((await contest({ credit_event_id: newId() })).inquiries).toEqual([]);
    const of_payment = await disputes.getDisputeRecord(desk(), { dispute_id: late });
    expect(of_payment.inquiries).toEqual([]);
  });
});

describe('a dry run of a decision', () => {
  test('shows how the account and the health would stand, and changes nothing', async () => {
    const { account, id } = await contested();
    const before = await everything(id, account);
    const ctx = desk();
    const { dispute, preview } = await rehearse(id, {}, ctx);
    expect(ctx.reply_metadata.get('dry-run')).toBe('true');
    expect(dispute).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      correction_event_id: NIL_UUID,
      correction_pending: false,
    });
    expect(preview).toMatchObject({
      accounts: [
        {
          before: { id: account.id, status: 'PAST_DUE' },
          after: { id: account.id, status: 'CURRENT', days_past_due: 0 },
        },
      ],
      account_count: 1,
      decided_count: 1,
      health: { institution_id: lender.institution_id },
    });
    const { health } = preview ?? {};
    expect(health?.score_after).toBeLessThan(health?.score_before ?? 0);
    expect(await everything(id, account)).toEqual(before);
    // What it said comes to pass.
    await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(await record.statusOf(account)).toBe('CURRENT');
  });

  test('shows what a replacement would do, and refuses one that does not fit as the decision would', async () => {
    const { account, id } = await contested();
    const correction = { corrected_event_type: EventType.PAYMENT_MADE, amount_minor: 5_000n };
    const replacement = { ...correction, balance_after_minor: 95_000n };
    const { preview } = await rehearse(id, { correction: replacement });
    expect(preview?.accounts[0]?.after).toMatchObject({ current_balance_minor: 95_000n });
    const unfit = { correction: { corrected_event_type: EventType.BALANCE_UPDATED } };
    const rehearsed = await refusal(rehearse(id, unfit));
    expect(rehearsed).toEqual(await refusal(rehearse(id, { ...unfit, dry_run: false })));
    expect(rehearsed).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await record.statusOf(account)).toBe('PAST_DUE');
  });

  test('links what its furnisher has mended', async () => {
    const { account, event, id } = await contested();
    const { event: correction } = await world.reporting.reporting.reportEvent(keyed(lender), {
      event: payment(account, 41, {
        event_type: EventType.CORRECTION,
        amount_minor: undefined,
        supersedes_event_id: event.id,
        correction_reason: 'It was paid.',
      }),
    });
    const { dispute } = await rehearse(id, {});
    expect(dispute?.correction_event_id).toBe(correction?.id);
  });

  test('shows the begin of a review, and its end by every outcome unless another goes on', async () => {
    const { account, event, id } = await contested();
    const begun = await rehearse(id, { status: 'UNDER_REVIEW', resolution: undefined });
    const statuses = ({ preview }: typeof begun) =>
      preview?.accounts.map(({ after, before }) => [before?.status, after?.status]);
    expect(statuses(begun)).toEqual([['PAST_DUE', 'DISPUTED']]);
    expect(begun.preview?.health).toBeUndefined();
    await move(disputes, id, 'UNDER_REVIEW', { resolution: undefined });
    const upheld = await rehearse(id, { status: 'RESOLVED_UPHELD' });
    expect(statuses(upheld)).toEqual([['DISPUTED', 'PAST_DUE']]);
    expect(statuses(await rehearse(id, {}))).toEqual([['DISPUTED', 'CURRENT']]);

    const twin = await open(disputes, { credit_event_id: event.id });
    await move(disputes, twin.id, 'UNDER_REVIEW', { resolution: undefined });
    expect(statuses(await rehearse(id, { status: 'RESOLVED_UPHELD' }))).toEqual([]);
    const both = await rehearse(id, { status: 'RESOLVED_UPHELD', apply_to_group: true });
    expect(statuses(both)).toEqual([['DISPUTED', 'PAST_DUE']]);
    expect(both.preview?.decided_count).toBe(2);
    expect(await record.statusOf(account)).toBe('DISPUTED');
  });

  test('takes accounts off the file, and says what no correction can mend', async () => {
    const account = await newAccount(world.reporting.reporting, lender);
    const { subject_id } = account;
    const { id } = await open(disputes, { subject_id, reason: 'NOT_MY_ACCOUNT' });
    await disputes.listDisputes(lender, { limit: 1 });
    const taken = await rehearse(id, { account_ids: [account.id] });
    expect(taken.preview?.accounts).toMatchObject([{ after: { id: account.id, voided: true } }]);
    expect(taken.dispute?.correction_pending).toBe(false);
    const pending = await rehearse(id, {});
    expect(pending.preview?.accounts).toEqual([]);
    expect(pending.dispute?.correction_pending).toBe(true);
    const foreign = await refusal(rehearse(id, { account_ids: [newId()] }));
    expect(foreign).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['account_ids[0]'] });
    expect((await record.events(account)).map((one) => one.event_type)).toEqual(['ACCOUNT_OPENED']);
  });

  test('names the inquiries whose effect would go', async () => {
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    const inquiry_id = newId();
    await world.reporting.reporting.recordInquiry(lender, {
      inquiry_id,
      subject_id,
      purpose: Purpose.NEW_CREDIT_APPLICATION,
      inquiry_type: 'HARD',
    });
    const reason = 'UNAUTHORISED_INQUIRY' as const;
    const reported_institution_id = lender.institution_id;
    const { id } = await open(disputes, { subject_id, reported_institution_id, reason });
    for (let count = 0; count < 2; count += 1) {
      const { dispute } = await rehearse(id, {});
      expect(dispute?.voided_inquiry_ids).toEqual([inquiry_id]);
    }
  });

  test('of what is decided is refused like the decision, and in the sandbox there is none', async () => {
    const { id } = await contested();
    await move(disputes, id, 'REJECTED');
    expect(await refusal(rehearse(id, {}))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      message: 'The dispute is REJECTED, and outcomes are final.',
    });
    expect(await refusal(rehearse(newId(), {}))).toMatchObject({ code: 'NOT_FOUND' });
    const member = rehearse(id, {}, { ...lender, reply_metadata: new Map() });
    expect(await refusal(member)).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const test = institution(newId(), { environment: 'test' });
    const decision = { dispute_id: id, status: 'REJECTED' as const, resolution: 'No.' };
    const sandbox = disputes.moveSandboxDispute(test, {
      decision: { ...decision, account_ids: [], inquiry_ids: [], dry_run: true },
    });
    expect(await refusal(sandbox)).toMatchObject({ paths: ['decision.dry_run'] });
  });
});
