// What the version before left in the tables, brought up to today's schema and carried on.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { hashSecret, newDisputeToken } from '@credit/platform/credentials';
import { migrate } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import { keyed } from '../../reporting/test/harness';
import { administrator, type Contested, lender, move, Record } from './support/contested';
import { type DisputesProcess, startWorld, type World } from './support/world';

jest.setTimeout(30_000);

const MIGRATIONS = path.join(__dirname, '../migrations');
const BEFORE = ['0001_disputes.sql', '0002_resolutions.sql'];
const folder = mkdtempSync(path.join(tmpdir(), 'disputes-before-'));
const anonymous = systemContext('live', { actor: { type: 'anonymous', id: '' } });

let world: World;
let service: DisputesProcess;
let record: Record;

interface OldDispute {
  readonly id: string;
  readonly token: string;
}
const places = {} as { [name in 'shared' | 'ending' | 'beginning' | 'done']: Contested };
const old: { [name: string]: OldDispute } = {};

async function insert(
  name: string,
  { account, event }: Contested,
  status: string,
  fields: { of?: string; resolution?: string } = {},
): Promise<void> {
  const [id, token] = [newId(), newDisputeToken()];
  old[name] = { id, token };
  const duplicate_of = fields.of === undefined ? null : old[fields.of]?.id;
  await world.rows(
    `INSERT INTO disputes (id, status, credit_event_id, opened_by, reason, description,
       evidence_links, duplicate_of, resolution, opened_at, due_at, resolved_at,
       access_token_sha256, located_at, located_subject_id, account_id)
     VALUES ($1, $2, $3, $4, 'OTHER', 'As the version before kept it.', '{}', $5, $6, now(),
       now() + interval '30 days', CASE WHEN $6::text IS NULL THEN NULL ELSE now() END, $7, now(),
       $8, $9)`,
    [
      id,
      status,
      event.id,
      name,
      duplicate_of,
      fields.resolution ?? null,
      hashSecret(token),
      account.subject_id,
      account.id,
    ],
  );
  await world.rows('INSERT INTO dispute_institutions VALUES ($1, $2)', [lender.institution_id, id]);
}

async function review({ account }: Contested, open_reviews: number, stands: boolean) {
  if (stands) {
    await world.reporting.reporting.setNetworkReview(
      keyed({ ...administrator, institution_id: '' }),
      { account_id: account.id, under_review: true, change_id: newId() },
    );
  }
  await world.rows('INSERT INTO account_reviews VALUES ($1, $2, $3, $4)', [
    account.id,
    open_reviews,
    stands ? 1 : 0,
    newId(),
  ]);
}

const pending = (name: string, status: string, step: string) =>
  world.rows(
    `INSERT INTO dispute_moves (id, dispute_id, status, resolution, actor_type, actor_id,
       client_address, request_id, step, next_attempt_at)
     VALUES ($1, $2, $3, $4, 'user', $5, '', '', $6, now())`,
    [newId(), old[name]?.id, status, status === 'UNDER_REVIEW' ? null : 'Verified.', newId(), step],
  );

beforeAll(async () => {
  for (const file of BEFORE) cpSync(path.join(MIGRATIONS, file), path.join(folder, file));
  world = await startWorld(folder);
  record = new Record(world);
  for (const name of ['shared', 'ending', 'beginning', 'done'] as const) {
    places[name] = await record.contested();
  }
  // A review of two, and a third that came later.
  await insert('original', places.shared, 'UNDER_REVIEW');
  await insert('repeated', places.shared, 'UNDER_REVIEW', { of: 'original' });
  await insert('late', places.shared, 'OPEN', { of: 'original' });
  await review(places.shared, 1, true);
  // An outcome of two that had counted the end of their one review.
  await insert('upheld', places.ending, 'UNDER_REVIEW');
  await insert('upheld too', places.ending, 'UNDER_REVIEW', { of: 'upheld' });
  await review(places.ending, 0, true);
  await pending('upheld', 'RESOLVED_UPHELD', 'SETTLE');
  // A review that was to be counted.
  await insert('reviewed', places.beginning, 'OPEN');
  await pending('reviewed', 'UNDER_REVIEW', 'COUNT');
  // An outcome that two share.
  const resolution = 'Ada was in hospital.';
  await insert('told', places.done, 'RESOLVED_UPHELD', { resolution });
  await insert('stranger', places.done, 'RESOLVED_UPHELD', { of: 'told', resolution });

  for (const url of [world.database.urls.live, world.database.urls.test]) {
    expect(await migrate(url, MIGRATIONS)).toEqual(
      expect.arrayContaining(['0003_groups_and_reviews.sql']),
    );
  }
  service = await world.start();
  await service.work();
  await service.work();
}, 60_000);
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true });
});

const statusOf = async (...names: string[]) => {
  const rows = await world.rows<{ id: string; status: string }>('SELECT id, status FROM disputes');
  return names.map((name) => rows.find(({ id }) => id === old[name]?.id)?.status);
};
const idOf = (name: string) => old[name]?.id ?? '';

test('each dispute under review holds its account by itself', async () => {
  const { account } = places.shared;
  await move(service.disputes, idOf('original'), 'REJECTED');
  expect(await statusOf('original', 'repeated', 'late')).toEqual([
    'REJECTED',
    'UNDER_REVIEW',
    'OPEN',
  ]);
  expect(await record.statusOf(account)).toBe('DISPUTED');
  await move(service.disputes, idOf('repeated'), 'REJECTED');
  expect(await record.statusOf(account)).toBe('PAST_DUE');
});

test('a decision on its way ends as it was meant: for all of them', async () => {
  expect(await statusOf('upheld', 'upheld too')).toEqual(['RESOLVED_UPHELD', 'RESOLVED_UPHELD']);
  expect(await record.statusOf(places.ending.account)).toBe('PAST_DUE');
});

test('a review on its way begins, and ends with its dispute', async () => {
  const { account } = places.beginning;
  expect(await statusOf('reviewed')).toEqual(['UNDER_REVIEW']);
  expect(await record.statusOf(account)).toBe('DISPUTED');
  await move(service.disputes, idOf('reviewed'), 'RESOLVED_UPHELD');
  expect(await record.statusOf(account)).toBe('PAST_DUE');
});

test('whoever repeated a dispute reads that one’s words no longer', async () => {
  const read = async (name: string) => {
    const { id: dispute_id, token: access_token } = old[name] as OldDispute;
    return (await service.disputes.getOpenedDispute(anonymous, { dispute_id, access_token }))
      .dispute;
  };
  expect((await read('told'))?.resolution).toBe('Ada was in hospital.');
  expect(await read('stranger')).toMatchObject({ status: 'RESOLVED_UPHELD' });
  expect((await read('stranger'))?.resolution).toBeUndefined();
});

test('what is open is told of once more, and as news only where it was kept back', async () => {
  const told = (await world.told()).flatMap(({ payload }) =>
    payload?.$case === 'dispute_opened' ? [payload.value] : [],
  );
  const news = (name: string) =>
    told.filter(({ dispute_id }) => dispute_id === idOf(name)).map((one) => one.told_before);
  expect(news('original')).toEqual([true]);
  expect(news('repeated')).toEqual([false]);
  expect(news('late')).toEqual([false]);
  expect(news('told')).toEqual([]);
});

test('a review that a process of the version before began ends too', async () => {
  const contested = await record.contested();
  await insert('meanwhile', contested, 'UNDER_REVIEW');
  await review(contested, 1, true);
  expect(await record.statusOf(contested.account)).toBe('DISPUTED');
  await move(service.disputes, idOf('meanwhile'), 'REJECTED');
  expect(await record.statusOf(contested.account)).toBe('PAST_DUE');
});
