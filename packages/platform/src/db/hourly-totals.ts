import type { Queryable } from './queryable';
import { type Statement, statement } from './statement';

/** Hours are kept so long, and the days of a month are told from them. */
export const HOURS_KEPT_MS = 3 * 86_400_000;

/** What was counted within an hour, or on a day. */
export type Counted<Name extends string> = Readonly<Record<Name, bigint>> & {
  /** When it begins, in UTC. */
  readonly from: string;
};

/** What was counted lately, the oldest first; where nothing was is left out. */
export interface CountedTimes<Name extends string> {
  /** The current hour and the 23 before it. */
  readonly hours: Counted<Name>[];
  /** Today, in UTC, and the 29 days before it. */
  readonly days: Counted<Name>[];
}

/**
 * Counts that are kept as what they count happens: by the hour in `hourly_totals`, and by the day in
 * `daily_totals` from when nobody looks at hours one by one. Both tables have `slot` and a column for
 * each name.
 */
export class HourlyTotals<const Name extends string> {
  /** Days and hours as one table of `day` and the counts. */
  readonly all: string;
  readonly #names: readonly Name[];
  readonly #by_hour: Statement<Counted<Name>>;
  readonly #by_day: Statement<Counted<Name>>;
  readonly #fold: Statement<{ folded: number }>;

  constructor(...names: readonly Name[]) {
    const list = names.join(', ');
    const sums = names.map((name) => `sum(${name})::bigint AS ${name}`).join(', ');
    this.#names = names;
    this.all = `(
     SELECT day, ${list} FROM daily_totals
     UNION ALL
     SELECT (hour AT TIME ZONE 'UTC')::date, ${list} FROM hourly_totals
   ) AS counted`;
    this.#by_hour = statement(
      'totals_by_hour',
      `SELECT hour AS "from", ${sums} FROM hourly_totals
       WHERE hour > $1::timestamptz - interval '24 hours'
       GROUP BY hour ORDER BY hour`,
    );
    this.#by_day = statement(
      'totals_by_day',
      `SELECT day::timestamp AT TIME ZONE 'UTC' AS "from", ${sums} FROM ${this.all}
       WHERE day > ($1::timestamptz AT TIME ZONE 'UTC')::date - 30
       GROUP BY day ORDER BY day`,
    );
    this.#fold = statement(
      'totals_fold_hours',
      `WITH old AS (
         DELETE FROM hourly_totals WHERE (hour, slot) IN (
           SELECT hour, slot FROM hourly_totals WHERE hour < $1 ORDER BY hour, slot LIMIT $2
           FOR UPDATE SKIP LOCKED
         )
         RETURNING *
       ), days AS (
         INSERT INTO daily_totals AS known (day, slot, ${list})
         SELECT (hour AT TIME ZONE 'UTC')::date AS day, slot,
           ${names.map((name) => `sum(${name})`).join(', ')}
         FROM old GROUP BY day, slot ORDER BY day, slot
         ON CONFLICT (day, slot) DO UPDATE SET ${this.#additions()}
       )
       SELECT count(*)::integer AS folded FROM old`,
    );
  }

  #additions(): string {
    return this.#names.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ');
  }

  /**
   * The statement, to stand alone or in a WITH, that adds to the counts of an hour; a slot per
   * connection, so that hardly anyone waits for its row. Whoever holds it waits for nothing else
   * before the commit: others with the same slot may hold what would be waited for.
   * @param now SQL of a time within the hour
   * @param counts SQL of what is added to each count, nothing where it is left out
   * @param source what follows the SELECT of the counts
   */
  adding(now: string, counts: { readonly [N in Name]?: string }, source = ''): string {
    const values = this.#names.map((name) => counts[name] ?? '0').join(', ');
    return `INSERT INTO hourly_totals AS known (hour, slot, ${this.#names.join(', ')})
     SELECT date_trunc('hour', ${now}::timestamptz, 'UTC'), pg_backend_pid() % 16, ${values} ${source}
     ON CONFLICT (hour, slot) DO UPDATE SET ${this.#additions()}`;
  }

  /** Up to a time; on a snapshot, hours and days are of the same moment. */
  async until(on: Queryable, now: string): Promise<CountedTimes<Name>> {
    return {
      hours: await on.query(this.#by_hour, [now]),
      days: await on.query(this.#by_day, [now]),
    };
  }

  /** Makes days of up to `rows` rows of hours before a time; returns of how many. */
  async fold(on: Queryable, before: string, rows: number): Promise<number> {
    return (await on.one(this.#fold, [before, rows])).folded;
  }
}
