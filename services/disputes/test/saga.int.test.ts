import { newId } from '@credit/platform/runtime';
import type { Dispute } from '@credit/proto/disputes/v1/disputes';
import { Purpose } from '@credit/proto/reporting/v1/types';
import { accountOf, institution, keyed, newAccount, refusal } from '../../reporting/test/harness';
import { type Contested, lender, move, open, Record } from './support/contested';
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

interface Scene {
  readonly dispute: Dispute;
  /** All that was done and told, as one value. */
  traces(): Promise<unknown>;
}
type Play = (mortal: DisputesProcess) => Promise<Scene>;

const outcomes = async (ids: readonly string[]) =>
  world.rows<{ status: string; pending_move_id: string | null }>(
    'SELECT status, pending_move_id FROM disputes WHERE id = ANY ($1::uuid[]) ORDER BY id',
    [ids],
  );

/** Two accounts of a subject, contested as a whole. */
const whole: Play = async (mortal) => {
  const { account } = await record.contested();
  const second = await newAccount(world.reporting.reporting, lender, {
    subject_id: account.subject_id,
  });
  const dispute = await open(mortal.disputes, {
    subject_id: account.subject_id,
    reported_institution_id: lender.institution_id,
    reason: 'FRAUD',
  });
  return {
    dispute,
    traces: async () => ({
      status: await statusOf(dispute),
      events: [await record.typesOf(account), await record.typesOf(second)],
      told: await record.kindsTold(dispute.id),
      reviews: await world.rows(
        `SELECT open_reviews FROM account_reviews WHERE account_id = ANY ($1::uuid[])`,
        [[account.id, second.id]],
      ),
    }),
  };
};

/** Three disputes about one event, of which two are under review. */
const group: Play = async (mortal) => {
  const { account, event } = await record.contested();
  const opened: Dispute[] = [];
  for (let index = 0; index < 3; index += 1) {
    opened.push(await open(mortal.disputes, { credit_event_id: event.id }));
  }
  const [dispute, second, third] = opened as [Dispute, Dispute, Dispute];
  for (const { id } of [second, third]) await move(mortal.disputes, id, 'UNDER_REVIEW');
  const told = async ({ id }: Dispute) =>
    (await record.kindsTold(id)).filter((kind) => kind.includes('resolved'));
  return {
    dispute,
    traces: async () => ({
      outcomes: await outcomes(opened.map(({ id }) => id)),
      events: await record.typesOf(account),
      told: await Promise.all(opened.map(told)),
    }),
  };
};

/** An inquiry that nobody authorised. */
const inquiry: Play = async (mortal) => {
  const curious = institution();
  const { subject_id } = await newAccount(world.reporting.reporting, lender);
  await world.reporting.reporting.recordInquiry(curious, {
    inquiry_id: newId(),
    subject_id,
    purpose: Purpose.NEW_CREDIT_APPLICATION,
  });
  const dispute = await open(mortal.disputes, {
    subject_id,
    reported_institution_id: curious.institution_id,
    reason: 'UNAUTHORISED_INQUIRY',
  });
  return {
    dispute,
    traces: async () => {
      const file = await world.reporting.reporting.getSubjectFile(lender, { subject_id });
      return {
        status: await statusOf(dispute),
        version: file.subject_version,
        voided: file.inquiries.map(({ voided_at }) => voided_at !== undefined),
        told: await record.kindsTold(dispute.id),
      };
    },
  };
};

/** Where ids say it all, it is told in the intake's own transaction. */
const AT_ONCE = ['dispute_opened', 'dispute.opened'];
const SUSPENDED = ['ACCOUNT_OPENED', 'DISPUTE_OPENED'];
const ENDED = [...SUSPENDED, 'DISPUTE_RESOLVED'];
const LATE = (types: readonly string[]) => types.toSpliced(1, 0, 'PAYMENT_LATE');
const COUNTING: Point[] = [
  'before:COUNT',
  'after:COUNT',
  'before:setNetworkReview',
  'after:setNetworkReview',
  'before:FINISH',
  'after:FINISH',
];
const ENDED_ONCE = [{ pending_move_id: null, status: 'RESOLVED_CORRECTED' }];

const SCENES: [string, Play, boolean, DisputeOutcome, unknown, Point[]][] = [
  [
    'a review of all that a dispute covers',
    whole,
    false,
    { status: 'UNDER_REVIEW' },
    {
      status: 'UNDER_REVIEW',
      events: [LATE(SUSPENDED), SUSPENDED],
      told: [...AT_ONCE, 'dispute.reviewed'],
      reviews: [{ open_reviews: 1 }, { open_reviews: 1 }],
    },
    ['before:listContestedAccounts', 'after:listContestedAccounts', ...COUNTING],
  ],
  [
    'the end of such a review',
    whole,
    true,
    { status: 'RESOLVED_UPHELD' },
    {
      status: 'RESOLVED_UPHELD',
      events: [LATE(ENDED), ENDED],
      told: [...AT_ONCE, 'dispute.reviewed', 'dispute.resolved', 'dispute_resolved'],
      reviews: [{ open_reviews: 0 }, { open_reviews: 0 }],
    },
    COUNTING,
  ],
  [
    'an outcome for a group',
    group,
    false,
    { status: 'RESOLVED_CORRECTED', apply_to_group: true },
    {
      outcomes: [...ENDED_ONCE, ...ENDED_ONCE, ...ENDED_ONCE],
      events: CORRECTED.events,
      told: Array.from({ length: 3 }, () => ['dispute.resolved', 'dispute_resolved']),
    },
    ['before:correctForDispute', 'after:correctForDispute', ...COUNTING],
  ],
  [
    'the voiding of an inquiry',
    inquiry,
    false,
    { status: 'RESOLVED_CORRECTED' },
    {
      status: 'RESOLVED_CORRECTED',
      version: 3,
      voided: [true],
      told: [...AT_ONCE, 'dispute.resolved', 'dispute_resolved'],
    },
    ['before:voidInquiries', 'after:voidInquiries', 'before:FINISH', 'after:FINISH'],
  ],
];

interface DisputeOutcome {
  readonly status: 'UNDER_REVIEW' | 'RESOLVED_UPHELD' | 'RESOLVED_CORRECTED';
  readonly apply_to_group?: boolean;
}

describe.each(SCENES)(
  'a process that dies during %s',
  (_name, play, is_reviewed, decision, expected, points) => {
    test.each(points)('%s: another completes it, once', async (point) => {
      const mortal = await world.start();
      const { dispute, traces: seen } = await play(mortal);
      if (is_reviewed) await move(mortal.disputes, dispute.id, 'UNDER_REVIEW');
      const died = mortal.dieAt(point);
      const { status, ...fields } = decision;
      const answered = move(mortal.disputes, dispute.id, status, fields).catch(() => undefined);
      await died;
      await succeed(dispute);
      expect(await seen()).toEqual(expected);
      mortal.revive();
      await answered;
      expect(await seen()).toEqual(expected);
      await mortal.stop();
    });
  },
);

test('a dispute that covers hundreds of accounts suspends them all, and no more than once', async () => {
  const first = await newAccount(world.reporting.reporting, lender);
  const { subject_id } = first;
  for (let batch = 0; batch < 3; batch += 1) {
    const accounts = Array.from({ length: 100 }, () => accountOf(subject_id));
    await world.reporting.reporting.createAccounts(keyed(lender), { accounts });
  }
  const dispute = await open(successor.disputes, {
    subject_id,
    reported_institution_id: lender.institution_id,
    reason: 'FRAUD',
  });
  const standing = async () => {
    const file = await world.reporting.reporting.getSubjectFile(lender, { subject_id });
    return [file.accounts.length, file.accounts.filter(({ disputed }) => disputed).length];
  };
  await move(successor.disputes, dispute.id, 'UNDER_REVIEW');
  expect(await standing()).toEqual([301, 301]);
  await move(successor.disputes, dispute.id, 'REJECTED');
  expect(await standing()).toEqual([301, 0]);
}, 60_000);

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
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'UNDER_REVIEW'));
    expect(await traces(contested, dispute)).toEqual(REVIEWED);
    expect(await refusal(move(second.disputes, dispute.id, 'UNDER_REVIEW'))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
    });
  });

  test('goes on when the database is back, however long the lease of who could not go on', async () => {
    const contested = await record.contested();
    const [cut_off, second] = [await world.start(), await world.start()];
    const dispute = await open(cut_off.disputes, { credit_event_id: contested.event.id });
    const died = cut_off.dieAt('before:COUNT');
    const first = refusal(move(cut_off.disputes, dispute.id, 'UNDER_REVIEW'));
    await died;
    await world.rows('ALTER TABLE dispute_moves RENAME TO moves_away');
    cut_off.revive();
    expect(await first).toMatchObject({ code: 'INTERNAL_ERROR' });
    await world.rows('ALTER TABLE moves_away RENAME TO dispute_moves');
    const { status } = await move(second.disputes, dispute.id, 'UNDER_REVIEW');
    expect(status).toBe('UNDER_REVIEW');
    expect(await traces(contested, dispute)).toEqual(REVIEWED);
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
    expect(won[0]).toBe(status);
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
