import type { Dispute } from '@credit/proto/disputes/v1/disputes';
import { refusal } from '../../reporting/test/harness';
import { type Contested, move, open, Record } from './support/contested';
import { type DisputesProcess, type Point, startWorld, until, type World } from './support/world';

// Two services and several processes, on machines that do other things too.
jest.setTimeout(20_000);

let world: World;
let record: Record;
/** Does what others left behind, when it is told to look. */
let successor: DisputesProcess;

beforeAll(async () => {
  world = await startWorld();
  record = new Record(world);
  successor = await world.start();
}, 30_000);
afterAll(() => world.stop());

const statusOf = async (dispute: Dispute) => {
  const rows = await world.rows<{ status: string }>('SELECT status FROM disputes WHERE id = $1', [
    dispute.id,
  ]);
  return rows[0]?.status;
};

/** The lease of whoever has a dispute's move in hand ends, as it would by itself: it is succeeded. */
async function succeed(dispute: Dispute): Promise<void> {
  await world.rows('UPDATE dispute_moves SET lease_until = now() WHERE dispute_id = $1', [
    dispute.id,
  ]);
  await successor.work();
}

/** All that a dispute has done to its record and told of. */
const traces = async ({ account }: Contested, dispute: Dispute) => ({
  status: await statusOf(dispute),
  events: await record.typesOf(account),
  told: await record.kindsTold(dispute.id),
});

const REVIEWED = {
  status: 'UNDER_REVIEW',
  events: ['ACCOUNT_OPENED', 'PAYMENT_LATE', 'DISPUTE_OPENED'],
  told: ['dispute.opened', 'dispute_opened', 'dispute.reviewed'],
};
const CORRECTED = {
  status: 'RESOLVED_CORRECTED',
  events: [...REVIEWED.events, 'CORRECTION', 'DISPUTE_RESOLVED'],
  told: [...REVIEWED.told, 'dispute.resolved', 'dispute_resolved'],
};
const UPHELD = {
  status: 'RESOLVED_UPHELD',
  events: [...REVIEWED.events, 'DISPUTE_RESOLVED'],
  told: CORRECTED.told,
};

const KILLS: [string, { status: string }, Point[]][] = [
  [
    'a review',
    REVIEWED,
    [
      'before:locateRecords',
      'after:locateRecords',
      'after:LOCATE',
      'before:COUNT',
      'after:COUNT',
      'before:setNetworkReview',
      'after:setNetworkReview',
      'before:FINISH',
      'after:FINISH',
    ],
  ],
  [
    'a correction',
    CORRECTED,
    [
      'before:correctForDispute',
      'after:correctForDispute',
      'before:COUNT',
      'after:COUNT',
      'before:setNetworkReview',
      'after:setNetworkReview',
      'before:FINISH',
      'after:FINISH',
    ],
  ],
  [
    'an outcome that changes nothing',
    UPHELD,
    ['before:COUNT', 'after:COUNT', 'after:setNetworkReview', 'before:FINISH', 'after:FINISH'],
  ],
];

describe.each(KILLS)('a process that dies during %s', (_name, expected, points) => {
  test.each(points)('%s: another completes it, once', async (point) => {
    const contested = await record.contested();
    const mortal = await world.start();
    const dispute = await open(mortal.disputes, { credit_event_id: contested.event.id });
    if (expected.status !== 'UNDER_REVIEW') await move(mortal.disputes, dispute.id, 'UNDER_REVIEW');
    const died = mortal.dieAt(point);
    const answer = move(mortal.disputes, dispute.id, expected.status as 'UNDER_REVIEW');
    const answered = answer.catch(() => undefined);
    await died;
    await succeed(dispute);
    expect(await traces(contested, dispute)).toEqual(expected);
    // It was only thought dead: what it still does has no second effect.
    mortal.revive();
    await answered;
    expect(await traces(contested, dispute)).toEqual(expected);
    await mortal.stop();
  });
});

describe('a decision that cannot be carried out now', () => {
  test('is answered so, is completed when reporting is back, and is then over', async () => {
    const contested = await record.contested();
    const apart = await world.start({ reporting_address: '127.0.0.1:9' });
    const dispute = await open(apart.disputes, { credit_event_id: contested.event.id });
    const away = refusal(move(apart.disputes, dispute.id, 'UNDER_REVIEW'));
    expect(await away).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('stored'),
    });
    // Another decision has to wait for it.
    const pending = await world.rows('SELECT FROM dispute_moves WHERE dispute_id = $1', [
      dispute.id,
    ]);
    expect(pending).toHaveLength(1);
    await until(
      () => successor.work().then(() => statusOf(dispute)),
      (status) => status === 'UNDER_REVIEW',
    );
    expect(await traces(contested, dispute)).toEqual(REVIEWED);
    await apart.stop();
  });

  test('is driven on by who repeats it, and stands in the way of any other', async () => {
    const contested = await record.contested();
    const [idle, second] = [await world.start(), await world.start()];
    const dispute = await open(idle.disputes, { credit_event_id: contested.event.id });
    const died = idle.dieAt('before:COUNT');
    const first = move(idle.disputes, dispute.id, 'UNDER_REVIEW');
    await died;
    expect(await refusal(move(second.disputes, dispute.id, 'REJECTED'))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
    // It is the first one's for long: whoever repeats it waits, and hears the same.
    const repeated = [1, 2].map(() => move(second.disputes, dispute.id, 'UNDER_REVIEW'));
    await until(
      async () => second.committed.length,
      (length) => length === 2,
    );
    idle.revive();
    const answers = await Promise.all([first, ...repeated]);
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map(() => 'DISPUTE_STATUS_UNDER_REVIEW'),
    );
    expect(await traces(contested, dispute)).toEqual(REVIEWED);
    expect(await refusal(move(second.disputes, dispute.id, 'UNDER_REVIEW'))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
  });

  test('made by ten at once is made once', async () => {
    const contested = await record.contested();
    const dispute = await open(successor.disputes, { credit_event_id: contested.event.id });
    await move(successor.disputes, dispute.id, 'UNDER_REVIEW');
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        move(successor.disputes, dispute.id, index % 2 === 0 ? 'RESOLVED_CORRECTED' : 'REJECTED'),
      ),
    );
    const won = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []));
    expect(new Set(won).size).toBe(1);
    const status = await statusOf(dispute);
    expect(won[0]).toBe(`DISPUTE_STATUS_${status}`);
    const found = await traces(contested, dispute);
    expect(found).toEqual(status === 'REJECTED' ? { ...UPHELD, status } : { ...CORRECTED, status });
  });
});

test('a call that came late has no second effect on a review that has ended', async () => {
  const contested = await record.contested();
  const slow = await world.start();
  const dispute = await open(slow.disputes, { credit_event_id: contested.event.id });
  const died = slow.dieAt('before:setNetworkReview');
  const answered = move(slow.disputes, dispute.id, 'UNDER_REVIEW').catch(() => undefined);
  await died;
  await succeed(dispute);
  await move(successor.disputes, dispute.id, 'RESOLVED_UPHELD');
  slow.revive();
  await answered;
  expect(await traces(contested, dispute)).toEqual(UPHELD);
  expect(await record.statusOf(contested.account)).toBe('PAST_DUE');
});
