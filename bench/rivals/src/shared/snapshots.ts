import type pg from 'pg';
import type { Statement } from './database.ts';
import type { Change } from './relay.ts';
import { scoreOf } from './score.ts';

// What comes twice changes nothing.
const RECORD: Statement = {
  name: 'record_snapshots',
  text: `INSERT INTO scoring.snapshots (event_id, subject_id, score, created_at)
     SELECT event_id, subject_id, score, now()
     FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS snapshot (event_id, subject_id, score)
     ON CONFLICT (event_id) DO NOTHING`,
};

/** Where scoring is a service of its own: the scores of a batch of changes. */
export async function recordSnapshots(pool: pg.Pool, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const values = [
    changes.map(({ event_id }) => event_id),
    changes.map(({ subject_id }) => subject_id),
    changes.map(({ facts }) => scoreOf(facts).score),
  ];
  await pool.query({ ...RECORD, values });
}
