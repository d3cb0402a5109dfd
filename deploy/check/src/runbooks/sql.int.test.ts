import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestDatabase, testDatabase } from '@credit/testing';
import pg from 'pg';
import { ROOT } from '../kustomize';
import { snippetsOf } from './markdown';

const FOLDER = path.join(ROOT, 'docs/runbooks');
const STATEMENT = /^(?:SELECT|DELETE|UPDATE|INSERT) /i;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  // What runbooks look at is every service's: webhooks stands for all.
  database = await testDatabase('webhooks');
  client = new pg.Client({ connectionString: database.urls.live });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.stop();
});

/** Has the server plan a statement, and does not carry it out. */
async function prepare(sql: string): Promise<string> {
  const statement = sql
    .replaceAll('(PID)', '(1)')
    .replaceAll("'EVENT_ID'", `'${randomUUID()}'`)
    .replace(/;\s*$/, '');
  try {
    await client.query(`PREPARE one AS ${statement}`);
    await client.query('DEALLOCATE one');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('every statement of the runbooks is one for the schema that there is', async () => {
  const statements = readdirSync(FOLDER).flatMap((name) =>
    snippetsOf(readFileSync(path.join(FOLDER, name), 'utf8'))
      .filter(({ language, text }) => language === 'sql' || STATEMENT.test(text))
      .map(({ text }) => [name, text] as const),
  );
  expect(statements.length).toBeGreaterThanOrEqual(6);
  const wrong: string[] = [];
  for (const [name, text] of statements) {
    const message = await prepare(text);
    if (message !== '') wrong.push(`${name}: ${message}: ${text}`);
  }
  expect(wrong).toEqual([]);
  expect(await prepare('DELETE FROM dead_letters WHERE event = 1')).toMatch(/does not exist/);
});
