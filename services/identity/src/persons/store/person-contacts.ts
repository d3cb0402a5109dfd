import type { Environment } from '@credit/platform/context';
import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  statement,
} from '@credit/platform/db';
import { mailQueue } from '../../store/mail-queue';
import type { LastMailKind, News, PersonMailKind } from '../domain/person-mail';

/** Mails to people about their own files, by their own ids. */
export const person_mails = mailQueue('person_mails', 'id');

/** Whose address it is. */
export interface Whose {
  readonly subject_id: string;
  readonly environment: Environment;
}

/** Where a person is told, and what waits to be confirmed. */
export interface Contact {
  readonly email: string | undefined;
  readonly confirmed_at: string | undefined;
  readonly waiting_email: string | undefined;
  readonly waiting_until: string | undefined;
}

const FIND = statement<Contact>(
  'person_contacts_find',
  `SELECT contact.email, contact.confirmed_at, request.email AS waiting_email,
     request.expires_at AS waiting_until
   FROM (SELECT $1::uuid AS subject_id, $2::text AS environment) AS whose
   LEFT JOIN person_contacts AS contact USING (subject_id, environment)
   LEFT JOIN person_contact_requests AS request
     ON request.subject_id = whose.subject_id AND request.environment = whose.environment
       AND request.expires_at > now()`,
);

export function findContact(on: Queryable, { environment, subject_id }: Whose): Promise<Contact> {
  return on.one(FIND, [subject_id, environment]);
}

const ASK = statement(
  'person_contact_requests_insert',
  `INSERT INTO person_contact_requests (id, subject_id, environment, email, expires_at)
   VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
);

/** Keeps an address that waits; the one that waited before is dropped first. */
export async function insertContactRequest(
  on: Queryable,
  request: Whose & { readonly id: string; readonly email: string; readonly lifetime_s: number },
): Promise<void> {
  const { email, environment, id, lifetime_s, subject_id } = request;
  await on.execute(ASK, [id, subject_id, environment, email, lifetime_s]);
}

const DROP = statement(
  'person_contact_requests_drop',
  `DELETE FROM person_contact_requests
   WHERE subject_id = ANY ($1::uuid[]) AND environment = $2`,
);

/** Addresses that wait are dropped, and with them their tokens and mails. */
export async function dropContactRequests(
  on: Queryable,
  subject_ids: readonly string[],
  environment: Environment,
): Promise<void> {
  await on.execute(DROP, [subject_ids, environment]);
}

const ADD_TOKEN = statement(
  'person_contact_tokens_insert',
  'INSERT INTO person_contact_tokens (token_hash, request_id) VALUES ($1, $2)',
);

export async function insertContactToken(
  on: Queryable,
  token_hash: Buffer,
  request_id: string,
): Promise<void> {
  await on.execute(ADD_TOKEN, [token_hash, request_id]);
}

const TAKE = statement<Whose & { email: string }>(
  'person_contact_requests_take',
  // The second of two that use one waits for the first, and finds it gone.
  `DELETE FROM person_contact_requests
   WHERE id = (SELECT request_id FROM person_contact_tokens WHERE token_hash = $1)
     AND expires_at > now()
   RETURNING subject_id, environment, email`,
);

/** Uses a token up; undefined when it is none, or over. */
export function takeContactRequest(
  on: Queryable,
  token_hash: Buffer,
): Promise<(Whose & { readonly email: string }) | undefined> {
  return on.maybe(TAKE, [token_hash]);
}

const CONFIRM = statement<{ replaced: string | undefined }>(
  'person_contacts_confirm',
  // As it was before the statement. No two of one subject are at it at once: both would have to take the
  // one request that there is.
  `WITH earlier AS (
     SELECT email FROM person_contacts WHERE subject_id = $1 AND environment = $2
   )
   INSERT INTO person_contacts (subject_id, environment, email) VALUES ($1, $2, $3)
   ON CONFLICT (subject_id, environment) DO UPDATE
     SET email = excluded.email, confirmed_at = excluded.confirmed_at
   RETURNING (SELECT email FROM earlier) AS replaced`,
);

/** Tells the person there from now on; says where it was told before. */
export async function confirmContact(
  on: Queryable,
  { email, environment, subject_id }: Whose & { readonly email: string },
): Promise<string | undefined> {
  return (await on.one(CONFIRM, [subject_id, environment, email])).replaced;
}

const REMOVE = statement<{ subject_id: string; email: string }>(
  'person_contacts_remove',
  `WITH news AS (
     DELETE FROM person_news WHERE subject_id = ANY ($1::uuid[]) AND $2 = 'live'
   ), mails AS (
     DELETE FROM person_mails
     WHERE subject_id = ANY ($1::uuid[]) AND kind = 'NEWS' AND $2 = 'live'
   )
   DELETE FROM person_contacts WHERE subject_id = ANY ($1::uuid[]) AND environment = $2
   RETURNING subject_id, email`,
);

/** Erases confirmed addresses, with what was still to be told there; says which they were. */
export function removeContacts(
  on: Queryable,
  subject_ids: readonly string[],
  environment: Environment,
): Promise<{ readonly subject_id: string; readonly email: string }[]> {
  return on.query(REMOVE, [subject_ids, environment]);
}

const OWE = statement(
  'person_mails_owe',
  'INSERT INTO person_mails (id, subject_id, kind, request_id, email) VALUES ($1, $2, $3, $4, $5)',
);

/** Owes a mail that confirms an address. */
export async function oweConfirmation(
  on: Queryable,
  mail: { readonly id: string; readonly subject_id: string; readonly request_id: string },
): Promise<void> {
  await on.execute(OWE, [mail.id, mail.subject_id, 'CONFIRM', mail.request_id, undefined]);
}

/** Owes the last mail to an address. */
export async function oweLastMail(
  on: Queryable,
  mail: {
    readonly id: string;
    readonly subject_id: string;
    readonly kind: LastMailKind;
    readonly email: string;
  },
): Promise<void> {
  await on.execute(OWE, [mail.id, mail.subject_id, mail.kind, undefined, mail.email]);
}

/** Something that a person is told of. */
export interface PersonNews {
  readonly kind: News['kind'];
  readonly ref_id: string;
  readonly subject_id: string;
  readonly institution_id: string;
  readonly purpose: string | undefined;
  readonly happened_at: string;
}

const NEWS = columns({
  kind: column('text'),
  ref_id: column('uuid'),
  subject_id: column('uuid'),
  institution_id: column('uuid'),
  purpose: nullable(column('text')),
  happened_at: column('timestamptz'),
});

const KEEP_NEWS = batchStatement(
  'person_news_keep',
  { news: NEWS },
  // Of what was before the address was confirmed nobody is told. Addresses are locked in one order.
  (sql) => `INSERT INTO person_news (${NEWS.names()})
   SELECT ${NEWS.names('news')}
     FROM unnest(${sql.news}) AS news (${NEWS.names()})
     JOIN person_contacts AS contact
       ON contact.subject_id = news.subject_id AND contact.environment = 'live'
      AND contact.confirmed_at <= news.happened_at
    ORDER BY contact.subject_id
      FOR SHARE OF contact
   ON CONFLICT (kind, ref_id) DO NOTHING
   RETURNING subject_id`,
).answering<{ subject_id: string }>();

/** Keeps what there is to tell; returns who has news: not who cannot be told, or heard of it before. */
export async function keepNews(on: Queryable, news: readonly PersonNews[]): Promise<string[]> {
  const rows = await on.query(KEEP_NEWS, KEEP_NEWS.values({ news }));
  return [...new Set(rows.map(({ subject_id }) => subject_id))];
}

const OWE_NEWS = statement(
  'person_mails_owe_news',
  `INSERT INTO person_mails (id, subject_id, kind, due_at)
   SELECT $1, $2, 'NEWS', greatest(now(), (
     SELECT max(earlier.created_at) FROM person_mails AS earlier
     WHERE earlier.subject_id = $2 AND earlier.kind = 'NEWS'
   ) + make_interval(secs => $3))
   ON CONFLICT (subject_id) WHERE kind = 'NEWS' AND attempts = 0 DO NOTHING`,
);

/** Owes a person a mail with what there is to tell, unless one waits; one in so many seconds. */
export async function oweNews(
  on: Queryable,
  { id, subject_id, every_s }: { id: string; subject_id: string; every_s: number },
): Promise<void> {
  await on.execute(OWE_NEWS, [id, subject_id, every_s]);
}

/** A mail to a person, as it is to be written. */
export interface PersonMailToWrite {
  readonly subject_id: string;
  readonly kind: PersonMailKind;
  /** Undefined when the address is not the person's any more. */
  readonly email: string | undefined;
  /** Of a CONFIRM. */
  readonly request_id: string | undefined;
  readonly expires_at: string | undefined;
}

const FIND_MAIL = statement<PersonMailToWrite>(
  'person_mails_find',
  `SELECT mail.subject_id, mail.kind, request.id AS request_id, request.expires_at,
     CASE mail.kind WHEN 'CONFIRM' THEN request.email WHEN 'NEWS' THEN contact.email
       ELSE mail.email END AS email
   FROM person_mails AS mail
   LEFT JOIN person_contact_requests AS request
     ON request.id = mail.request_id AND request.expires_at > now()
   LEFT JOIN person_contacts AS contact
     ON contact.subject_id = mail.subject_id AND contact.environment = 'live'
   WHERE mail.id = $1`,
);

export function findPersonMail(on: Queryable, id: string): Promise<PersonMailToWrite | undefined> {
  return on.maybe(FIND_MAIL, [id]);
}

const TAKE_NEWS = statement(
  'person_news_take',
  `UPDATE person_news SET mail_id = $1 WHERE subject_id = $2 AND mail_id IS NULL`,
);
const NEWS_OF_MAIL = statement<News>(
  'person_news_of_mail',
  `SELECT news.kind, institution.name AS institution, news.purpose, news.happened_at
   FROM person_news AS news LEFT JOIN institutions AS institution ON institution.id = news.institution_id
   WHERE news.subject_id = $2 AND news.mail_id = $1
   ORDER BY news.happened_at, news.ref_id LIMIT $3`,
);

/** What a mail tells: all that has come and that no other mail has told. */
export async function takeNews(
  on: Queryable,
  mail_id: string,
  subject_id: string,
  limit: number,
): Promise<News[]> {
  await on.execute(TAKE_NEWS, [mail_id, subject_id]);
  return on.query(NEWS_OF_MAIL, [mail_id, subject_id, limit]);
}

const SWEEP_REQUESTS = statement(
  'person_contact_requests_sweep',
  `DELETE FROM person_contact_requests WHERE id = ANY (ARRAY(
     SELECT id FROM person_contact_requests WHERE expires_at < now()
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);
const SWEEP_LAST = statement(
  'person_mails_sweep_last',
  `DELETE FROM person_mails WHERE id = ANY (ARRAY(
     SELECT id FROM person_mails
     WHERE email IS NOT NULL AND (sent_at IS NOT NULL OR given_up_at IS NOT NULL)
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);
const SWEEP_MAILS = statement(
  'person_mails_sweep',
  `DELETE FROM person_mails WHERE id = ANY (ARRAY(
     SELECT id FROM person_mails WHERE created_at < now() - interval '30 days'
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);
const SWEEP_NEWS = statement(
  'person_news_sweep',
  `DELETE FROM person_news WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM person_news WHERE created_at < now() - interval '30 days'
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Deletes addresses that nobody confirmed in time. */
export function sweepContactRequests(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_REQUESTS, [limit]);
}

/** Deletes last mails that are out, and with them addresses that were removed. */
export function sweepLastMails(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_LAST, [limit]);
}

/** Deletes mails of long ago. */
export function sweepPersonMails(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_MAILS, [limit]);
}

/** Deletes what was told long ago: longer than the stream could tell it again. */
export function sweepPersonNews(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_NEWS, [limit]);
}
