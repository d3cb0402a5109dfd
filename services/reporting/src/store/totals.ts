// What has come on record in all, kept as it comes: by the hour, and later by the day.

import { HourlyTotals, type Queryable, statement } from '@credit/platform/db';

/** Totals of an environment. */
export interface Totals {
  readonly subjects: bigint;
  readonly accounts: bigint;
  readonly events_30d: bigint;
}

/** How many of each came on record. */
export const TOTALS = new HourlyTotals('subjects', 'accounts', 'events', 'inquiries');

const SUMS = statement<Totals>(
  'totals_sum',
  `SELECT coalesce(sum(subjects), 0)::bigint AS subjects,
     coalesce(sum(accounts), 0)::bigint AS accounts,
     coalesce(sum(events) FILTER (WHERE day > $1::timestamptz::date - 30), 0)::bigint AS events_30d
   FROM ${TOTALS.all}`,
);

export function totals(on: Queryable, now: string): Promise<Totals> {
  return on.one(SUMS, [now]);
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
     FROM ${TOTALS.all}
   ) AS sums, (
     SELECT coalesce(sum(events), 0)::bigint AS events_24h,
       coalesce(sum(inquiries), 0)::bigint AS inquiries_24h
     FROM hourly_totals WHERE hour > $1::timestamptz - interval '24 hours'
   ) AS day`,
);

export function readFigures(on: Queryable, now: string): Promise<Figures> {
  return on.one(FIGURES, [now]);
}
