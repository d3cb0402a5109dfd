import type { CallContext } from '@credit/platform/context';
import { toTimestamp } from '@credit/platform/runtime';
import pg from 'pg';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();

interface Wanted {
  readonly updated_since: string;
  readonly subject_id?: string;
  readonly limit?: number;
}

/** All pages of a walk, and what the next one begins with. */
async function walk(ctx: CallContext, wanted: Wanted) {
  const ids: string[] = [];
  const begins = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    const page = await harness.reporting.listAccounts(ctx, { limit: 2, ...wanted, cursor });
    ids.push(...page.accounts.map(({ id }) => id));
    begins.add(page.next_updated_since);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const [next, ...others] = begins;
  expect(others).toEqual([]);
  if (next === undefined) throw new Error('A walk does not say where the next one begins.');
  return { ids, next };
}

const ALL = '2000-01-01T00:00:00.000Z';

test('accounts come in the order of their latest change, page by page, from a time on', async () => {
  const [lender, other] = [institution(), institution()];
  const subject = await newSubject(harness.reporting, lender);
  const accounts = [];
  for (let number = 0; number < 5; number += 1) {
    accounts.push(await newAccount(harness.reporting, lender, accountOf(subject.id)));
    harness.clock.offset_ms += 10;
  }
  await newAccount(harness.reporting, other, accountOf(subject.id));
  const [first, second, ...later] = accounts;
  if (first === undefined || second === undefined) throw new Error('no accounts');
  await harness.report(lender, payment(first, 3));
  const ids = later.map(({ id }) => id);
  expect((await walk(lender, { updated_since: ALL })).ids).toEqual([second.id, ...ids, first.id]);
  const { updated_at } = await harness.accountNow(lender, ids[2] ?? '');
  const since = updated_at ?? '';
  expect((await walk(lender, { updated_since: since })).ids).toEqual([ids[2], first.id]);
  const { ids: of_subject } = await walk(lender, { updated_since: since, subject_id: subject.id });
  expect(of_subject).toEqual([ids[2], first.id]);
  const future = toTimestamp(harness.clock.now_ms() + 1);
  expect((await walk(lender, { updated_since: future })).ids).toEqual([]);
});

test('accounts of one batch, all of one time, are told apart by their ids', async () => {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
    accounts: Array.from({ length: 5 }, () => accountOf(subject.id)),
  });
  const { ids } = await walk(lender, { updated_since: accounts[0]?.updated_at ?? '' });
  expect(ids).toEqual(accounts.map(({ id }) => id).sort());
});

test('a change that is committed late, under an earlier time, is in the next walk', async () => {
  const lender = institution();
  const account = await newAccount(harness.reporting, lender);
  const client = new pg.Client({ connectionString: harness.admin_url });
  await client.connect();
  try {
    // Without triggers: by chance the sums that they keep are those that a writer of the service waits for.
    await client.query('SET session_replication_role = replica');
    await client.query('SET search_path TO reporting_live');
    // Its writer took the time, and now the commit is long in coming.
    await client.query('BEGIN');
    const late = await client.query<{ at: Date }>(
      'UPDATE accounts SET updated_at = now() WHERE id = $1 RETURNING updated_at AS at',
      [account.id],
    );
    // Later by the clock than that writer, also by the difference that clocks are allowed.
    harness.clock.offset_ms = 600_000;
    const seen = await newAccount(harness.reporting, lender);
    const during = await walk(lender, { updated_since: seen.updated_at ?? '' });
    expect(during.ids).toEqual([seen.id]);
    await client.query('COMMIT');
    expect(Date.parse(during.next)).toBeLessThanOrEqual(late.rows[0]?.at.getTime() ?? 0);
    expect((await walk(lender, { updated_since: during.next })).ids).toContain(account.id);
  } finally {
    await client.end();
    harness.clock.offset_ms = 0;
  }
});

test('walks beside writers miss nothing that was acknowledged', async () => {
  const lender = institution();
  const subject = await newSubject(harness.reporting, lender);
  const { accounts } = await harness.reporting.createAccounts(keyed(lender), {
    accounts: Array.from({ length: 20 }, () => accountOf(subject.id)),
  });
  const versions = new Map<string, number>();
  let next = ALL;
  let is_done = false;
  const follow = async () => {
    let cursor: string | undefined;
    let begin = next;
    do {
      const page = await harness.reporting.listAccounts(lender, {
        updated_since: next,
        limit: 7,
        cursor,
      });
      for (const { id, version } of page.accounts) versions.set(id, version);
      begin = page.next_updated_since ?? begin;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    next = begin;
  };
  const following = (async () => {
    while (!is_done) await follow();
  })();
  await Promise.all(
    accounts.flatMap((account) =>
      [1, 2, 3].map((day) => harness.report(lender, payment(account, day))),
    ),
  );
  is_done = true;
  await following;
  await follow();
  expect([...versions]).toEqual(expect.arrayContaining(accounts.map(({ id }) => [id, 4])));
});

test('what changes nothing to follow, or no walk goes on from, is refused by its name', async () => {
  const lender = institution();
  const list = (wanted: object) =>
    refusal(harness.reporting.listAccounts(lender, { limit: 0, updated_since: ALL, ...wanted }));
  expect(await list({ status: 'CURRENT', external_account_id: 'loan-1' })).toMatchObject({
    code: 'VALIDATION_ERROR',
    paths: ['status', 'external_account_id'],
  });
  for (let number = 0; number < 3; number += 1) await newAccount(harness.reporting, lender);
  const plain = await harness.reporting.listAccounts(lender, { limit: 1 });
  const forged = (...values: string[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  for (const cursor of [
    'x',
    plain.next_cursor,
    forged('1', 'x', '1'),
    forged('-1', lender.institution_id, '1'),
    forged('1', lender.institution_id, '999999999999999'),
  ]) {
    expect(await list({ cursor })).toMatchObject({ paths: ['cursor'] });
  }
  expect(await list({ limit: 1_001 })).toMatchObject({ paths: ['limit'] });
  expect(await list({ subject_id: 'x' })).toMatchObject({ paths: ['subject_id'] });
});
