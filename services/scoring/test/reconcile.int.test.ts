import { systemContext } from '@credit/platform/context';
import { statement } from '@credit/platform/db';
import { newId } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import type { OperatorDeps } from '../src/commands/go-through-subjects';
import { rebuildScores } from '../src/commands/rebuild-scores';
import { recalculate } from '../src/commands/recalculate';
import { reconcile } from '../src/commands/reconcile';
import { wholeSubject } from '../src/facts-from-proto';
import { DAY_MS, NOW_MS } from './support/reporting';
import { startScoring, type TestScoring } from './support/scoring';

// Some of these take in many subjects one by one, on a machine that may have more to do.
jest.setTimeout(60_000);

let scoring: TestScoring;
let deps: OperatorDeps;
const live = systemContext('live');

beforeEach(async () => {
  scoring = await startScoring();
  const { live: reporting } = scoring.reporting;
  deps = {
    db: scoring.database.db,
    logger: testLogger,
    clock: { now_ms: () => scoring.clock.at_ms },
    newId,
    readWhole: async (_ctx, subject_id) => wholeSubject(reporting.file(subject_id)),
    readHeads: async (_ctx, after, limit) => reporting.heads(after ?? '', limit),
  };
});
afterEach(() => scoring.stop());

const run = (deep = false) => reconcile(deps, 'live', { deep });

/** Accounts and looks of several subjects, all taken in. */
async function population(count: number): Promise<string[]> {
  const { live: reporting } = scoring.reporting;
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const subject_id = reporting.subject();
    ids.push(subject_id);
    await scoring.take(
      reporting.account(subject_id, { balance_minor: BigInt(number * 10_000) }),
      reporting.account(subject_id, { account_type: 'CREDIT_CARD' }),
      reporting.inquiry(subject_id),
    );
  }
  return ids;
}

const WHOLE = statement<Record<string, unknown>>(
  'test_whole_schema',
  `SELECT h.subject_id, h.subject_type, h.complete_version, h.early_versions, h.score,
     h.reason_codes,
     (SELECT json_agg(a ORDER BY a.account_id) FROM account_projections a
       WHERE a.subject_id = h.subject_id) AS accounts,
     (SELECT json_agg(i ORDER BY i.inquiry_id) FROM inquiry_projections i
       WHERE i.subject_id = h.subject_id) AS inquiries
   FROM subject_heads h ORDER BY h.subject_id`,
);
const all = () => scoring.database.db.read(live).query(WHOLE);
const execute = (name: string, text: string, values: unknown[] = []) =>
  scoring.database.db.read(live).execute(statement(name, text), values);

test('what is as reporting has it is left alone', async () => {
  await population(3);
  const before = await all();
  expect(await run(true)).toEqual({ environment: 'live', subjects: 3, mismatches: [] });
  expect(await all()).toEqual(before);
});

test('what a lost message left is mended, and its neighbours left alone', async () => {
  const [lost = '', neighbour = ''] = await population(2);
  scoring.reporting.live.account(lost);
  const never_heard = scoring.reporting.live.subject();
  scoring.reporting.live.account(never_heard);
  const { mismatches } = await run();
  expect(mismatches).toHaveLength(2);
  expect(mismatches).toEqual(
    expect.arrayContaining([
      { kind: 'BEHIND', subject_id: lost, here: 3, there: 4, mended: true },
      { kind: 'BEHIND', subject_id: never_heard, here: 0, there: 1, mended: true },
    ]),
  );
  expect(await scoring.projection(lost)).toMatchObject({ complete_version: 4, accounts: 3 });
  expect(await scoring.projection(neighbour)).toMatchObject({ complete_version: 3 });
  expect((await run()).mismatches).toEqual([]);
});

test('what reporting does not know, or knows less of, is reported and kept', async () => {
  const [unknown = '', ahead = ''] = await population(2);
  scoring.reporting.live.forget(unknown);
  await execute(
    'test_run_ahead',
    'UPDATE subject_heads SET complete_version = 9 WHERE subject_id = $1',
    [ahead],
  );
  const { mismatches } = await run();
  expect(mismatches).toEqual(
    expect.arrayContaining([
      { kind: 'UNKNOWN', subject_id: unknown, here: 3, there: 0, mended: false },
      { kind: 'AHEAD', subject_id: ahead, here: 9, there: 3, mended: false },
    ]),
  );
  expect(await scoring.projection(unknown)).toMatchObject({ complete_version: 3 });
});

test('other facts at the same version are found by a deep look, and replaced', async () => {
  const [subject_id = ''] = await population(2);
  const before = await all();
  const profile = await scoring.profile(subject_id);
  await execute(
    'test_corrupt',
    `UPDATE account_projections
     SET facts = jsonb_set(facts::jsonb, '{6}', '77')::json WHERE subject_id = $1`,
    [subject_id],
  );
  expect((await run()).mismatches).toEqual([]);
  expect((await run(true)).mismatches).toMatchObject([{ kind: 'DIFFERENT', mended: true }]);
  const facts = (rows: Record<string, unknown>[]) => JSON.stringify(rows);
  expect(facts(await all())).toBe(facts(before));
  // Nor does a reader see what it had worked out before.
  expect(await scoring.profile(subject_id)).toEqual(profile);
});

test('after a wipe the rebuilt projections and scores are the old ones', async () => {
  const ids = await population(70);
  const before = await all();
  const profiles = await Promise.all(ids.map((id) => scoring.profile(id)));
  await execute('test_wipe_heads', 'DELETE FROM subject_heads');
  await execute('test_wipe_accounts', 'DELETE FROM account_projections');
  await execute('test_wipe_inquiries', 'DELETE FROM inquiry_projections');
  await execute('test_wipe_snapshots', 'DELETE FROM score_snapshots');
  expect(await rebuildScores(deps, 'live')).toEqual({ environment: 'live', subjects: 70 });
  expect(JSON.stringify(await all())).toBe(JSON.stringify(before));
  expect(await Promise.all(ids.map((id) => scoring.profile(id)))).toEqual(profiles);
});

test('a recalculation writes what time alone has changed, as a read would', async () => {
  const [subject_id = ''] = await population(3);
  expect(await recalculate(deps, 'live')).toMatchObject({ subjects: 3, changed: 0 });
  scoring.clock.at_ms = NOW_MS + 400 * DAY_MS;
  expect(await recalculate(deps, 'live')).toMatchObject({ subjects: 3, changed: 3 });
  expect((await scoring.snapshots(subject_id))[0]).toMatchObject({ trigger: { type: 'AGEING' } });
  expect(await recalculate(deps, 'live')).toMatchObject({ changed: 0 });
});
