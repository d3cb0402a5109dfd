import { setTimeout as sleep } from 'node:timers/promises';
import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type { Dispute, OpenDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import pg from 'pg';
import { refusal } from '../../reporting/test/harness';
import { administrator, lender, move, open, Record } from './support/contested';
import { type Disputes, type DisputesProcess, startWorld, type World } from './support/world';

// Two services and several processes, on machines that do other things too.
jest.setTimeout(30_000);

let world: World;
let service: DisputesProcess;
let disputes: Disputes;
let record: Record;

beforeAll(async () => {
  world = await startWorld();
  service = await world.start();
  ({ disputes } = service);
  record = new Record(world);
}, 30_000);
afterAll(() => world.stop());

const CONFLICT = { code: 'INVALID_STATE_TRANSITION' };
const anonymous = systemContext('live', { actor: { type: 'anonymous', id: '' } });

/** As many intakes about one event, one after the other. */
async function repeated(credit_event_id: string, count: number): Promise<Dispute[]> {
  const opened = [];
  for (let index = 0; index < count; index += 1) {
    opened.push(await open(disputes, { credit_event_id, opened_by: `opener ${index}` }));
  }
  return opened;
}

async function shown(ctx: CallContext, wanted: readonly Dispute[]): Promise<Dispute[]> {
  const { disputes: found } = await disputes.listDisputes(ctx, { limit: 100 });
  return wanted.map(({ id }) => {
    const one = found.find((dispute) => dispute.id === id);
    if (one === undefined) throw new Error(`${id} is not listed.`);
    return one;
  });
}
const statusesOf = async (wanted: readonly Dispute[]) =>
  (await shown(administrator, wanted)).map(({ status }) => status);

describe('disputes of one event and reason', () => {
  test('are a group for the desk, and for nobody else', async () => {
    const { event } = await record.contested();
    const opened = await repeated(event.id, 3);
    const [first] = opened;
    for (const one of opened)
      expect([one.group_id, one.group_size]).toEqual([undefined, undefined]);
    for (const one of await shown(lender, opened)) {
      expect([one.group_id, one.group_size]).toEqual([undefined, undefined]);
    }
    const other = await open(disputes, {
      credit_event_id: event.id,
      reason: 'FRAUD',
    });
    const groups = async () =>
      (await shown(administrator, [...opened, other])).map((one) => [one.group_id, one.group_size]);
    expect(await groups()).toEqual([
      [first?.id, 3],
      [first?.id, 3],
      [first?.id, 3],
      [other.id, 1],
    ]);
    const rejected = await move(disputes, first?.id ?? '', 'REJECTED');
    expect([rejected.group_id, rejected.group_size]).toEqual([first?.id, 2]);
    expect((await groups())[1]).toEqual([first?.id, 2]);
  });

  test('are decided one by one: a rejection never spreads', async () => {
    const { account, event } = await record.contested();
    const [rubbish, borrowers, late] = (await repeated(event.id, 3)) as [Dispute, Dispute, Dispute];
    await move(disputes, borrowers.id, 'UNDER_REVIEW');
    await move(disputes, rubbish.id, 'REJECTED');
    const all = [rubbish, borrowers, late];
    expect(await statusesOf(all)).toEqual(['REJECTED', 'UNDER_REVIEW', 'OPEN']);
    expect(await record.statusOf(account)).toBe('DISPUTED');
    expect(
      await refusal(move(disputes, borrowers.id, 'REJECTED', { apply_to_group: true })),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['apply_to_group'] });
    const corrected = await move(disputes, borrowers.id, 'RESOLVED_CORRECTED');
    expect(corrected.correction_event_id).toBeDefined();
    expect(await statusesOf(all)).toEqual(['REJECTED', 'RESOLVED_CORRECTED', 'OPEN']);
    expect(await record.statusOf(account)).toBe('CURRENT');
    // Each was told of, with its own outcome.
    await shown(lender, all);
    for (const [dispute, kinds] of [
      [rubbish, ['dispute_opened', 'dispute_resolved']],
      [borrowers, ['dispute_opened', 'dispute_resolved']],
      [late, ['dispute_opened']],
    ] as const) {
      expect((await record.kindsTold(dispute.id)).filter((kind) => kind.includes('_'))).toEqual(
        kinds,
      );
    }
    // What is left is about a fact that is gone already: the same correction answers it.
    const again = await move(disputes, late.id, 'RESOLVED_CORRECTED');
    expect(again).toMatchObject({
      correction_event_id: corrected.correction_event_id,
      correction_pending: false,
    });
    expect((await record.typesOf(account)).filter((type) => type === 'CORRECTION')).toHaveLength(1);
  });

  test.each(['RESOLVED_CORRECTED', 'RESOLVED_UPHELD'] as const)(
    'are all %s when the administrator says so, and their reviews end',
    async (outcome) => {
      const { account, event } = await record.contested();
      const opened = (await repeated(event.id, 4)) as [Dispute, Dispute, Dispute, Dispute];
      const [first, second, third, fourth] = opened;
      await move(disputes, first.id, 'UNDER_REVIEW');
      await move(disputes, second.id, 'UNDER_REVIEW');
      await move(disputes, fourth.id, 'REJECTED');
      const decided = await move(disputes, third.id, outcome, { apply_to_group: true });
      expect(decided).toMatchObject({ id: third.id, group_size: 0 });
      expect(await statusesOf(opened)).toEqual([outcome, outcome, outcome, 'REJECTED']);
      expect(await record.statusOf(account)).not.toBe('DISPUTED');
      const [one] = await shown(administrator, [first]);
      expect(one).toMatchObject({
        correction_event_id: decided.correction_event_id,
        resolution: decided.resolution,
      });
      expect(
        await world.rows('SELECT open_reviews FROM account_reviews WHERE account_id = $1', [
          account.id,
        ]),
      ).toEqual([{ open_reviews: 0 }]);
      for (const { id } of [first, second, third]) {
        expect((await record.told(id)).at(-1)?.value).toMatchObject({
          status: outcome,
          institution_ids: [lender.institution_id],
          group_id: first.id,
        });
        expect(await refusal(move(disputes, id, 'REJECTED'))).toMatchObject(CONFLICT);
      }
    },
  );

  test('are left as they were when the decision is refused', async () => {
    const opened = await repeated(newId(), 3);
    const decided = move(disputes, opened[1]?.id ?? '', 'RESOLVED_CORRECTED', {
      apply_to_group: true,
    });
    expect(await refusal(decided)).toMatchObject(CONFLICT);
    expect(await statusesOf(opened)).toEqual(['OPEN', 'OPEN', 'OPEN']);
    for (const { id } of opened) await move(disputes, id, 'REJECTED');
    expect(await statusesOf(opened)).toEqual(['REJECTED', 'REJECTED', 'REJECTED']);
  });

  test('are on their way with the decision about the group, and on no other', async () => {
    const { event } = await record.contested();
    const [first, second, third] = (await repeated(event.id, 3)) as [Dispute, Dispute, Dispute];
    const slow = await world.start();
    const died = slow.dieAt('before:FINISH');
    const decision = { apply_to_group: true, resolution: 'The ledger is right.' };
    const decided = move(slow.disputes, first.id, 'RESOLVED_UPHELD', decision);
    await died;
    expect(await refusal(move(disputes, second.id, 'REJECTED'))).toMatchObject(CONFLICT);
    // What comes in meanwhile is not decided with them.
    const late = await open(disputes, { credit_event_id: event.id });
    slow.revive();
    await decided;
    const all = [first, second, third, late];
    const upheld = 'RESOLVED_UPHELD';
    expect(await statusesOf(all)).toEqual([upheld, upheld, upheld, 'OPEN']);
    await slow.stop();
  });

  test('are all decided though some are being located at that moment', async () => {
    const { event } = await record.contested();
    const opened = await repeated(event.id, 4);
    const client = new pg.Client({ connectionString: world.database.urls.live });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM disputes WHERE id = $1 FOR UPDATE', [opened[2]?.id]);
    const decided = move(disputes, opened[3]?.id ?? '', 'RESOLVED_UPHELD', {
      apply_to_group: true,
    });
    await sleep(100);
    await client.query('COMMIT');
    await client.end();
    await decided;
    for (const status of await statusesOf(opened)) expect(status).toBe('RESOLVED_UPHELD');
  });

  test('decided by several at once have one outcome each', async () => {
    const { account, event } = await record.contested();
    const opened = await repeated(event.id, 12);
    await Promise.all(opened.slice(0, 6).map(({ id }) => move(disputes, id, 'UNDER_REVIEW')));
    const answers = await Promise.allSettled(
      opened.map(({ id }, index) =>
        move(disputes, id, index % 2 === 0 ? 'RESOLVED_CORRECTED' : 'RESOLVED_UPHELD', {
          apply_to_group: index % 3 === 0,
        }),
      ),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(CONFLICT);
    }
    for (const status of await statusesOf(opened)) expect(status).toMatch(/^RESOLVED_/);
    for (const { id } of opened) {
      const kinds = await record.kindsTold(id);
      expect(kinds.filter((kind) => kind === 'dispute_resolved')).toHaveLength(1);
    }
    expect(await record.statusOf(account)).not.toBe('DISPUTED');
    expect(
      await world.rows('SELECT open_reviews FROM account_reviews WHERE account_id = $1', [
        account.id,
      ]),
    ).toEqual([{ open_reviews: 0 }]);
    const corrections = (await record.typesOf(account)).filter((type) => type === 'CORRECTION');
    expect(corrections.length).toBeLessThanOrEqual(1);
  });

  test('a thousand of them are decided at once, and counted no further', async () => {
    const { event } = await record.contested();
    const first = await open(disputes, { credit_event_id: event.id });
    await world.rows(
      `INSERT INTO disputes (id, credit_event_id, opened_by, reason, description, evidence_links,
         duplicate_of, opened_at, due_at)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, credit_event_id, opened_by, reason, description, evidence_links,
         id, opened_at, due_at FROM disputes, generate_series(1, 1100) AS n WHERE id = $1`,
      [first.id],
    );
    const [listed] = await shown(administrator, [first]);
    expect(listed?.group_size).toBe(1_000);
    await move(disputes, first.id, 'RESOLVED_UPHELD', { apply_to_group: true });
    const counts = await world.rows(
      `SELECT status, count(*)::integer AS count FROM disputes
       WHERE id = $1 OR duplicate_of = $1 GROUP BY status ORDER BY status`,
      [first.id],
    );
    expect(counts).toEqual([
      { status: 'OPEN', count: 101 },
      { status: 'RESOLVED_UPHELD', count: 1_000 },
    ]);
    const told = (await world.told()).filter(
      ({ payload }) => payload?.$case === 'dispute_resolved' && payload.value.group_id === first.id,
    );
    expect(told).toHaveLength(1_000);
    // Nothing of it is left for other tests to look through.
    await world.rows(
      `UPDATE disputes SET status = 'REJECTED', located_at = coalesce(located_at, now())
       WHERE duplicate_of = $1`,
      [first.id],
    );
  });
});

describe('what the opener of a repetition reads', () => {
  async function opened(fields: Partial<OpenDisputeRequest>) {
    const { access_token, dispute } = await disputes.openDispute(anonymous, {
      opened_by: 'stonecutter',
      reason: 'PAYMENT_REPORTED_LATE',
      description: 'The payment of 24 February was on time.',
      evidence_links: [],
      ...fields,
    });
    const dispute_id = dispute?.id ?? '';
    const read = async () =>
      (await disputes.getOpenedDispute(anonymous, { dispute_id, access_token })).dispute;
    return { id: dispute_id, read };
  }
  const SECRET = 'The bank says that Ada was in hospital and paid on the 24th.';

  test('is the outcome, and not what was written to somebody else', async () => {
    const { event } = await record.contested();
    const credit_event_id = event.id;
    const own = await opened({ credit_event_id, opened_by: 'Ada <ada@example.org>' });
    const again = await opened({ credit_event_id, opened_by: 'ADA@example.org' });
    const stranger = await opened({ credit_event_id, opened_by: 'bob@example.org' });
    const namesake = await opened({ credit_event_id, opened_by: 'Ada' });
    await move(disputes, own.id, 'UNDER_REVIEW');
    // Nobody else's dispute shows that there is one under review.
    expect((await stranger.read())?.status).toBe('OPEN');
    const decision = { resolution: SECRET, apply_to_group: true };
    await move(disputes, own.id, 'RESOLVED_UPHELD', decision);
    const status = 'RESOLVED_UPHELD';
    for (const one of [own, again]) {
      expect(await one.read()).toMatchObject({ status, resolution: SECRET });
    }
    for (const one of [stranger, namesake]) {
      const read = await one.read();
      expect(read).toMatchObject({ id: one.id, status });
      expect(read?.resolved_at).toBeDefined();
      expect(JSON.stringify(read)).not.toContain('hospital');
      expect(JSON.stringify(read)).not.toContain(own.id);
    }
  });

  test('is nothing at all of a decision that was not about it', async () => {
    const { event } = await record.contested();
    const own = await opened({ credit_event_id: event.id });
    const stranger = await opened({ credit_event_id: event.id });
    await move(disputes, own.id, 'RESOLVED_UPHELD', { resolution: SECRET });
    expect(await stranger.read()).toMatchObject({ status: 'OPEN' });
    expect((await stranger.read())?.resolution).toBeUndefined();
  });
});

describe('a fact that is certified and reported again', () => {
  const reinserted = (dispute_id: string, certification: string, day: number) => ({
    id: newId(),
    environment: 'live',
    created_at: `2026-03-0${day}T12:00:00.000Z`,
    request_id: 'certified-there',
    traceparent: '',
    payload: {
      $case: 'fact_reinserted' as const,
      value: {
        dispute_id,
        subject_id: newId(),
        account_id: newId(),
        institution_id: lender.institution_id,
        credit_event_id: newId(),
        certification,
        reported_at: `2026-03-0${day}T12:00:00.000Z`,
      },
    },
  });

  test('is shown to the opener and the desk, and logged', async () => {
    const { event } = await record.contested();
    const { access_token, dispute } = await disputes.openDispute(anonymous, {
      credit_event_id: event.id,
      opened_by: 'stonecutter',
      reason: 'PAYMENT_REPORTED_LATE',
      description: 'The payment of 24 February was on time.',
      evidence_links: [],
    });
    const id = dispute?.id ?? '';
    const repetition = await open(disputes, { credit_event_id: event.id });
    await move(disputes, id, 'RESOLVED_CORRECTED', { apply_to_group: true });
    const [early, late] = [
      reinserted(id, 'The ledger was read again.', 1),
      reinserted(id, 'And the court has the deed.', 2),
    ];
    await service.take(late, early);
    // The latest, in whatever order they come; with all that had the outcome.
    const reinsertion = {
      credit_event_id: late.payload.value.credit_event_id,
      certification: 'And the court has the deed.',
      at: '2026-03-02T12:00:00.000Z',
    };
    const ours = [{ id }, repetition] as Dispute[];
    for (const one of await shown(administrator, ours)) expect(one).toMatchObject({ reinsertion });
    for (const one of await shown(lender, ours)) expect(one.reinsertion).toBeUndefined();
    const read = await disputes.getOpenedDispute(anonymous, { dispute_id: id, access_token });
    expect(read.dispute).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      reinsertion,
    });
    for (const log of ['', lender.institution_id]) {
      const logged = (await record.told(id, log)).flatMap((payload) =>
        payload?.$case === 'audit_recorded' && payload.value.action === 'dispute.reinserted'
          ? [JSON.parse(payload.value.changes_json).certification]
          : [],
      );
      expect(logged).toEqual(['And the court has the deed.', 'The ledger was read again.']);
    }
  });

  test('of no dispute is left for an operator', async () => {
    await expect(service.take(reinserted(newId(), 'The ledger was read.', 1))).rejects.toThrow(
      'no row',
    );
  });
});
