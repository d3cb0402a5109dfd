import { type Queryable, statement } from '@credit/platform/db';

/** What attempts are counted by. */
export interface AttemptCounter {
  /** For example `account <e-mail>`: told apart by kind, so that two never meet. */
  readonly subject: string;
  readonly limit: number;
  readonly window_s: number;
}

interface CountRow {
  readonly subject: string;
  readonly count: number;
  readonly retry_after_s: number;
}

// Rows in id order, so that two statements cannot deadlock.
const COUNT = statement<CountRow>(
  'attempts_count',
  `WITH wanted AS (
     SELECT md5(subject)::uuid AS id, subject, window_s
     FROM unnest($1::text[], $2::int[]) AS w (subject, window_s)
   ), counted AS (
     INSERT INTO attempts AS known (id, window_ends_at, count)
     SELECT id, now() + make_interval(secs => window_s), 1 FROM wanted ORDER BY id
     ON CONFLICT (id) DO UPDATE SET
       count = CASE WHEN known.window_ends_at <= now() THEN 1 ELSE known.count + 1 END,
       window_ends_at = CASE
         WHEN known.window_ends_at <= now() THEN excluded.window_ends_at
         ELSE known.window_ends_at
       END
     RETURNING id, count, window_ends_at
   )
   SELECT w.subject, c.count,
     greatest(1, ceil(date_part('epoch', c.window_ends_at - now())))::int AS retry_after_s
   FROM counted c JOIN wanted w ON w.id = c.id`,
);

const FORGET = statement('attempts_forget', 'DELETE FROM attempts WHERE id = md5($1)::uuid');

const GIVE_BACK = statement(
  'attempts_give_back',
  `WITH locked AS (
     SELECT a.id FROM attempts a
     JOIN unnest($1::text[]) AS w (subject) ON a.id = md5(w.subject)::uuid
     ORDER BY a.id FOR UPDATE OF a
   )
   UPDATE attempts SET count = count - 1
   WHERE id IN (SELECT id FROM locked) AND count > 0`,
);

const SWEEP = statement(
  'attempts_sweep',
  `DELETE FROM attempts WHERE id = ANY (ARRAY(
     SELECT id FROM attempts WHERE window_ends_at < now()
     ORDER BY window_ends_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/**
 * Counts an attempt before it is made, so that of many at once only as many as the limit
 * allows are made. Returns seconds to wait when it is one too many for any of the
 * counters, else undefined.
 */
export async function countAttempt(
  on: Queryable,
  counters: readonly AttemptCounter[],
): Promise<number | undefined> {
  const rows = await on.query(COUNT, [
    counters.map((counter) => counter.subject),
    counters.map((counter) => counter.window_s),
  ]);
  const waits = rows.flatMap((row) => {
    const limit = counters.find((counter) => counter.subject === row.subject)?.limit ?? 0;
    return row.count > limit ? [row.retry_after_s] : [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The attempt succeeded: its counter starts anew. */
export async function forgetAttempts(on: Queryable, subject: string): Promise<void> {
  await on.execute(FORGET, [subject]);
}

/** The attempt shall not count: takes it back. */
export async function giveBackAttempts(on: Queryable, subjects: readonly string[]): Promise<void> {
  await on.execute(GIVE_BACK, [subjects]);
}

/** Deletes up to `limit` counters whose window is over. */
export function sweepAttempts(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
