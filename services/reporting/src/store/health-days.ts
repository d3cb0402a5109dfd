// Health by day, kept: to work it out reads all accounts of a book.

import { type Queryable, statement } from '@credit/platform/db';
import type { Grade, HealthFigures } from '../domain/reporting-health';

/** An institution's health as it was last looked at on one day. */
export interface HealthDay {
  /** `2026-11-28`, in UTC. */
  readonly day: string;
  /** Absent while nothing was measured, as the grade is. */
  readonly score: number | undefined;
  readonly grade: Grade | undefined;
  readonly looked_at: string;
}

/** What an institution's accounts come to: to know it, all of them are read. */
export type BookFigures = Pick<
  HealthFigures,
  'accounts' | 'covered_accounts' | 'open_accounts' | 'fresh_accounts'
>;

/** How often a book that changes is looked at. */
export interface LookRules {
  /** Not sooner than this after the last look. */
  readonly least_rest_ms: number;
  /** Nor than so many times of what the last look took. */
  readonly rest_factor: number;
  readonly kept_days: number;
  /** Institutions taken at once. */
  readonly at_once: number;
}

// Each day has one look at least, and another once the book has changed. Of two who take the same row
// one waits for the other, and then finds it taken.
const TAKE = statement<{ institution_id: string }>(
  'health_days_take',
  `INSERT INTO health_days AS known (institution_id, day, looked_at)
   SELECT institution_id, ($1::timestamptz AT TIME ZONE 'UTC')::date, $1
   FROM (
     SELECT institution_id, max(updated_at) AS changed_at
     FROM account_totals GROUP BY institution_id
   ) AS furnishers
   LEFT JOIN LATERAL (
     SELECT looked_at, looked_at + greatest($2, $3 * took_ms) * interval '1 millisecond' AS again_at
     FROM health_days AS days
     WHERE days.institution_id = furnishers.institution_id
       AND day = ($1::timestamptz AT TIME ZONE 'UTC')::date
   ) AS today ON true
   WHERE looked_at IS NULL OR (changed_at >= looked_at AND again_at <= $1)
   ORDER BY looked_at NULLS FIRST, institution_id LIMIT $4
   ON CONFLICT (institution_id, day) DO UPDATE SET looked_at = excluded.looked_at
     WHERE known.looked_at + greatest($2, $3 * known.took_ms) * interval '1 millisecond' <= $1
   RETURNING institution_id`,
);

/** Takes institutions whose book is to be looked at; nobody else does for the rules' time. */
export async function takeHealthDays(
  on: Queryable,
  now: string,
  { least_rest_ms, rest_factor, at_once }: LookRules,
): Promise<string[]> {
  const rows = await on.query(TAKE, [now, least_rest_ms, rest_factor, at_once]);
  return rows.map(({ institution_id }) => institution_id);
}

const KEEP = statement(
  'health_days_keep',
  `UPDATE health_days
   SET score = $3, grade = $4, took_ms = $5, accounts = $6, covered_accounts = $7,
     open_accounts = $8, fresh_accounts = $9
   WHERE institution_id = $1 AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date`,
);
const FORGET = statement(
  'health_days_forget',
  `DELETE FROM health_days
   WHERE institution_id = $1 AND day < ($2::timestamptz AT TIME ZONE 'UTC')::date - $3::integer`,
);

/** What was found of a book that was taken. */
export interface Look {
  readonly institution_id: string;
  /** When it was taken. */
  readonly now: string;
  readonly score: number | undefined;
  readonly grade: Grade | undefined;
  readonly took_ms: number;
  readonly book: BookFigures;
}

export async function keepHealthDay(on: Queryable, look: Look, kept_days: number): Promise<void> {
  const { institution_id, now, score, grade, took_ms, book } = look;
  const figures = [book.accounts, book.covered_accounts, book.open_accounts, book.fresh_accounts];
  await on.execute(KEEP, [institution_id, now, score, grade, took_ms, ...figures]);
  await on.execute(FORGET, [institution_id, now, kept_days]);
}

const LARGE_BOOK = statement<BookFigures>(
  'health_days_large_book',
  `SELECT accounts, covered_accounts, open_accounts, fresh_accounts FROM health_days
   WHERE institution_id = $1 AND day = ($2::timestamptz AT TIME ZONE 'UTC')::date
     AND accounts IS NOT NULL AND took_ms >= $3`,
);

/** What today's last look at a book found, if it took so long that nobody should wait for another. */
export function largeBook(
  on: Queryable,
  institution_id: string,
  now: string,
  took_ms: number,
): Promise<BookFigures | undefined> {
  return on.maybe(LARGE_BOOK, [institution_id, now, took_ms]);
}

const LAST_LOOK = statement<{ readonly looked_at: string; readonly took_ms: number }>(
  'health_days_last_look',
  `SELECT looked_at, took_ms FROM health_days
   WHERE institution_id = $1 AND accounts IS NOT NULL ORDER BY day DESC LIMIT 1`,
);

/** When a book was last looked at, if that took so long that nobody should wait for another look. */
export async function lastLongLook(
  on: Queryable,
  institution_id: string,
  took_ms: number,
): Promise<string | undefined> {
  const last = await on.maybe(LAST_LOOK, [institution_id]);
  return last !== undefined && last.took_ms >= took_ms ? last.looked_at : undefined;
}

const LIST = statement<HealthDay>(
  'health_days_list',
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, score, grade, looked_at FROM health_days
   WHERE institution_id = $1 AND day > ($2::timestamptz AT TIME ZONE 'UTC')::date - $3::integer
   ORDER BY day`,
);

/** The last so many days, the oldest first; days without a look are not among them. */
export function listHealthDays(
  on: Queryable,
  institution_id: string,
  now: string,
  days: number,
): Promise<HealthDay[]> {
  return on.query(LIST, [institution_id, now, days]);
}
