import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { ChangedName, Identity, NewSubject, Subject } from '../domain/subject';
import { SUBJECT_COLUMNS, type SubjectRow, toSubject } from './subjects';
import { toText } from './time';

const MAY_RENAME = statement<{ allowed: boolean }>(
  'subjects_may_rename',
  `SELECT EXISTS (
     SELECT FROM accounts
     WHERE subject_id = $1 AND institution_id = $2 AND NOT voided
       AND original_principal_minor > 0 AND created_at <= $3
       AND underlying_status NOT IN ('PAID', 'CANCELLED') AND state ->> 'closed_at_ms' IS NULL
   ) AS allowed`,
);

/** True for who has lent to the subject and reported it before a time, while the account is open. */
export async function mayRename(
  on: Queryable,
  subject_id: string,
  institution_id: string,
  reported_before_ms: number,
): Promise<boolean> {
  const values = [subject_id, institution_id, toText(reported_before_ms)];
  return (await on.one(MAY_RENAME, values)).allowed;
}

const CONCERNED = statement<{ institution_id: string }>(
  'subjects_concerned_institutions',
  `SELECT created_by_institution_id AS institution_id FROM subjects WHERE id = $1
   UNION
   SELECT institution_id FROM accounts WHERE subject_id = $1 AND NOT voided
   ORDER BY institution_id`,
);

/** Who created the subject, and who reports about it. */
export async function concernedInstitutions(on: Queryable, subject_id: string): Promise<string[]> {
  const rows = await on.query(CONCERNED, [subject_id]);
  return rows.map((row) => row.institution_id);
}

const RESERVE = statement(
  'subject_identities_reserve',
  `UPDATE subject_identities AS identities SET reserved_until = $4
   FROM unnest($2::text[], $3::text[]) AS changed (kind, key)
   WHERE identities.kind = changed.kind AND identities.key = changed.key
     AND identities.subject_id = $1`,
);

/** Keeps identities that the subject gives up until a time; without one, takes them up again. */
export async function reserveIdentities(
  on: Queryable,
  subject_id: string,
  identities: readonly Identity[],
  until_ms: number | undefined,
): Promise<void> {
  if (identities.length === 0) return;
  await on.execute(RESERVE, [
    subject_id,
    identities.map((identity) => identity.kind),
    identities.map((identity) => identity.key),
    toText(until_ms),
  ]);
}

const KEEP = statement(
  'subject_former_names_keep',
  `INSERT INTO subject_former_names AS known (subject_id, kind, name, replaced_at,
     replaced_by_institution_id)
   SELECT $1, kind, name, $4, $5 FROM unnest($2::text[], $3::text[]) AS former (kind, name)
   ON CONFLICT (subject_id, kind, name) DO UPDATE
     SET replaced_at = excluded.replaced_at,
         replaced_by_institution_id = excluded.replaced_by_institution_id,
         times = CASE WHEN known.replaced_at > $6 THEN known.times + 1 ELSE 1 END`,
);

const GIVEN_UP = statement<{ times: bigint }>(
  'subject_former_names_given_up',
  `SELECT coalesce(sum(times), 0)::bigint AS times FROM subject_former_names
   WHERE subject_id = $1 AND replaced_at > $2`,
);

/** How often the subject gave a name up since a time. */
export async function namesGivenUp(
  on: Queryable,
  subject_id: string,
  since_ms: number,
): Promise<number> {
  return Number((await on.one(GIVEN_UP, [subject_id, toText(since_ms)])).times);
}

/** Keeps the names that are replaced. */
export async function keepFormerNames(
  on: Queryable,
  replaced: {
    readonly subject_id: string;
    readonly changes: readonly ChangedName[];
    readonly institution_id: string;
    readonly now_ms: number;
    /** What went before this time is no more counted with what goes now. */
    readonly counted_since_ms: number;
  },
): Promise<void> {
  const former = replaced.changes.filter((change) => change.from !== undefined);
  if (former.length === 0) return;
  await on.execute(KEEP, [
    replaced.subject_id,
    former.map((change) => change.field),
    former.map((change) => change.from),
    toText(replaced.now_ms),
    replaced.institution_id,
    toText(replaced.counted_since_ms),
  ]);
}

const SEARCH_TEXT = statement<{ search_text: string }>(
  'subjects_search_text',
  'SELECT search_text FROM subjects WHERE id = $1',
);

export async function searchTextOf(on: Queryable, subject_id: string): Promise<string> {
  return (await on.one(SEARCH_TEXT, [subject_id])).search_text;
}

const WRITE = batchStatement(
  'subjects_rename',
  {
    subject_id: 'uuid',
    current_username: 'text',
    forum_id: 'text',
    trading_name: 'text',
    distinct_note: 'text',
    search_text: 'text',
    now: 'timestamptz',
  },
  (sql) => `UPDATE subjects
   SET current_username = ${sql.current_username}, forum_id = ${sql.forum_id},
       trading_name = ${sql.trading_name},
       distinct_note = coalesce(${sql.distinct_note}, distinct_note),
       search_text = ${sql.search_text}, updated_at = ${sql.now}
   WHERE id = ${sql.subject_id}
   RETURNING ${SUBJECT_COLUMNS}`,
).answering<SubjectRow>();

export async function writeNames(
  on: Queryable,
  names: {
    readonly subject_id: string;
    readonly fields: NewSubject;
    readonly search_text: string;
    readonly now_ms: number;
  },
): Promise<Subject> {
  const { subject_id, fields, search_text, now_ms } = names;
  const values = WRITE.values({
    subject_id,
    current_username: fields.current_username,
    forum_id: fields.forum_id,
    trading_name: fields.trading_name,
    distinct_note: fields.confirm_distinct ? fields.distinct_note : undefined,
    search_text,
    now: toText(now_ms),
  });
  return toSubject(await on.one(WRITE, values));
}
