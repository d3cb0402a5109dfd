import { type CallContext, systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import type {
  Dispute,
  DisputeStatus,
  ListDisputesRequest,
  MoveDisputeRequest,
  OpenDisputeRequest,
} from '@credit/proto/disputes/v1/disputes';
import { Event } from '@credit/proto/events/v1/events';
import { refusal } from '../../reporting/test/harness';
import { type Disputes, startWorld, type World } from './support/world';

const LINKS = statement<{ id: string; duplicate_of: string | undefined }>(
  'test_links',
  'SELECT id, duplicate_of FROM disputes WHERE credit_event_id = $1 ORDER BY id',
);
const AUDITED = statement<{ payload: Buffer }>(
  'test_audited',
  "SELECT payload FROM outbox WHERE type = 'audit_recorded' ORDER BY id",
);
const DAY_MS = 86_400_000;

let world: World;
let stub: Disputes;

beforeAll(async () => {
  world = await startWorld();
  ({ disputes: stub } = await world.start());
}, 30_000);
afterAll(() => world.stop());

const network = systemContext('live', {
  actor: { type: 'user', id: newId(), administers: true },
});
const of = (institution_id: string, overrides: Partial<CallContext> = {}) =>
  systemContext('live', {
    institution_id,
    actor: { type: 'api_key', id: newId() },
    ...overrides,
  });
const anonymous = systemContext('live', {
  actor: { type: 'anonymous', id: '' },
  client_address: '203.0.113.7',
  request_id: 'req-1',
});

const INTAKE: OpenDisputeRequest = {
  opened_by: 'stonecutter',
  reason: 'PAYMENT_REPORTED_LATE',
  description: 'The payment of 1 February was on time.',
  evidence_links: [],
};

async function open(
  fields: Partial<OpenDisputeRequest>,
  ctx: CallContext = anonymous,
): Promise<Dispute> {
  return (await openWithToken(fields, ctx)).dispute;
}

async function openWithToken(fields: Partial<OpenDisputeRequest>, ctx: CallContext = anonymous) {
  const { access_token, dispute } = await stub.openDispute(ctx, { ...INTAKE, ...fields });
  if (dispute === undefined) throw new Error('No dispute came back.');
  return { access_token, dispute };
}

const move = (
  dispute_id: string,
  status: DisputeStatus,
  fields: Partial<MoveDisputeRequest> = {},
) =>
  stub.moveDispute(network, {
    dispute_id,
    status,
    resolution: 'Looked into.',
    account_ids: [],
    inquiry_ids: [],
    ...fields,
  });
const list = (ctx: CallContext, wanted: Partial<ListDisputesRequest> = {}) =>
  stub.listDisputes(ctx, { limit: 100, ...wanted });
const idsOf = (page: { disputes: Dispute[] }) => page.disputes.map((one) => one.id);
const refused = (...paths: string[]) =>
  expect.objectContaining({
    code: 'VALIDATION_ERROR',
    details: paths.map((path) => expect.objectContaining({ path })),
  });

describe('public intake', () => {
  test('is answered with the dispute, open and due in 30 days, whoever exists', async () => {
    const [subject_id, credit_event_id, reported_institution_id] = [newId(), newId(), newId()];
    const evidence_links = ['https://files.example/receipt.png'];
    const given = { subject_id, credit_event_id, reported_institution_id, evidence_links };
    const dispute = await open(given);
    expect(dispute).toEqual({
      ...INTAKE,
      ...given,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'OPEN',
      opened_at: expect.stringMatching(/Z$/),
      due_at: new Date(Date.parse(dispute.opened_at ?? '') + 30 * DAY_MS).toISOString(),
      overdue: false,
      correction_pending: false,
      voided_inquiry_ids: [],
      identity_known: false,
    });
    expect(idsOf(await list(of(reported_institution_id)))).toEqual([dispute.id]);
  });

  test('names everything that is missing or wrong, and stores nothing', async () => {
    const before = (await list(network)).total_count;
    await expect(open({})).rejects.toThrow(refused(''));
    await expect(
      open({
        subject_id: 'x',
        opened_by: '',
        description: 'too short',
        evidence_links: ['ftp://x'],
      }),
    ).rejects.toThrow(refused('subject_id', 'opened_by', 'description', 'evidence_links[0]'));
    await expect(open({ subject_id: newId(), reason: 'UNSPECIFIED' })).rejects.toThrow(
      refused('reason'),
    );
    expect((await list(network)).total_count).toBe(before);
  });

  test('is always about live data, whatever the call says', async () => {
    const reported_institution_id = newId();
    const in_test = systemContext('test', { actor: { type: 'anonymous', id: '' } });
    const { id } = await open({ reported_institution_id }, in_test);
    expect(idsOf(await list(of(reported_institution_id)))).toEqual([id]);
    const elsewhere = of(reported_institution_id, { environment: 'test' });
    expect((await list(elsewhere)).total_count).toBe(0);
  });

  test('is logged in the network’s own log, not in that of the institution it names', async () => {
    const reported_institution_id = newId();
    const { id } = await open({ reported_institution_id });
    const rows = await world.database.db.read(network).query(AUDITED);
    const entries = rows.map(({ payload }) => Event.decode(payload));
    const entry = entries.find(
      ({ payload }) => payload?.$case === 'audit_recorded' && payload.value.target_id === id,
    );
    expect(entry).toMatchObject({
      environment: 'live',
      request_id: 'req-1',
      payload: {
        value: {
          institution_id: '',
          actor_type: 'anonymous',
          action: 'dispute.opened',
          ip: '203.0.113.7',
        },
      },
    });
  });
});

describe('the opener', () => {
  const follow = (dispute_id: string, access_token: string) =>
    stub.getOpenedDispute(anonymous, { dispute_id, access_token });

  test('follows the dispute with the token that was shown once', async () => {
    const { access_token, dispute } = await openWithToken({ credit_event_id: newId() });
    expect(access_token).toMatch(/^svc_dt_[0-9A-Za-z]{43}$/);
    expect(await follow(dispute.id, access_token)).toEqual({ dispute });
    await move(dispute.id, 'UNDER_REVIEW');
    expect((await follow(dispute.id, access_token)).dispute).toMatchObject({
      status: 'UNDER_REVIEW',
    });
    const stored = await world.rows<{ row: string }>(
      'SELECT row_to_json(disputes)::text AS row FROM disputes WHERE id = $1',
      [dispute.id],
    );
    expect(stored[0]?.row).not.toContain(access_token);
  });

  test('is told the same for a wrong token as for a dispute that does not exist', async () => {
    const mine = await openWithToken({ credit_event_id: newId() });
    const other = await openWithToken({ credit_event_id: newId() });
    const refusals = await Promise.all(
      [
        follow(mine.dispute.id, other.access_token),
        follow(mine.dispute.id, ''),
        follow(newId(), mine.access_token),
        follow('x', mine.access_token),
      ].map(refusal),
    );
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['INVALID_API_KEY']));
    expect(new Set(refusals.map(({ message }) => message)).size).toBe(1);
  });
});

describe('identical intakes', () => {
  const links = (credit_event_id: string) =>
    world.database.db.read(network).query(LINKS, [credit_event_id]);

  test('100 at once on one event: all are taken, one is the original', async () => {
    const credit_event_id = newId();
    const made = await Promise.all(Array.from({ length: 100 }, () => open({ credit_event_id })));
    expect(new Set(made.map((one) => one.id)).size).toBe(100);
    for (const one of made) expect(one).not.toHaveProperty('duplicate_of');
    const rows = await links(credit_event_id);
    expect(rows).toHaveLength(100);
    const originals = rows.filter((row) => row.duplicate_of === undefined);
    expect(originals).toHaveLength(1);
    const duplicates = rows.filter((row) => row.duplicate_of === originals[0]?.id);
    expect(duplicates).toHaveLength(99);
  });

  test('another reason, another event or none at all is not identical', async () => {
    const [credit_event_id, subject_id] = [newId(), newId()];
    await open({ credit_event_id });
    await open({ credit_event_id, reason: 'FRAUD' });
    const other = newId();
    await open({ credit_event_id: other });
    for (const id of [credit_event_id, other]) {
      expect((await links(id)).map((row) => row.duplicate_of)).not.toContainEqual(
        expect.anything(),
      );
    }
    await open({ subject_id });
    await expect(open({ subject_id })).resolves.toBeDefined();
  });

  test('belong to the group as long as any of it is open', async () => {
    const credit_event_id = newId();
    const first = await open({ credit_event_id });
    const second = await open({ credit_event_id });
    await move(first.id, 'REJECTED');
    await open({ credit_event_id });
    await move(second.id, 'RESOLVED_UPHELD', { apply_to_group: true });
    await open({ credit_event_id });
    const rows = await links(credit_event_id);
    expect(rows.map((row) => row.duplicate_of)).toEqual([undefined, first.id, first.id, undefined]);
  });
});

describe('listing', () => {
  test('an institution sees the disputes about its own reporting, the network sees all', async () => {
    const [north, south] = [newId(), newId()];
    const hers = await open({ reported_institution_id: north });
    const theirs = await open({ reported_institution_id: south });
    const nobodys = await open({ subject_id: newId() });
    expect(idsOf(await list(of(north)))).toEqual([hers.id]);
    expect(idsOf(await list(of(south)))).toEqual([theirs.id]);
    const all = idsOf(await list(network));
    expect(all.slice(0, 3)).toEqual([nobodys.id, theirs.id, hers.id]);
    const narrowed = await list(network, { reported_institution_id: south });
    expect(idsOf(narrowed)).toEqual([theirs.id]);
    await expect(list(of(north), { reported_institution_id: south })).rejects.toThrow(
      refused('reported_institution_id'),
    );
  });

  test('an administrator looks and decides for the network, whoever it belongs to', async () => {
    const north = newId();
    const { id } = await open({ reported_institution_id: newId() });
    const both = of(north, { actor: { type: 'user', id: newId(), administers: true } });
    expect(idsOf(await list(both))).toContain(id);
    await expect(list(of(north))).resolves.toMatchObject({ disputes: [] });
    for (const actor of [
      { type: 'user', id: newId() },
      { type: 'anonymous', id: '' },
    ] as const) {
      const nobody = systemContext('live', { actor });
      await expect(list(nobody)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
      const request = {
        dispute_id: id,
        status: 'UNDER_REVIEW' as const,
        account_ids: [],
        inquiry_ids: [],
      };
      await expect(stub.moveDispute(nobody, request)).rejects.toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
      });
      const member = of(north, { actor });
      await expect(stub.moveDispute(member, request)).rejects.toMatchObject({ reason: 'ROLE' });
    }
    await expect(
      stub.moveDispute(both, {
        dispute_id: id,
        status: 'UNDER_REVIEW',
        account_ids: [],
        inquiry_ids: [],
      }),
    ).resolves.toMatchObject({ dispute: { status: 'UNDER_REVIEW' } });
  });

  test('is filtered by status, overdue and text, and counted on all pages together', async () => {
    const north = newId();
    const early = await open({ reported_institution_id: north, opened_by: '100%_sure' });
    const resolved = await open({ reported_institution_id: north });
    world.clock.offset_ms = 10 * DAY_MS;
    const late = await open({
      reported_institution_id: north,
      description: 'A balance that was never Mine in the first place',
    });
    await move(resolved.id, 'RESOLVED_UPHELD');
    world.clock.offset_ms = 35 * DAY_MS;
    try {
      const listed = await list(of(north));
      const overdue = new Map(listed.disputes.map((one) => [one.id, one.overdue]));
      expect(overdue).toEqual(
        new Map([
          [late.id, false],
          [resolved.id, false],
          [early.id, true],
        ]),
      );
      expect(idsOf(await list(of(north), { overdue: true }))).toEqual([early.id]);
      expect(idsOf(await list(of(north), { overdue: false }))).toEqual([late.id, resolved.id]);
      const upheld = await list(of(north), { status: 'RESOLVED_UPHELD' });
      expect(idsOf(upheld)).toEqual([resolved.id]);
      expect(idsOf(await list(of(north), { q: 'mine in' }))).toEqual([late.id]);
      expect(idsOf(await list(of(north), { q: '100%_' }))).toEqual([early.id]);
      expect(idsOf(await list(of(north), { q: '1%sure' }))).toEqual([]);
      expect(await list(of(north), { overdue: false, limit: 1 })).toMatchObject({ total_count: 2 });
    } finally {
      world.clock.offset_ms = 0;
    }
  });

  test('is paged, newest first, and ends', async () => {
    const north = newId();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push((await open({ reported_institution_id: north })).id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(of(north), { limit: 2, cursor });
      expect(page.total_count).toBe(5);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(made.reverse());
    await expect(list(of(north), { cursor: 'nonsense' })).rejects.toThrow(refused('cursor'));
    const not_an_id = Buffer.from(JSON.stringify(['x'])).toString('base64url');
    await expect(list(of(north), { cursor: not_an_id })).rejects.toThrow(refused('cursor'));
    await expect(list(of(north), { limit: 101 })).rejects.toThrow(refused('limit'));
    await expect(list(of(north), { limit: -1 })).rejects.toThrow(refused('limit'));
  });
});
