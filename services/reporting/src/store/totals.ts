import { type Queryable, statement } from '@credit/platform/db';

/** Totals of an environment. */
export interface Totals {
  readonly subjects: bigint;
  readonly accounts: bigint;
  readonly events_30d: bigint;
}

const TOTALS = statement<Totals>(
  'daily_totals_sum',
  `SELECT coalesce(sum(subjects), 0)::bigint AS subjects,
     coalesce(sum(accounts), 0)::bigint AS accounts,
     coalesce(sum(events) FILTER (WHERE day > $1::timestamptz::date - 30), 0)::bigint AS events_30d
   FROM daily_totals`,
);

export function totals(on: Queryable, now: string): Promise<Totals> {
  return on.one(TOTALS, [now]);
}
