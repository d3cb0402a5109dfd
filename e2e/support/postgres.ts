import pg from 'pg';
import type { SharedSystem } from './shared-system';

/** Runs SQL as the superuser, to look at or change what no API shows. */
export async function runSql<Row extends pg.QueryResultRow>(
  system: SharedSystem,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: system.runRecord().admin_url });
  await client.connect();
  try {
    // A service's role has its schema for a path: what its triggers do goes by that.
    const [, schema] = /\b([a-z]+_(?:live|test))\./.exec(text) ?? [];
    if (schema !== undefined) await client.query(`SET search_path = ${schema}`);
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Locks rows as the superuser until the returned function is called: whoever wants them waits. */
export async function holdRows(
  system: SharedSystem,
  text: string,
  values: unknown[],
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: system.runRecord().admin_url });
  await client.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(text, values);
  if (rowCount === 0) throw new Error('There is no row to hold.');
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}
