import type { Queryable } from './queryable';
import { statement } from './statement';

/** What attempts are counted by. */
export interface AttemptCounter {
  /** For example `account <e-mail>`: told apart by kind, so that two never meet. */
  readonly subject: string;
  readonly window_s: number;
}

/** How many there were in the window, this one counted in. */
export interface AttemptCount {
  readonly count: number;
  /** Seconds until the window ends. */
  readonly ends_in_s: number;
}

interface CountRow extends AttemptCount {
  readonly subject: string;
}

/** Counters of attempts in a table `(id uuid PRIMARY KEY, window_ends_at timestamptz, count integer)`. */
export interface AttemptCounts {
  /**
   * Counts an attempt before it is made, so that of many at once only as many as a limit
   * allows are made. Returns the counts in the order of the counters.
   */
  count(on: Queryable, counters: readonly AttemptCounter[]): Promise<AttemptCount[]>;
  /** The attempt shall not count: takes it back, of those that start anew all before it too. */
  giveBack(
    on: Queryable,
    counters: readonly { readonly subject: string; readonly starts_anew?: boolean }[],
  ): Promise<void>;
  /** Deletes up to `limit` counters whose window is over. */
  sweep(on: Queryable, limit: number): Promise<number>;
}

/** The counters of one table; its name is of the code, never of a request. */
export function attemptCounts(table: string): AttemptCounts {
  // Rows in id order, so that two statements cannot deadlock.
  const count = statement<CountRow>(
    `${table}_count`,
    `WITH wanted AS (
       SELECT md5(subject)::uuid AS id, subject, window_s
       FROM unnest($1::text[], $2::int[]) AS w (subject, window_s)
     ), counted AS (
       INSERT INTO ${table} AS known (id, window_ends_at, count)
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
       greatest(1, ceil(date_part('epoch', c.window_ends_at - now())))::int AS ends_in_s
     FROM counted c JOIN wanted w ON w.id = c.id`,
  );
  // In id order, as above.
  const give_back = statement(
    `${table}_give_back`,
    `WITH locked AS (
       SELECT a.id, w.starts_anew FROM ${table} a
       JOIN unnest($1::text[], $2::bool[]) AS w (subject, starts_anew)
         ON a.id = md5(w.subject)::uuid
       ORDER BY a.id FOR UPDATE OF a
     )
     UPDATE ${table} a SET count = CASE WHEN starts_anew THEN 0 ELSE count - 1 END
     FROM locked WHERE a.id = locked.id AND count > 0`,
  );
  const sweep = statement(
    `${table}_sweep`,
    `DELETE FROM ${table} WHERE id = ANY (ARRAY(
       SELECT id FROM ${table} WHERE window_ends_at < now()
       ORDER BY window_ends_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  );
  return {
    async count(on, counters) {
      const rows = await on.query(count, [
        counters.map((counter) => counter.subject),
        counters.map((counter) => counter.window_s),
      ]);
      return counters.map(({ subject }) => {
        const row = rows.find((candidate) => candidate.subject === subject);
        if (row === undefined) throw new Error('An attempt was not counted.');
        return row;
      });
    },
    async giveBack(on, counters) {
      await on.execute(give_back, [
        counters.map((counter) => counter.subject),
        counters.map((counter) => counter.starts_anew === true),
      ]);
    },
    sweep: (on, limit) => on.execute(sweep, [limit]),
  };
}
