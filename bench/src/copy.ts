import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Slice } from './interleave';
import { inSchemas } from './world';

const run = promisify(execFile);
const ROWS = 20_000;

/** Copies rows of events into a table like theirs, again and again until the time is over. */
export async function copyEvents(admin_url: string, slice_s: number): Promise<Slice> {
  const url = inSchemas(admin_url, 'reporting_live,extensions');
  const folder = await mkdtemp(path.join(tmpdir(), 'credit-copy-'));
  const rows_file = path.join(folder, 'rows.tsv');
  const script_file = path.join(folder, 'script.sql');
  const psql = (...args: string[]) => run('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', ...args, url]);
  try {
    await psql(
      ...['-c', 'CREATE TABLE IF NOT EXISTS bench_events (LIKE credit_events INCLUDING ALL)'],
      '-c',
      `\\copy (SELECT ${ROW} FROM generate_series(1, ${ROWS}) AS n) TO ${rows_file}`,
    );
    // One connection for all, as a loader would have; empty again before each copy.
    await writeFile(
      script_file,
      [
        'TRUNCATE bench_events;',
        'SELECT clock_timestamp() AS began \\gset',
        `\\copy bench_events (${COLUMNS}) FROM ${rows_file}`,
        "SELECT extract(epoch FROM clock_timestamp() - :'began')::float8;",
      ].join('\n'),
    );
    let count = 0;
    let elapsed_s = 0;
    while (elapsed_s < slice_s) {
      const { stdout } = await psql('-f', script_file);
      count += ROWS;
      elapsed_s += Number(stdout.trim());
    }
    return { count, elapsed_s };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const COLUMNS = `subject_id, account_id, sequence, id, event_type, occurred_at, reported_at,
  amount_minor, balance_after_minor, by_network, effect, resulting_status`.replace(/\s+/g, ' ');

/** What the system writes for the same event, of 100 accounts by turns. */
const ROW = `md5((n % 100)::text)::uuid, md5((n % 100)::text)::uuid, n / 100, gen_random_uuid(),
  'PAYMENT_MADE', now(), now(), 1000, 100000, false, 'EFFECTIVE', 'CURRENT'`.replace(/\s+/g, ' ');
