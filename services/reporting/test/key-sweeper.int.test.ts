import { type TestDatabase, testDatabase, testLogger } from '@credit/testing';
import { keySweeper } from '../src/key-sweeper';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase('reporting');
});
afterAll(() => database?.stop());

test('expired keys go, in both environments; those in force stay', async () => {
  const { db } = database;
  for (const environment of db.environments) {
    await db.pool(environment).query(
      `INSERT INTO idempotency_records (institution_id, endpoint, key, fingerprint, expires_at)
       SELECT 'i', 'ReportEvent', 'key ' || n, '', now() + make_interval(hours => n % 2 * 2 - 1)
       FROM generate_series(1, 2500) AS n`,
    );
  }
  const sweeper = keySweeper({ db, logger: testLogger, pause_ms: 5 });
  sweeper.start();
  const counts = () =>
    Promise.all(
      db.environments.map(async (environment) => {
        const { rows } = await db
          .pool(environment)
          .query('SELECT count(*)::int AS left FROM idempotency_records');
        return rows[0].left as number;
      }),
    );
  const until_ms = Date.now() + 5_000;
  while ((await counts()).some((left) => left > 1_250) && Date.now() < until_ms) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await sweeper.stop();
  expect(await counts()).toEqual([1_250, 1_250]);
});
