// What an institution has made in the test environment, and how it leaves.

import { type Queryable, statement } from '@credit/platform/db';
import type { Identity } from '../domain/subject';
import { toText } from './time';

/** An account of any institution. */
export interface PlacedAccount {
  readonly account_id: string;
  readonly subject_id: string;
  readonly institution_id: string;
}

const OWN_ACCOUNTS = statement<PlacedAccount>(
  'clearing_own_accounts',
  // A void account has no external id: those that stand are read, however many there were.
  `SELECT account_id, subject_id, institution_id FROM account_directory
   WHERE institution_id = $1 AND external_account_id IS NOT NULL
   ORDER BY external_account_id LIMIT $2`,
);

/** Accounts of the institution that are not void. */
export function ownAccounts(on: Queryable, institution_id: string, limit: number) {
  return on.query(OWN_ACCOUNTS, [institution_id, limit]);
}

const ACCOUNTS_OF_SUBJECTS = statement<PlacedAccount>(
  'clearing_accounts_of_subjects',
  `SELECT id AS account_id, subject_id, institution_id FROM accounts
   WHERE subject_id = ANY ($1::uuid[]) AND NOT voided ORDER BY subject_id, id`,
);

/** All accounts of subjects that are not void. */
export function accountsOfSubjects(on: Queryable, subject_ids: readonly string[]) {
  return on.query(ACCOUNTS_OF_SUBJECTS, [subject_ids]);
}

const STANDING = statement<{ id: string }>(
  'clearing_standing_accounts',
  `SELECT id FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, id)
   JOIN accounts USING (subject_id, id)
   WHERE NOT accounts.voided`,
);

/** Which of these accounts are not void by now. */
export async function standingAmong(
  on: Queryable,
  accounts: readonly PlacedAccount[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query(STANDING, [
    accounts.map(({ subject_id }) => subject_id),
    accounts.map(({ account_id }) => account_id),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** An inquiry by its key. */
export interface InquiryKey {
  readonly subject_id: string;
  readonly id: string;
}

const OWN_INQUIRIES = statement<InquiryKey>(
  'clearing_own_inquiries',
  `SELECT subject_id, id FROM inquiries
   WHERE institution_id = $1 AND id > $2 AND voided_at IS NULL ORDER BY id LIMIT $3`,
);

/** Inquiries of the institution that count, from an id on. */
export function ownInquiries(
  on: Queryable,
  institution_id: string,
  after_id: string,
  limit: number,
) {
  return on.query(OWN_INQUIRIES, [institution_id, after_id, limit]);
}

const UNUSED_SUBJECTS = statement<{ id: string }>(
  'clearing_unused_subjects',
  `SELECT id FROM subjects
   WHERE created_by_institution_id = $1 AND cleared_at IS NULL
     -- What was moved is led to by this subject's names, and may come back to it.
     AND NOT EXISTS (
       SELECT FROM subject_moves
       WHERE subject_moves.from_subject_id = subjects.id OR subject_moves.to_subject_id = subjects.id
     )
     AND NOT EXISTS (
       SELECT FROM accounts
       WHERE accounts.subject_id = subjects.id AND NOT accounts.voided
         AND accounts.institution_id <> ALL ($2::uuid[])
     )
     AND NOT EXISTS (
       SELECT FROM inquiries
       WHERE inquiries.subject_id = subjects.id AND inquiries.voided_at IS NULL
         AND inquiries.institution_id <> ALL ($2::uuid[])
     )
     AND ($3::uuid[] IS NULL OR id = ANY ($3))
   ORDER BY created_by_institution_id, id LIMIT $4`,
);

/** Subjects that the institution created and nobody has a record of but those who are named; none with moves. */
export async function unusedSubjects(
  on: Queryable,
  institution_id: string,
  users: readonly string[],
  among: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await on.query(UNUSED_SUBJECTS, [institution_id, users, among, limit]);
  return rows.map(({ id }) => id);
}

const FORMER_NAMES = statement<{
  kind: 'current_username' | 'forum_id' | 'trading_name';
  name: string;
}>('clearing_former_names', 'SELECT kind, name FROM subject_former_names WHERE subject_id = $1');

/** What a subject was called before. */
export function formerNames(on: Queryable, subject_id: string) {
  return on.query(FORMER_NAMES, [subject_id]);
}

const RELEASE = statement(
  'clearing_release_subject',
  // Grams are found by their own key, which begins with the gram.
  `WITH known AS (
     SELECT id, search_text FROM subjects WHERE id = $1
   ), grams AS (
     DELETE FROM subject_grams USING known
     WHERE subject_grams.gram = ANY (search_grams(known.search_text))
       AND subject_grams.subject_id = known.id
   ), identities AS (
     DELETE FROM subject_identities
     USING unnest($3::text[], $4::text[]) AS named (kind, key)
     WHERE subject_identities.kind = named.kind AND subject_identities.key = named.key
       AND subject_identities.subject_id = $1
   ), former AS (
     DELETE FROM subject_former_names WHERE subject_id = $1
   )
   UPDATE subjects SET cleared_at = $2, search_text = '' WHERE id = $1`,
);

/** Frees the names of a subject; it is found by its id alone from then on. */
export async function releaseSubject(
  on: Queryable,
  subject_id: string,
  identities: readonly Identity[],
  now_ms: number,
): Promise<void> {
  await on.execute(RELEASE, [
    subject_id,
    toText(now_ms),
    identities.map(({ kind }) => kind),
    identities.map(({ key }) => key),
  ]);
}
