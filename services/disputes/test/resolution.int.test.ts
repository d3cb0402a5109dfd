import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { EventType } from '@credit/proto/reporting/v1/types';
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
const outcome = { reason: 'DISPUTE_REASON_PAYMENT_REPORTED_LATE', opened_at: expect.anything() };
const CONFLICT = { code: 'INVALID_STATE_TRANSITION' };

describe('a dispute about an event', () => {
  test('corrected after a review: both records stay, linked, and the account stands mended', async () => {
    const { account, event } = await record.contested();
    const { id } = await open(disputes, { credit_event_id: event.id });
    expect(await record.statusOf(account)).toBe('PAST_DUE');

    const reviewed = await move(disputes, id, 'UNDER_REVIEW', { resolution: undefined });
    expect(reviewed).toMatchObject({ status: 'DISPUTE_STATUS_UNDER_REVIEW' });
    expect(reviewed.resolved_at).toBeUndefined();
    expect(await record.statusOf(account)).toBe('DISPUTED');

    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    const [, original, , correction] = await record.events(account);
    expect(corrected).toMatchObject({
      status: 'DISPUTE_STATUS_RESOLVED_CORRECTED',
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
      status: 'DISPUTE_STATUS_RESOLVED_CORRECTED',
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
        status: `DISPUTE_STATUS_${status}`,
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
        status: `DISPUTE_STATUS_${status}`,
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
    expect(found[0]).toMatchObject({ id, status: 'DISPUTE_STATUS_UNDER_REVIEW' });
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
    const [opening] = await record.events(account);
    const { id } = await open(disputes, { credit_event_id: opening?.id });
    const correction = { amount_minor: 1n };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', { correction }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction'],
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({ correction_pending: true });
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED']);
    expect((await record.told(id)).at(-1)?.value).toMatchObject({ correction_pending: true });
  });
});

describe('a dispute that names no event', () => {
  test('is accepted with its correction pending, and has none put in', async () => {
    const { account } = await record.contested();
    const { id } = await open(disputes, { subject_id: account.subject_id });
    expect(await listed()).toContain(id);
    await move(disputes, id, 'UNDER_REVIEW');
    const correction = { amount_minor: 1n };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', { correction }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['correction'],
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({
      status: 'DISPUTE_STATUS_RESOLVED_CORRECTED',
      correction_pending: true,
    });
    expect(await record.typesOf(account)).toEqual(['ACCOUNT_OPENED', 'PAYMENT_LATE']);
    expect((await record.told(id)).at(-1)?.value).toMatchObject({
      institution_ids: [lender.institution_id],
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

  test('of the same event and reason share one outcome, whichever is decided', async () => {
    const { account, event } = await record.contested();
    const original = await open(disputes, { credit_event_id: event.id });
    const repeated = await open(disputes, { credit_event_id: event.id, opened_by: 'another' });
    await move(disputes, original.id, 'UNDER_REVIEW');
    const late = await open(disputes, { credit_event_id: event.id });
    expect(late.status).toBe('DISPUTE_STATUS_OPEN');
    expect(await refusal(move(disputes, late.id, 'UNDER_REVIEW'))).toMatchObject(CONFLICT);
    const moved = await move(disputes, repeated.id, 'RESOLVED_CORRECTED');
    expect(moved).toMatchObject({ id: repeated.id, opened_by: 'another' });
    const all = (await disputes.listDisputes(lender, { limit: 3 })).disputes;
    expect(all.map(({ id }) => id)).toEqual([late.id, repeated.id, original.id]);
    for (const one of all) {
      expect(one).toMatchObject({
        status: 'DISPUTE_STATUS_RESOLVED_CORRECTED',
        correction_event_id: moved.correction_event_id,
      });
    }
    expect((await record.typesOf(account)).filter((type) => type === 'CORRECTION')).toHaveLength(1);
    // Told of once, as one.
    expect((await record.kindsTold(original.id)).filter((kind) => kind.includes('_'))).toEqual([
      'dispute_opened',
      'dispute_resolved',
    ]);
    for (const { id } of [repeated, late]) {
      expect(await record.kindsTold(id)).toEqual(['dispute.opened']);
    }
  });

  test('that come in while the original gets its outcome are part of it or apart from it', async () => {
    const { event } = await record.contested();
    const original = await open(disputes, { credit_event_id: event.id });
    const [, ...made] = await Promise.all([
      move(disputes, original.id, 'REJECTED'),
      ...Array.from({ length: 40 }, () => open(disputes, { credit_event_id: event.id })),
    ]);
    const rows = await world.rows<{ id: string; status: string; duplicate_of: string | null }>(
      'SELECT id, status, duplicate_of FROM disputes WHERE credit_event_id = $1 AND id <> $2',
      [event.id, original.id],
    );
    expect(rows).toHaveLength(made.length);
    // None is left open behind an original that is done.
    for (const { duplicate_of, status } of rows) {
      expect(status).toBe(duplicate_of === original.id ? 'REJECTED' : 'OPEN');
    }
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
    for (const ctx of [lender, key, { ...administrator, institution_id: newId() }]) {
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
