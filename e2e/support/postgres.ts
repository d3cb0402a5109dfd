import type { System } from '@credit/local/spawned-system';
import pg from 'pg';

/** Runs SQL as the superuser, to look at or change what no API shows. */
export async function runSql<Row extends pg.QueryResultRow>(
  system: System,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: system.runRecord().admin_url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
