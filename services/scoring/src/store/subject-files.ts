import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { InquiryFacts, SubjectType } from '../domain/model';
import type { ProjectedAccount, SubjectFile, SubjectHead } from '../domain/subject-file';
import { decodeFacts, encodeFacts, type StoredFacts } from './facts-codec';

const HEAD = columns({
  subject_id: column('uuid'),
  subject_type: column<'text', SubjectType>('text'),
  complete_version: column('integer'),
  early_versions: column('integer[]'),
  snapshot_sequence: column('integer'),
  score: nullable(column('smallint')),
  reason_codes: column('text'),
  model_version: column('text'),
});

type HeadRow = RowOf<typeof HEAD>;

interface FileRow extends HeadRow {
  accounts: [number, StoredFacts][] | undefined;
  /** Inquiry id, purpose, day, whether voided. */
  inquiries: [string, string, number, boolean][] | undefined;
}

// Those that a score counts, of the subject h after the day $2. Voided ones with them: what is told
// late of one must not bring it back.
const COUNTING_INQUIRIES = `(SELECT json_agg(json_build_array(i.inquiry_id, i.purpose, i.day, i.voided))
        FROM inquiry_projections i
       WHERE i.subject_id = h.subject_id AND i.day > $2
         AND i.inquiry_type = 'HARD' AND NOT i.duplicate) AS inquiries`;

const HEAD_COLUMNS = HEAD.names('h');

const LOAD = statement<FileRow>(
  'subject_files_load',
  // One statement is one snapshot: head and rows belong together. Only inquiries that can count.
  `SELECT ${HEAD_COLUMNS},
     (SELECT json_agg(json_build_array(a.version, a.facts))
        FROM account_projections a WHERE a.subject_id = h.subject_id) AS accounts,
     ${COUNTING_INQUIRIES}
   FROM subject_heads h
   WHERE h.subject_id = ANY ($1::uuid[])`,
);

const LOAD_HEAD = statement<HeadRow>(
  'subject_files_load_head',
  `SELECT ${HEAD_COLUMNS} FROM subject_heads h WHERE h.subject_id = $1`,
);

const ENSURE = batchStatement(
  'subject_files_ensure_heads',
  { heads: HEAD.pick('subject_id', 'subject_type') },
  (sql) => `INSERT INTO subject_heads (subject_id, subject_type)
   SELECT * FROM unnest(${sql.heads}) ORDER BY 1
   ON CONFLICT DO NOTHING`,
);

const LOCK = statement(
  'subject_files_lock_heads',
  // In the order of ids, so that two batches wait for each other and never both.
  `SELECT 1 FROM subject_heads WHERE subject_id = ANY ($1::uuid[])
   ORDER BY subject_id FOR UPDATE`,
);

const CHANGED_HEAD = HEAD.pick(
  'subject_id',
  'complete_version',
  'snapshot_sequence',
  'score',
  'reason_codes',
  'model_version',
).with(
  columns({
    // A list of lists must be even; as text each may have its own length.
    early_versions: column('text'),
    accounts_changed: column('boolean'),
  }),
);

const SAVE_HEADS = batchStatement(
  'subject_files_save_heads',
  { heads: CHANGED_HEAD },
  (sql) => `UPDATE subject_heads h SET
     complete_version = n.complete_version, early_versions = n.early_versions::integer[],
     snapshot_sequence = n.snapshot_sequence, score = n.score, reason_codes = n.reason_codes,
     model_version = n.model_version,
     accounts_revision = CASE WHEN n.accounts_changed THEN gen_random_uuid()
                              ELSE h.accounts_revision END
   FROM unnest(${sql.heads}) AS n (${CHANGED_HEAD.names()})
   WHERE h.subject_id = n.subject_id`,
);

const ACCOUNT = columns({
  subject_id: column('uuid'),
  account_id: column('uuid'),
  version: column('integer'),
  facts: column('json'),
});

const SAVE_ACCOUNTS = batchStatement(
  'account_projections_save',
  { accounts: ACCOUNT },
  (sql) => `INSERT INTO account_projections (${ACCOUNT.names()})
   SELECT * FROM unnest(${sql.accounts})
   ON CONFLICT (subject_id, account_id)
   DO UPDATE SET version = excluded.version, facts = excluded.facts
   WHERE account_projections.version <= excluded.version`,
);

const INQUIRY = columns({
  subject_id: column('uuid'),
  inquiry_id: column('uuid'),
  purpose: column('text'),
  inquiry_type: column('text'),
  duplicate: column('boolean'),
  day: column('integer'),
  voided: column('boolean'),
});

const SAVE_INQUIRIES = batchStatement(
  'inquiry_projections_save',
  { inquiries: INQUIRY },
  // An inquiry is voided for good; then one that repeated it counts, and what came after may not.
  (sql) => `INSERT INTO inquiry_projections (${INQUIRY.names()})
   SELECT * FROM unnest(${sql.inquiries})
   ON CONFLICT (subject_id, inquiry_id)
   DO UPDATE SET duplicate = excluded.duplicate, voided = excluded.voided
   WHERE NOT inquiry_projections.voided
     AND (excluded.voided OR inquiry_projections.duplicate <> excluded.duplicate)`,
);

/** No inquiry older than this is read: the longest span that the score or a profile looks back. */
const INQUIRY_DAYS = 366;

/** A subject's file in one round trip; undefined when nothing was ever told of the subject. */
export async function loadSubjectFile(
  db: Queryable,
  subject_id: string,
  as_of_day: number,
): Promise<SubjectFile | undefined> {
  const row = await db.maybe(LOAD, [[subject_id], as_of_day - INQUIRY_DAYS]);
  return row === undefined ? undefined : fileOf(row);
}

export async function loadSubjectHead(
  db: Queryable,
  subject_id: string,
): Promise<SubjectHead | undefined> {
  return db.maybe(LOAD_HEAD, [subject_id]);
}

const OPEN = statement<FileRow>(
  'subject_files_open',
  // As LOAD, but the accounts of such subjects only as are named or miss something: a soft look
  // needs none, and comes with every read.
  `SELECT ${HEAD_COLUMNS},
     CASE WHEN h.subject_id = ANY ($3::uuid[]) OR h.early_versions <> '{}' THEN
       (SELECT json_agg(json_build_array(a.version, a.facts))
          FROM account_projections a WHERE a.subject_id = h.subject_id) END AS accounts,
     ${COUNTING_INQUIRIES}
   FROM subject_heads h
   WHERE h.subject_id = ANY ($1::uuid[])`,
);

/**
 * Locks the subjects until the transaction ends, new ones included, and reads their files; without
 * accounts where nothing is missing and `with_accounts` leaves the subject out.
 */
export async function openSubjectFiles(
  tx: Transaction,
  subjects: ReadonlyMap<string, SubjectType>,
  as_of_day: number,
  with_accounts: ReadonlySet<string> = new Set(subjects.keys()),
): Promise<Map<string, SubjectFile>> {
  const ids = [...subjects.keys()];
  const heads = [...subjects].map(([subject_id, subject_type]) => ({ subject_id, subject_type }));
  await tx.execute(ENSURE, ENSURE.values({ heads }));
  await tx.query(LOCK, [ids]);
  // Only a statement that begins once the locks are held sees what the last holder wrote.
  const rows = await tx.query(OPEN, [ids, as_of_day - INQUIRY_DAYS, [...with_accounts]]);
  return new Map(rows.map((row) => [row.subject_id, fileOf(row)]));
}

/** Writes what differs between the files as they were opened and as they are now. */
export async function saveSubjectFiles(
  tx: Transaction,
  changes: readonly { readonly before: SubjectFile; readonly after: SubjectFile }[],
): Promise<void> {
  const changed = changes.filter(({ before, after }) => before !== after);
  const accounts = changed.flatMap(({ before, after }) =>
    [...after.accounts]
      .filter(([id, account]) => before.accounts.get(id) !== account)
      .map(([account_id, { version, facts }]) => ({
        subject_id: after.head.subject_id,
        account_id,
        version,
        facts: encodeFacts(facts),
      })),
  );
  if (accounts.length > 0) await tx.execute(SAVE_ACCOUNTS, SAVE_ACCOUNTS.values({ accounts }));
  const inquiries = changed.flatMap(({ before, after }) =>
    [...after.inquiries.values()]
      .filter((inquiry) => before.inquiries.get(inquiry.inquiry_id) !== inquiry)
      .map((inquiry) => ({ ...inquiry, subject_id: after.head.subject_id })),
  );
  if (inquiries.length > 0) await tx.execute(SAVE_INQUIRIES, SAVE_INQUIRIES.values({ inquiries }));
  const with_accounts = new Set(accounts.map(({ subject_id }) => subject_id));
  await saveHeads(
    tx,
    changed
      .filter(({ before, after }) => before.head !== after.head)
      .map(({ after }) => after.head),
    with_accounts,
  );
}

async function saveHeads(
  tx: Transaction,
  heads: readonly SubjectHead[],
  accounts_changed: ReadonlySet<string>,
): Promise<void> {
  if (heads.length === 0) return;
  const rows = heads.map((head) => ({
    ...head,
    early_versions: `{${head.early_versions.join(',')}}`,
    accounts_changed: accounts_changed.has(head.subject_id),
  }));
  await tx.execute(SAVE_HEADS, SAVE_HEADS.values({ heads: rows }));
}

const MARK_MODEL = statement(
  'subject_files_mark_model',
  // Only while the head is as it was read, and never waiting for who is about to change it.
  `UPDATE subject_heads SET model_version = $4
   WHERE subject_id = (
     SELECT subject_id FROM subject_heads
     WHERE subject_id = $1 AND complete_version = $2 AND snapshot_sequence = $3
     FOR UPDATE SKIP LOCKED)`,
);

/** Notes that the last snapshot's score is another model's too. */
export async function markModel(
  db: Queryable,
  { subject_id, complete_version, snapshot_sequence }: SubjectHead,
  model_version: string,
): Promise<void> {
  await db.execute(MARK_MODEL, [subject_id, complete_version, snapshot_sequence, model_version]);
}

const CLEAR_ACCOUNTS = statement(
  'account_projections_clear',
  'DELETE FROM account_projections WHERE subject_id = ANY ($1::uuid[])',
);

const CLEAR_INQUIRIES = statement(
  'inquiry_projections_clear',
  'DELETE FROM inquiry_projections WHERE subject_id = ANY ($1::uuid[])',
);

/** Writes files whole, in place of whatever rows the locked subjects have. */
export async function replaceSubjectFiles(
  tx: Transaction,
  files: readonly SubjectFile[],
): Promise<void> {
  if (files.length === 0) return;
  const ids = files.map(({ head }) => head.subject_id);
  await tx.execute(CLEAR_ACCOUNTS, [ids]);
  await tx.execute(CLEAR_INQUIRIES, [ids]);
  const nothing = new Map<string, never>();
  await saveSubjectFiles(
    tx,
    files.map((after) => ({
      before: { head: { ...after.head }, accounts: nothing, inquiries: nothing },
      after,
    })),
  );
  // An account may be gone for good: then no row was written that would tell.
  await tx.execute(REVISE, [ids]);
}

const REVISE = statement(
  'subject_files_revise',
  `UPDATE subject_heads SET accounts_revision = gen_random_uuid()
   WHERE subject_id = ANY ($1::uuid[])`,
);

const HEADS_BETWEEN = statement<HeadRow>(
  'subject_files_heads_between',
  `SELECT ${HEAD_COLUMNS} FROM subject_heads h
   WHERE h.subject_id > $1 AND h.subject_id <= $2 ORDER BY h.subject_id LIMIT $3`,
);

/** Heads by id, after one id and up to another. */
export async function headsBetween(
  db: Queryable,
  after_id: string,
  until_id: string,
  limit: number,
): Promise<SubjectHead[]> {
  return db.query(HEADS_BETWEEN, [after_id, until_id, limit]);
}

const PAGE = statement<FileRow>(
  'subject_files_page',
  // Joined and grouped, not looked up one by one: this goes through everybody.
  `WITH heads AS MATERIALIZED (
     SELECT * FROM subject_heads WHERE subject_id > $1 ORDER BY subject_id LIMIT $3
   ), bounds AS (
     SELECT min(subject_id::text)::uuid AS first, max(subject_id::text)::uuid AS last FROM heads
   ), accounts AS (
     SELECT a.subject_id, json_agg(json_build_array(a.version, a.facts)) AS rows
     FROM account_projections a, bounds
     WHERE a.subject_id >= bounds.first AND a.subject_id <= bounds.last
     GROUP BY a.subject_id
   ), inquiries AS (
     SELECT i.subject_id, json_agg(json_build_array(i.inquiry_id, i.purpose, i.day, i.voided)) AS rows
     FROM inquiry_projections i, bounds
     WHERE i.subject_id >= bounds.first AND i.subject_id <= bounds.last AND i.day > $2
       AND i.inquiry_type = 'HARD' AND NOT i.duplicate
     GROUP BY i.subject_id
   )
   SELECT ${HEAD_COLUMNS}, accounts.rows AS accounts, inquiries.rows AS inquiries
   FROM heads h
   LEFT JOIN accounts ON accounts.subject_id = h.subject_id
   LEFT JOIN inquiries ON inquiries.subject_id = h.subject_id
   ORDER BY h.subject_id`,
);

/** Files by subject id, after one id. */
export async function pageOfSubjectFiles(
  db: Queryable,
  after_id: string,
  limit: number,
  as_of_day: number,
): Promise<SubjectFile[]> {
  const rows = await db.query(PAGE, [after_id, as_of_day - INQUIRY_DAYS, limit]);
  return rows.map(fileOf);
}

const SWEEP_INQUIRIES = statement(
  'inquiry_projections_sweep',
  `DELETE FROM inquiry_projections WHERE (subject_id, inquiry_id) IN (
     SELECT subject_id, inquiry_id FROM inquiry_projections WHERE day < $1 LIMIT $2)`,
);

/** Deletes up to `limit` inquiries from before a day; returns how many. */
export function sweepInquiries(db: Queryable, before_day: number, limit: number): Promise<number> {
  return db.execute(SWEEP_INQUIRIES, [before_day, limit]);
}

interface ReadRow extends FileRow {
  accounts_revision: string;
}

const READ = statement<ReadRow>(
  'subject_files_read',
  // The accounts only when they are others than those of the revision that is known already.
  `SELECT ${HEAD_COLUMNS}, h.accounts_revision,
     CASE WHEN h.accounts_revision = $3::uuid THEN NULL ELSE
       (SELECT json_agg(json_build_array(a.version, a.facts))
          FROM account_projections a WHERE a.subject_id = h.subject_id) END AS accounts,
     ${COUNTING_INQUIRIES}
   FROM subject_heads h WHERE h.subject_id = $1`,
);

/** A subject's file as a reader finds it. */
export interface ReadFile {
  /** Names the state of the accounts. */
  readonly accounts_revision: string;
  /** Without accounts when they are those of the known revision. */
  readonly file: SubjectFile;
}

/** Reads a file, its accounts only if they changed since the known revision. */
export async function readSubjectFile(
  db: Queryable,
  subject_id: string,
  as_of_day: number,
  known_revision: string | undefined,
): Promise<ReadFile | undefined> {
  const row = await db.maybe(READ, [subject_id, as_of_day - INQUIRY_DAYS, known_revision]);
  if (row === undefined) return undefined;
  const { accounts_revision, ...rest } = row;
  return { accounts_revision, file: fileOf(rest) };
}

function fileOf({ accounts, inquiries, ...head }: FileRow): SubjectFile {
  return {
    head,
    accounts: new Map(
      (accounts ?? []).map(([version, stored]): [string, ProjectedAccount] => {
        const facts = decodeFacts(stored);
        return [facts.account_id, { version, facts }];
      }),
    ),
    inquiries: new Map(
      (inquiries ?? []).map(([inquiry_id, purpose, day, voided]): [string, InquiryFacts] => [
        inquiry_id,
        { inquiry_id, purpose, inquiry_type: 'HARD', duplicate: false, voided, day },
      ]),
    ),
  };
}
