import pg from 'pg';
import type { World } from './world';

/** What a table's copies have in place of the original's values, by column: expressions over both. */
type Replaced = Readonly<Record<string, string>>;
type Queries = Pick<pg.Client, 'query'>;

/**
 * Copies rows of a table, `t`, once for each row of a table `bench_copies` that belongs to it, `copies`.
 * All columns that nothing is said of stay as they are.
 */
export async function copyRows(
  queries: Queries,
  table: { readonly schema: string; readonly name: string },
  belongs: string,
  replaced: Replaced,
): Promise<void> {
  const { rows } = await queries.query<{ column_name: string }>(
    `SELECT column_name FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
    [table.schema, table.name],
  );
  const columns = rows.map(({ column_name }) => column_name);
  const missing = Object.keys(replaced).filter((name) => !columns.includes(name));
  if (missing.length > 0) throw new Error(`${table.name} has no ${missing.join(', ')}.`);
  const values = columns.map((name) => replaced[name] ?? `t.${name}`);
  const name = `${table.schema}.${table.name}`;
  await queries.query(
    `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${values.join(', ')}
     FROM bench_copies AS copies JOIN ${name} AS t ON ${belongs} ORDER BY copies.subject_id`,
  );
  await queries.query(`VACUUM ANALYZE ${name}`);
}

const REPORTING = 'reporting_live';
const SCORING = 'scoring_live';
const OF_SUBJECT = 't.subject_id = copies.of_subject_id';
const OF_ACCOUNT = `${OF_SUBJECT} AND t.account_id = copies.of_account_id`;
const SUBJECT = { subject_id: 'copies.subject_id' };
const ACCOUNT = { ...SUBJECT, account_id: 'copies.account_id' };
const EXTERNAL_ID = { external_account_id: "'copy-' || copies.account_id" };

/**
 * Copies a world's accounts with their subjects, events and projections until there are so many, and
 * gives them all in no order. Lists of names and totals are left as they are: no event or profile reads them.
 */
export async function copyAccounts(
  { admin_url, accounts }: World,
  count: number,
): Promise<World['accounts']> {
  const client = new pg.Client({ connectionString: admin_url });
  await client.connect();
  try {
    await client.query("SET maintenance_work_mem = '256MB'; SET work_mem = '256MB'");
    await client.query(`ALTER TABLE ${REPORTING}.accounts DISABLE TRIGGER USER;
      ALTER TABLE ${REPORTING}.subjects DISABLE TRIGGER USER`);
    await client.query(
      `CREATE UNLOGGED TABLE bench_copies AS
       SELECT subject_id AS of_subject_id, id AS of_account_id, gen_random_uuid() AS subject_id,
              gen_random_uuid() AS account_id
       FROM ${REPORTING}.accounts, generate_series(1, ${Math.ceil(count / accounts.length)})
       WHERE id = ANY ('{${accounts.map(({ id }) => id).join(',')}}') LIMIT ${count - accounts.length}`,
    );
    const copy = (schema: string, name: string, belongs: string, replaced: Replaced) =>
      copyRows(client, { schema, name }, belongs, replaced);
    await copy(REPORTING, 'subjects', 't.id = copies.of_subject_id', {
      ...{ id: 'copies.subject_id', game_uuid: 'copies.subject_id' },
    });
    await copy(REPORTING, 'subject_heads', OF_SUBJECT, SUBJECT);
    await copy(REPORTING, 'account_directory', OF_ACCOUNT, { ...ACCOUNT, ...EXTERNAL_ID });
    await copy(REPORTING, 'accounts', `${OF_SUBJECT} AND t.id = copies.of_account_id`, {
      ...{ ...SUBJECT, id: 'copies.account_id', ...EXTERNAL_ID },
    });
    await copy(REPORTING, 'credit_events', OF_ACCOUNT, { ...ACCOUNT, id: 'gen_random_uuid()' });
    await copy(SCORING, 'subject_heads', OF_SUBJECT, SUBJECT);
    await copy(SCORING, 'score_snapshots', OF_SUBJECT, { ...SUBJECT, id: 'gen_random_uuid()' });
    await copy(SCORING, 'account_projections', OF_ACCOUNT, {
      ...ACCOUNT,
      facts: 'replace(t.facts::text, copies.of_account_id::text, copies.account_id::text)::json',
    });
    await client.query(`ALTER TABLE ${REPORTING}.accounts ENABLE TRIGGER USER;
      ALTER TABLE ${REPORTING}.subjects ENABLE TRIGGER USER; CHECKPOINT`);
    const { rows } = await client.query<{ id: string; subject_id: string }>(
      'SELECT account_id AS id, subject_id FROM bench_copies ORDER BY random()',
    );
    return [...accounts, ...rows];
  } finally {
    await client.end();
  }
}
