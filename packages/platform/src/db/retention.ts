// How long tables are kept, why, and what deletes them: each service declares it of its own, in its
// `retention.ts`. A test holds that against the schemas and the jobs; docs/RETENTION.md is made of it.

import { statement } from './statement';

/** What a time is owed to: a law (docs/LAW.md), what members are promised, or what a purpose takes. */
type Ground = 'law' | 'contract' | 'need';

/** How long rows are kept. */
export interface TablePolicy {
  /** In words, for the table in the documentation. */
  readonly kept: string;
  /** The background work or scheduled job that deletes them; undefined where nothing does by itself. */
  readonly job?: string;
  readonly ground: Ground;
  readonly why: string;
  /** What a row's end is told by, and how many days after it the row is gone; of an indexed timestamptz. */
  readonly ends?: { readonly column: string; readonly days: number };
}

/** Of each table of a service, by its name. */
export type RetentionPolicies = Readonly<Record<string, TablePolicy>>;

/** Rows that nothing deletes. */
export const forGood = (ground: Ground, why: string): TablePolicy => ({
  kept: 'for good',
  ground,
  why,
});
/** Few rows that are written over, never more than there is of what they are about. */
export const writtenOver = (why: string): TablePolicy => ({
  kept: 'written over',
  ground: 'need',
  why,
});
/** Rows that go with those of another table. */
export const goesWith = (of: string, ground: Ground, why: string): TablePolicy => ({
  kept: `as long as its row of \`${of}\``,
  ground,
  why,
});

/** Rows that a job deletes; where a column tells their end, with the days that they are kept after it. */
export function swept(
  job: string,
  kept: string,
  ground: Ground,
  why: string,
  column?: string,
  days = 0,
): TablePolicy {
  const policy = { kept, job, ground, why };
  return column === undefined ? policy : { ...policy, ends: { column, days } };
}

/** Of every service that keeps data. */
export const PLATFORM_TABLES: RetentionPolicies = {
  dead_letters: forGood('need', 'an operator takes it in again or discards it'),
  inbox: swept(
    'sweep-platform',
    '30 days',
    'need',
    'for so long an event can come again',
    'processed_at',
    30,
  ),
  outbox: swept(
    'sweep-platform',
    '14 days after it was published',
    'need',
    'a stream that was lost is filled anew from it',
    'published_at',
    14,
  ),
  outbox_leases: writtenOver('one row a partition'),
  outbox_state: writtenOver('one row'),
};
/** Of a service whose commands take idempotency keys. */
export const KEYED_TABLES: RetentionPolicies = {
  idempotency_records: swept(
    'sweep-platform',
    'as long as a key is known',
    'contract',
    'a request that is repeated has one effect',
    'expires_at',
  ),
};
/** Totals by the day, those by the hour that they are made of, and the hashes of a signed log. */
export const DAILY_COUNTS = forGood('need', 'counts, a few rows a day');
export const hourlyCounts = (job: string) =>
  swept(job, '3 days', 'need', 'then it is counted by the day', 'hour', 4);
export const MERKLE_TREE = forGood('law', 'proves what was signed; of hashes alone');

/**
 * How many seconds the oldest row of each table is past its end; undefined where nothing is deleted. Names
 * come from the declaration alone.
 */
export function overdueStatement(service: string, policies: RetentionPolicies) {
  const parts = Object.entries(policies).flatMap(([table, { ends }]) =>
    ends === undefined
      ? []
      : `SELECT '${table}' AS "table", greatest(0, extract(epoch FROM
           now() - interval '${ends.days} days' - (SELECT min(${ends.column}) FROM ${table})
         ))::float8 AS overdue_s`,
  );
  if (parts.length === 0) return undefined;
  return statement<{ table: string; overdue_s: number }>(
    `retention_overdue_${service}`,
    parts.join('\nUNION ALL\n'),
  );
}
