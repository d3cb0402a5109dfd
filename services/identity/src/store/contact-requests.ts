import { type Queryable, statement } from '@credit/platform/db';
import type {
  ContactRequest,
  ContactRequestEnd,
  ContactRequestStatus,
} from '../domain/contact-requests';
import type { Waiting } from './applications';
import { searchPattern } from './search';

const COLUMNS = `id, name, email, subject, message, status, answer, answered_by, answered_at,
  created_at`;

const INSERT = statement(
  'contact_requests_insert',
  'INSERT INTO contact_requests (id, name, email, subject, message) VALUES ($1, $2, $3, $4, $5)',
);

// A second administrator waits here and then finds the first one's answer.
const LOCK = statement<ContactRequest>(
  'contact_requests_lock',
  `SELECT ${COLUMNS} FROM contact_requests WHERE id = $1 FOR UPDATE`,
);

const ANSWER = statement<ContactRequest>(
  'contact_requests_answer',
  `UPDATE contact_requests
   SET status = $2, answer = $3, answered_by = $4, answered_at = now()
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);

const FILTER = `($1::text IS NULL OR lower(name) LIKE $1 OR lower(email) LIKE $1
    OR lower(subject) LIKE $1)
  AND ($2::text IS NULL OR status = $2)`;

const LIST = statement<ContactRequest>(
  'contact_requests_list',
  `SELECT ${COLUMNS} FROM contact_requests
   WHERE ${FILTER} AND ($3::uuid IS NULL OR id < $3)
   ORDER BY id DESC LIMIT $4`,
);

const COUNT = statement<{ count: number }>(
  'contact_requests_count',
  `SELECT count(*)::int AS count FROM contact_requests WHERE ${FILTER}`,
);

export type NewContactRequest = Pick<
  ContactRequest,
  'id' | 'name' | 'email' | 'subject' | 'message'
>;

export async function insertContactRequest(on: Queryable, row: NewContactRequest): Promise<void> {
  await on.execute(INSERT, [row.id, row.name, row.email, row.subject, row.message]);
}

export function lockContactRequest(on: Queryable, id: string): Promise<ContactRequest | undefined> {
  return on.maybe(LOCK, [id]);
}

export function recordAnswer(
  on: Queryable,
  id: string,
  end: { status: ContactRequestEnd; answer: string | undefined; answered_by: string },
): Promise<ContactRequest> {
  return on.one(ANSWER, [id, end.status, end.answer, end.answered_by]);
}

export interface ContactRequestFilter {
  readonly q?: string | undefined;
  readonly status?: ContactRequestStatus | undefined;
}

/** Newest first, after the request `after_id`. */
export function listContactRequestRows(
  on: Queryable,
  filter: ContactRequestFilter,
  after_id: string | undefined,
  limit: number,
): Promise<ContactRequest[]> {
  return on.query(LIST, [searchPattern(filter.q), filter.status, after_id, limit]);
}

export async function countContactRequestRows(
  on: Queryable,
  filter: ContactRequestFilter,
): Promise<number> {
  return (await on.one(COUNT, [searchPattern(filter.q), filter.status])).count;
}

const WAITING = statement<Waiting>(
  'contact_request_waiting',
  `SELECT (SELECT count(*) FROM contact_requests WHERE status = 'OPEN') AS count,
     (SELECT created_at FROM contact_requests WHERE status = 'OPEN' ORDER BY id LIMIT 1)
       AS waiting_since`,
);

/** Requests without an answer. */
export function waitingContactRequests(on: Queryable): Promise<Waiting> {
  return on.one(WAITING);
}
