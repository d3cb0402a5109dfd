// What has come on record in all, kept as it comes: by the hour, and later by the day.

import { type Queryable, statement } from '@credit/platform/db';

/** Totals of an environment. */
export interface Totals {
  readonly subjects: bigint;
  readonly accounts: bigint;
  readonly events_30d: bigint;
}

/** Hours are kept so long, and the days of a month are told from them. */
export const HOURS_KEPT_MS = 3 * 86_400_000;

const ALL = `(
     SELECT day, subjects, accounts, events, inquiries FROM daily_totals
     UNION ALL
     SELECT (hour AT TIME ZONE 'UTC')::date, subjects, accounts, events, inquiries FROM hourly_totals
   ) AS counted`;

const TOTALS = statement<Totals>(
  'totals_sum',
  `SELECT coalesce(sum(subjects), 0)::bigint AS subjects,
     coalesce(sum(accounts), 0)::bigint AS accounts,
     coalesce(sum(events) FILTER (WHERE day > $1::timestamptz::date - 30), 0)::bigint AS events_30d
   FROM ${ALL}`,
);

export function totals(on: Queryable, now: string): Promise<Totals> {
  return on.one(TOTALS, [now]);
}

/** Figures of an environment that administrators watch. */
export interface Figures {
  readonly subjects: bigint;
  readonly events: bigint;
  readonly inquiries: bigint;
  readonly events_24h: bigint;
  readonly inquiries_24h: bigint;
}

const FIGURES = statement<Figures>(
  'totals_figures',
  `SELECT sums.*, day.* FROM (
     SELECT coalesce(sum(subjects), 0)::bigint AS subjects,
       coalesce(sum(events), 0)::bigint AS events,
       coalesce(sum(inquiries), 0)::bigint AS inquiries
     FROM ${ALL}
   ) AS sums, (
     SELECT coalesce(sum(events), 0)::bigint AS events_24h,
       coalesce(sum(inquiries), 0)::bigint AS inquiries_24h
     FROM hourly_totals WHERE hour > $1::timestamptz - interval '24 hours'
   ) AS day`,
);

export function readFigures(on: Queryable, now: string): Promise<Figures> {
  return on.one(FIGURES, [now]);
}

/** What came within an hour, or on a day. */
export interface Traffic {
  readonly from: string;
  readonly accounts: bigint;
  readonly events: bigint;
  readonly inquiries: bigint;
}

const SUMS = `sum(accounts)::bigint AS accounts, sum(events)::bigint AS events,
     sum(inquiries)::bigint AS inquiries`;

const BY_HOUR = statement<Traffic>(
  'totals_by_hour',
  `SELECT hour AS "from", ${SUMS} FROM hourly_totals
   WHERE hour > $1::timestamptz - interval '24 hours'
   GROUP BY hour ORDER BY hour`,
);
const BY_DAY = statement<Traffic>(
  'totals_by_day',
  `SELECT day::timestamp AT TIME ZONE 'UTC' AS "from", ${SUMS} FROM ${ALL}
   WHERE day > ($1::timestamptz AT TIME ZONE 'UTC')::date - 30
   GROUP BY day ORDER BY day`,
);

/** The current hour and the 23 before it, the oldest first; an hour of nothing is left out. */
export function trafficByHour(on: Queryable, now: string): Promise<Traffic[]> {
  return on.query(BY_HOUR, [now]);
}

/** The same of today, in UTC, and the 29 days before it. */
export function trafficByDay(on: Queryable, now: string): Promise<Traffic[]> {
  return on.query(BY_DAY, [now]);
}

const FOLD = statement<{ folded: number }>(
  'totals_fold_hours',
  `WITH old AS (
     DELETE FROM hourly_totals WHERE (hour, slot) IN (
       SELECT hour, slot FROM hourly_totals WHERE hour < $1 ORDER BY hour, slot LIMIT $2
       FOR UPDATE SKIP LOCKED
     )
     RETURNING *
   ), days AS (
     INSERT INTO daily_totals AS known (day, slot, subjects, accounts, events, inquiries)
     SELECT (hour AT TIME ZONE 'UTC')::date AS day, slot, sum(subjects), sum(accounts),
       sum(events), sum(inquiries)
     FROM old GROUP BY day, slot ORDER BY day, slot
     ON CONFLICT (day, slot) DO UPDATE
       SET subjects = known.subjects + excluded.subjects,
           accounts = known.accounts + excluded.accounts,
           events = known.events + excluded.events,
           inquiries = known.inquiries + excluded.inquiries
   )
   SELECT count(*)::integer AS folded FROM old`,
);

/** Makes days of up to `rows` rows of hours before a time; returns of how many. */
export async function foldHours(on: Queryable, before: string, rows: number): Promise<number> {
  return (await on.one(FOLD, [before, rows])).folded;
}
