import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { EventType, Purpose } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, onDay, refusal } from '../../reporting/test/harness';
import { administrator, lender, move, open, Record } from './support/contested';
import { type Disputes, startWorld, until, type World } from './support/world';

// Two services and several processes, on machines that do other things too.
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

const listed = async (ctx = lender, wanted: object = {}) =>
  (await disputes.listDisputes(ctx, { limit: 100, ...wanted })).disputes.map((one) => one.id);
const outcome = { reason: 'PAYMENT_REPORTED_LATE', opened_at: expect.anything() };
const CONFLICT = { code: 'INVALID_STATE_TRANSITION' };

describe('a dispute about an event', () => {
  test('corrected after a review: both records stay, linked, and the account stands mended', async () => {
    const { account, event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    expect(await record.statusOf(account)).toBe('PAST_DUE');

    const reviewed = await move(disputes, id, 'UNDER_REVIEW', { resolution: undefined });
    expect(reviewed).toMatchObject({ status: 'UNDER_REVIEW' });
    expect(reviewed.resolved_at).toBeUndefined();
    expect(await record.statusOf(account)).toBe('DISPUTED');

    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    const [, original, , correction] = await record.events(account);
    expect(corrected).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      resolution: 'The bank confirms the transfer.',
      resolved_at: expect.stringMatching(/Z$/),
      correction_event_id: correction?.id,
      correction_pending: false,
      overdue: false,
    });
    expect(original).toMatchObject({ id: event.id, superseded_by_event_id: correction?.id });
    expect(correction).toMatchObject({
      supersedes_event_id: event.id,
      source_reference: `dispute:${id}`,
      correction_reason: 'The bank confirms the transfer.',
    });
    expect(await record.typesOf(account)).toEqual([
      'ACCOUNT_OPENED',
      'PAYMENT_LATE',
      'DISPUTE_OPENED',
      'CORRECTION',
      'DISPUTE_RESOLVED',
    ]);
    expect(await record.statusOf(account)).toBe('CURRENT');
    expect(await record.kindsTold(id)).toEqual([
      'dispute.opened',
      'dispute_opened',
      'dispute.reviewed',
      'dispute.resolved',
      'dispute_resolved',
    ]);
    const told = await record.told(id);
    const where = {
      dispute_id: id,
      institution_ids: [lender.institution_id],
      subject_id: account.subject_id,
      account_id: account.id,
      credit_event_id: event.id,
    };
    expect(told[1]?.value).toMatchObject({ ...where, ...outcome, due_at: expect.anything() });
    expect(told[3]?.value).toMatchObject({
      institution_id: '',
      actor_type: 'user',
      actor_id: administrator.actor.id,
    });
    // The furnisher finds what was decided in its own log too.
    const logged = (await record.told(id, lender.institution_id)).flatMap((payload) =>
      payload?.$case === 'audit_recorded' ? [payload.value] : [],
    );
    expect(logged.map(({ action }) => action)).toEqual(['dispute.reviewed', 'dispute.resolved']);
    expect(JSON.parse(logged[1]?.changes_json ?? '')).toMatchObject({
      status: { from: 'UNDER_REVIEW', to: 'RESOLVED_CORRECTED' },
      correction_event_id: correction?.id,
    });
    expect(told[4]?.value).toMatchObject({
      ...where,
      ...outcome,
      status: 'RESOLVED_CORRECTED',
      correction_event_id: correction?.id,
      correction_pending: false,
    });
  });

  test('corrected with other facts in the event’s place', async () => {
    const { account, event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    const correction = {
      corrected_event_type: EventType.PAYMENT_MADE,
      amount_minor: 1_000n,
      balance_after_minor: 99_000n,
    };
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED', { correction });
    const events = await record.events(account);
    expect(events.at(-1)).toMatchObject({
      id: corrected.correction_event_id,
      corrected_event_type: EventType.PAYMENT_MADE,
      amount_minor: 1_000n,
    });
    // Without a review there is none to end.
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED', 'PAYMENT_LATE', 'CORRECTION']);
  });

  test('corrected by the correction that its furnisher filed since', async () => {
    const { account, event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    const { event: filed } = await world.reporting.reporting.reportEvent(keyed(lender), {
      event: {
        credit_account_id: account.id,
        event_type: EventType.CORRECTION,
        occurred_at: onDay(50),
        supersedes_event_id: event.id,
        correction_reason: 'entered wrongly',
      },
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected.correction_event_id).toBe(filed?.id);
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED', 'PAYMENT_LATE', 'CORRECTION']);
  });

  test.each(['RESOLVED_UPHELD', 'REJECTED'] as const)(
    '%s leaves the record as it was, but for the review',
    async (status) => {
      const { account, event } = await record.contested();
      const before = await record.events(account);
      const { id } = await open(disputes, { credit_event_id: event.id });
      await move(disputes, id, 'UNDER_REVIEW');
      const ended = await move(disputes, id, status, { resolution: 'The ledger is right.' });
      expect(ended).toMatchObject({
        status: status,
        resolution: 'The ledger is right.',
        correction_pending: false,
      });
      expect(ended.correction_event_id).toBeUndefined();
      const after = await record.events(account);
      expect(after.slice(0, 2)).toEqual(before);
      expect(await record.typesOf(account)).toEqual([
        'ACCOUNT_OPENED',
        'PAYMENT_LATE',
        'DISPUTE_OPENED',
        'DISPUTE_RESOLVED',
      ]);
      expect(await record.statusOf(account)).toBe('PAST_DUE');
      const told = (await record.told(id)).at(-1)?.value;
      expect(told).toMatchObject({
        status: status,
        correction_event_id: undefined,
      });
      for (const again of ['UNDER_REVIEW', 'RESOLVED_CORRECTED', status] as const) {
        expect(await refusal(move(disputes, id, again))).toMatchObject(CONFLICT);
      }
      expect(await record.typesOf(account)).toHaveLength(4);
    },
  );

  test('is refused with the fields at fault, and then stands as before', async () => {
    const { account, event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    await move(disputes, id, 'UNDER_REVIEW');
    const correction = { corrected_event_type: EventType.PAYMENT_MADE };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', { correction }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction.amount'],
    });
    const { disputes: found } = await disputes.listDisputes(lender, { limit: 1 });
    expect(found[0]).toMatchObject({ id, status: 'UNDER_REVIEW' });
    expect(await record.statusOf(account)).toBe('DISPUTED');
    await move(disputes, id, 'RESOLVED_UPHELD');
    expect(await record.statusOf(account)).toBe('PAST_DUE');
  });

  test('that is not on record cannot be corrected, but rejected', async () => {
    const { id } = await open(disputes, { credit_event_id: newId() });
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED'))).toMatchObject(CONFLICT);
    await move(disputes, id, 'REJECTED');
    expect((await record.told(id)).at(-1)?.value).toMatchObject({ institution_ids: [] });
    // Nobody was told that it was opened.
    expect(await record.kindsTold(id)).not.toContain('dispute_opened');
  });

  test('of a type that no correction can mend waits for its furnisher', async () => {
    const account = await newAccount(world.reporting.reporting, lender);
    const flag = await world.reporting.report(lender, {
      credit_account_id: account.id,
      event_type: EventType.DISPUTE_OPENED,
      occurred_at: new Date().toISOString(),
    });
    const { id } = await open(disputes, { credit_event_id: flag.id });
    const correction = { amount_minor: 1n };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', { correction }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction'],
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({ correction_pending: true });
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED', 'DISPUTE_OPENED']);
    expect((await record.told(id)).at(-1)?.value).toMatchObject({ correction_pending: true });
  });
});

describe('a dispute that names no event', () => {
  test('is accepted with its correction pending, and has none put in', async () => {
    const { account } = await record.contested();
    const { id } = await open(disputes, { subject_id: account.subject_id });
    expect(await listed()).toContain(id);
    const correction = { amount_minor: 1n };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', { correction }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction'],
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      correction_pending: true,
    });
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED', 'PAYMENT_LATE']);
    expect((await record.told(id)).at(-1)?.value).toMatchObject({
      institution_ids: [lender.institution_id],
      correction_pending: true,
    });
  });

  /** A subject with two accounts at the lender and one elsewhere. */
  async function three() {
    const { reporting } = world.reporting;
    const elsewhere = institution();
    const first = await newAccount(reporting, lender);
    const { subject_id } = first;
    const second = await newAccount(reporting, lender, { subject_id });
    const third = await newAccount(reporting, elsewhere, { subject_id });
    const statuses = async () => [
      await record.statusOf(first),
      await record.statusOf(second),
      await record.statusOf(third, elsewhere),
    ];
    return { subject_id, first, second, third, statuses };
  }
  const of_lender = {
    reported_institution_id: lender.institution_id,
    reason: 'FRAUD' as const,
  };
  const [FREE, HELD] = ['CURRENT', 'DISPUTED'];

  test.each(['RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED'] as const)(
    'suspends the institution’s accounts of the subject until it is %s',
    async (outcome) => {
      const { statuses, subject_id } = await three();
      const { id } = await open(disputes, { ...of_lender, subject_id });
      expect(await statuses()).toEqual([FREE, FREE, FREE]);
      await move(disputes, id, 'UNDER_REVIEW');
      expect(await statuses()).toEqual([HELD, HELD, FREE]);
      await move(disputes, id, outcome);
      expect(await statuses()).toEqual([FREE, FREE, FREE]);
    },
  );

  test('suspends everybody’s when it names the subject alone', async () => {
    const { statuses, subject_id } = await three();
    const { id } = await open(disputes, { subject_id });
    await move(disputes, id, 'UNDER_REVIEW');
    expect(await statuses()).toEqual([HELD, HELD, HELD]);
    // Another review of one of them holds that one longer.
    const other = await open(disputes, { ...of_lender, subject_id });
    await move(disputes, other.id, 'UNDER_REVIEW');
    await move(disputes, id, 'REJECTED');
    expect(await statuses()).toEqual([HELD, HELD, FREE]);
  });

  test('is narrowed to what the administrator names, and only to what it covers', async () => {
    const { first, second, statuses, subject_id, third } = await three();
    const { id } = await open(disputes, { ...of_lender, subject_id });
    const wrong = { account_ids: [second.id, third.id, newId()] };
    expect(await refusal(move(disputes, id, 'UNDER_REVIEW', wrong))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['account_ids[1]', 'account_ids[2]'],
    });
    expect(await statuses()).toEqual([FREE, FREE, FREE]);
    await move(disputes, id, 'UNDER_REVIEW', { account_ids: [second.id] });
    expect(await statuses()).toEqual([FREE, HELD, FREE]);
    await move(disputes, id, 'RESOLVED_UPHELD');
    expect(await statuses()).toEqual([FREE, FREE, FREE]);
    // One that names an event covers the account of that event.
    const { account, event } = await record.contested();
    const named = await open(disputes, { credit_event_id: event.id });
    expect(
      await refusal(move(disputes, named.id, 'UNDER_REVIEW', { account_ids: [first.id] })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['account_ids[0]'] });
    await move(disputes, named.id, 'UNDER_REVIEW', { account_ids: [account.id] });
    expect(await record.statusOf(account)).toBe(HELD);
  });

  test('suspends nothing of an institution without a subject', async () => {
    const { id } = await open(disputes, { ...of_lender, subject_id: undefined });
    const reviewed = await move(disputes, id, 'UNDER_REVIEW');
    expect(reviewed.status).toBe('UNDER_REVIEW');
    expect(await move(disputes, id, 'REJECTED')).toMatchObject({
      status: 'REJECTED',
    });
  });
});

describe('an unauthorised inquiry', () => {
  const REASON = { reason: 'UNAUTHORISED_INQUIRY' as const };

  async function look(ctx: CallContext, subject_id: string): Promise<string> {
    const { inquiry } = await world.reporting.reporting.recordInquiry(ctx, {
      inquiry_id: newId(),
      subject_id,
      purpose: Purpose.NEW_CREDIT_APPLICATION,
    });
    return inquiry?.id ?? '';
  }
  const voidedOf = async (subject_id: string) => {
    const file = await world.reporting.reporting.getSubjectFile(institution(), { subject_id });
    return file.inquiries.filter(({ voided_at }) => voided_at !== undefined);
  };

  test('loses its effect when its dispute is resolved as corrected, and no other does', async () => {
    const [curious, other] = [institution(), institution()];
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    const looked = await look(curious, subject_id);
    await look(other, subject_id);
    const reported_institution_id = curious.institution_id;
    const { id } = await open(disputes, { ...REASON, subject_id, reported_institution_id });
    // An inquiry is on no account: none is suspended.
    await move(disputes, id, 'UNDER_REVIEW');
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({ voided_inquiry_ids: [looked], correction_pending: false });
    expect((await voidedOf(subject_id)).map(({ inquiry_id }) => inquiry_id)).toEqual([looked]);
    const logged = (await record.told(id)).flatMap((payload) =>
      payload?.$case === 'audit_recorded' ? [JSON.parse(payload.value.changes_json)] : [],
    );
    expect(logged.at(-1)).toMatchObject({ voided_inquiry_ids: [looked] });
  });

  test('is named, when the dispute says not whose it was', async () => {
    const curious = institution();
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    const looks = [await look(curious, subject_id), await look(lender, subject_id)];
    const { id } = await open(disputes, { ...REASON, subject_id });
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED'))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction.inquiry_ids'],
    });
    const foreign = { inquiry_ids: [newId()] };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', foreign))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction.inquiry_ids[0]'],
    });
    expect(await voidedOf(subject_id)).toEqual([]);
    const named = { inquiry_ids: looks.slice(0, 1) };
    expect(await move(disputes, id, 'RESOLVED_CORRECTED', named)).toMatchObject({
      voided_inquiry_ids: looks.slice(0, 1),
    });
    expect(await voidedOf(subject_id)).toHaveLength(1);
  });

  test('that there is none of leaves the correction pending', async () => {
    const { subject_id } = await newAccount(world.reporting.reporting, lender);
    const { institution_id: reported_institution_id } = institution();
    const { id } = await open(disputes, { ...REASON, subject_id, reported_institution_id });
    expect(await move(disputes, id, 'RESOLVED_CORRECTED')).toMatchObject({
      voided_inquiry_ids: [],
      correction_pending: true,
    });
  });
});

describe('several disputes', () => {
  test('about one account: it is under review from the first to the last', async () => {
    const { account, event } = await record.contested();
    const other = await record.late(account, 60);
    const first = await open(disputes, { credit_event_id: event.id });
    const second = await open(disputes, { credit_event_id: other.id });
    for (const { id } of [first, second]) await move(disputes, id, 'UNDER_REVIEW');
    await move(disputes, first.id, 'REJECTED');
    expect(await record.statusOf(account)).toBe('DISPUTED');
    await move(disputes, second.id, 'RESOLVED_CORRECTED');
    expect(await record.statusOf(account)).toBe('PAST_DUE');
    expect(await record.typesOf(account)).toEqual([
      'ACCOUNT_OPENED',
      'PAYMENT_LATE',
      'PAYMENT_LATE',
      'DISPUTE_OPENED',
      'CORRECTION',
      'DISPUTE_RESOLVED',
    ]);
  });

  test('at once about one account: its reviews are counted right', async () => {
    const { account } = await record.contested();
    const events = [];
    for (let day = 100; day < 108; day += 1) events.push(await record.late(account, day));
    const opened = await Promise.all(
      events.map(({ id }) => open(disputes, { credit_event_id: id })),
    );
    await Promise.all(
      opened.map(async ({ id }, index) => {
        await move(disputes, id, 'UNDER_REVIEW');
        if (index > 0) await move(disputes, id, 'REJECTED');
      }),
    );
    expect(await record.statusOf(account)).toBe('DISPUTED');
    await move(disputes, opened[0]?.id ?? '', 'REJECTED');
    expect(await record.statusOf(account)).toBe('PAST_DUE');
    const flags = (await record.typesOf(account)).filter((type) => type.startsWith('DISPUTE_'));
    // Each opening is followed by its own end.
    expect(flags).toEqual(
      Array.from({ length: flags.length / 2 }, () => ['DISPUTE_OPENED', 'DISPUTE_RESOLVED']).flat(),
    );
    expect(
      await world.rows('SELECT open_reviews FROM account_reviews WHERE account_id = $1', [
        account.id,
      ]),
    ).toEqual([{ open_reviews: 0 }]);
  });
});

describe('whose a dispute is', () => {
  test('is its event’s furnisher, whoever the opener names', async () => {
    const { event } = await record.contested();
    const stranger = institution();
    const named = { credit_event_id: event.id, reported_institution_id: stranger.institution_id };
    const { id } = await open(disputes, named);
    expect(await listed()).toContain(id);
    expect(await listed(stranger)).toEqual([]);
    const filter = { reported_institution_id: lender.institution_id };
    expect(await listed(administrator, filter)).toContain(id);
  });

  test('is each institution that reports about the subject', async () => {
    const { account } = await record.contested();
    const second = institution();
    await newAccount(world.reporting.reporting, second, { subject_id: account.subject_id });
    const { id } = await open(disputes, { subject_id: account.subject_id });
    expect(await listed()).toContain(id);
    expect(await listed(second)).toEqual([id]);
    expect((await record.told(id))[1]?.value).toMatchObject({
      institution_ids: [lender.institution_id, second.institution_id].sort(),
    });
  });

  test('is found out without anyone asking', async () => {
    const { event } = await record.contested();
    const worker = await world.start({ works: true });
    const { id } = await open(worker.disputes, { credit_event_id: event.id });
    await until(
      () => record.kindsTold(id),
      (kinds) => kinds.includes('dispute_opened'),
    );
    await worker.stop();
  });

  test('is shown as far as it is known while reporting is away', async () => {
    const apart = await world.start({ reporting_address: '127.0.0.1:9' });
    const { institution_id } = lender;
    const known = await open(apart.disputes, { reported_institution_id: institution_id });
    const { event } = await record.contested();
    const unknown = await open(apart.disputes, { credit_event_id: event.id });
    const { disputes: seen } = await apart.disputes.listDisputes(lender, { limit: 1 });
    expect(seen.map(({ id }) => id)).toEqual([known.id]);
    expect((await listed()).slice(0, 2)).toEqual([unknown.id, known.id]);
  });
});

describe('who may decide', () => {
  test('is an administrator of the network', async () => {
    const { event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    const forbidden = { code: 'INSUFFICIENT_SCOPE' };
    const key = systemContext('live', { actor: { type: 'api_key', id: newId() } });
    const member = systemContext('live', {
      institution_id: newId(),
      actor: { type: 'user', id: newId() },
    });
    for (const ctx of [lender, key, member]) {
      expect(await refusal(move(disputes, id, 'REJECTED', {}, ctx))).toMatchObject(forbidden);
    }
    expect(await refusal(move(disputes, newId(), 'REJECTED'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(move(disputes, 'x', 'REJECTED'))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['dispute_id'],
    });
    // What is wrong with the decision comes before what is wrong with the id.
    expect(
      await refusal(move(disputes, newId(), 'REJECTED', { resolution: undefined })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['resolution'] });
  });
});
