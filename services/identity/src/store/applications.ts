import { type Queryable, statement } from '@credit/platform/db';
import type { Application, ApplicationStatus, Verdict } from '../domain/applications';
import { searchPattern } from './search';

const COLUMNS = `id, institution_name, contact_name, contact_email, website, description, status,
  review_note, reviewed_by, reviewed_at, institution_id, created_at`;

const INSERT = statement<Application>(
  'applications_insert',
  `INSERT INTO applications
     (id, institution_name, contact_name, contact_email, website, description)
   VALUES ($1, $2, $3, $4, $5, $6)
   RETURNING ${COLUMNS}`,
);

// A second reviewer waits here and then finds the first one's verdict.
const LOCK = statement<Application>(
  'applications_lock',
  `SELECT ${COLUMNS} FROM applications WHERE id = $1 FOR UPDATE`,
);

const REVIEW = statement<Application>(
  'applications_review',
  `UPDATE applications
   SET status = $2, review_note = $3, reviewed_by = $4, reviewed_at = now(), institution_id = $5
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);

const FILTER = `($1::text IS NULL OR lower(institution_name) LIKE $1
    OR lower(contact_name) LIKE $1 OR lower(contact_email) LIKE $1)
  AND ($2::text IS NULL OR status = $2)`;

const LIST = statement<Application>(
  'applications_list',
  `SELECT ${COLUMNS} FROM applications
   WHERE ${FILTER} AND ($3::uuid IS NULL OR id < $3)
   ORDER BY id DESC LIMIT $4`,
);

const COUNT = statement<{ count: number }>(
  'applications_count',
  `SELECT count(*)::int AS count FROM applications WHERE ${FILTER}`,
);

export type NewApplication = Pick<
  Application,
  'id' | 'institution_name' | 'contact_name' | 'contact_email' | 'website' | 'description'
>;

export function insertApplication(on: Queryable, row: NewApplication): Promise<Application> {
  return on.one(INSERT, [
    row.id,
    row.institution_name,
    row.contact_name,
    row.contact_email,
    row.website,
    row.description,
  ]);
}

export function lockApplication(on: Queryable, id: string): Promise<Application | undefined> {
  return on.maybe(LOCK, [id]);
}

export function recordReview(
  on: Queryable,
  id: string,
  review: {
    verdict: Verdict;
    note: string | undefined;
    reviewed_by: string;
    institution_id: string | undefined;
  },
): Promise<Application> {
  const { verdict, note, reviewed_by, institution_id } = review;
  return on.one(REVIEW, [id, verdict, note, reviewed_by, institution_id]);
}

export interface ApplicationFilter {
  readonly q?: string | undefined;
  readonly status?: ApplicationStatus | undefined;
}

/** Newest first, after the application `after_id`. */
export function listApplicationRows(
  on: Queryable,
  filter: ApplicationFilter,
  after_id: string | undefined,
  limit: number,
): Promise<Application[]> {
  return on.query(LIST, [searchPattern(filter.q), filter.status, after_id, limit]);
}

export async function countApplicationRows(
  on: Queryable,
  filter: ApplicationFilter,
): Promise<number> {
  return (await on.one(COUNT, [searchPattern(filter.q), filter.status])).count;
}

/** How many wait for the network, and since when the first of them does. */
export interface Waiting {
  readonly count: bigint;
  readonly waiting_since: string | undefined;
}

// Ids begin with the time they were made at: the index by status has the oldest first.
const WAITING = statement<Waiting>(
  'application_waiting',
  `SELECT (SELECT count(*) FROM applications WHERE status = 'PENDING') AS count,
     (SELECT created_at FROM applications WHERE status = 'PENDING' ORDER BY id LIMIT 1)
       AS waiting_since`,
);

/** Applications without a decision. */
export function waitingApplications(on: Queryable): Promise<Waiting> {
  return on.one(WAITING);
}
