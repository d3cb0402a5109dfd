import {
  batchStatement,
  column,
  columns,
  type Queryable,
  type RowOf,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { FileAct, FileEntry, FileRights, StatedRecord } from '../domain/file-entries';
import { toMs, toText } from './time';

const ENTRY = columns({
  sequence: column('integer'),
  id: column('uuid'),
  recorded_at: column('timestamptz'),
  kind: column<'text', FileAct['kind']>('text'),
  act: column('json'),
});
const WRITTEN = ENTRY.with(
  columns({ subject_id: column('uuid'), actor_type: column('text'), actor_id: column('text') }),
);

function toEntry({ kind, act, recorded_at, ...row }: RowOf<typeof ENTRY>): FileEntry {
  return {
    ...row,
    recorded_at_ms: toMs(recorded_at),
    // Sound: nothing else is written into these columns.
    act: { kind, ...(act as object) } as FileAct,
  };
}

// Of the index file_entries_told: what a freeze and its exceptions come to is no business of readers.
const SHOWN = `kind IN ('ALERT_PLACED', 'ALERT_REMOVED', 'STATEMENT_SET', 'STATEMENT_REMOVED',
  'FILE_JOINED', 'FILE_PARTED')`;

const SHOWN_OF_SUBJECT = statement<RowOf<typeof ENTRY>>(
  'file_entries_shown_of_subject',
  `SELECT ${ENTRY.names()} FROM file_entries
   WHERE subject_id = $1 AND recorded_at <= $2 AND ${SHOWN} ORDER BY sequence`,
);

/** Entries about what readers are shown, up to a time, in their order. */
export async function shownEntriesOf(
  on: Queryable,
  subject_id: string,
  until_ms: number,
): Promise<FileEntry[]> {
  return (await on.query(SHOWN_OF_SUBJECT, [subject_id, toText(until_ms)])).map(toEntry);
}

const SHOWN_SINCE = statement<{ count: number }>(
  'file_entries_shown_since',
  `SELECT count(*)::integer FROM (
     SELECT FROM file_entries
     WHERE subject_id = $1 AND recorded_at > $2 AND kind IN ('ALERT_PLACED', 'STATEMENT_SET')
       AND ${SHOWN}
     LIMIT $3
   ) AS counted`,
);

/** How many alerts and statements were put on a file after a time, counted up to a limit. */
export async function shownSince(
  on: Queryable,
  subject_id: string,
  since_ms: number,
  limit: number,
): Promise<number> {
  return (await on.one(SHOWN_SINCE, [subject_id, toText(since_ms), limit])).count;
}

const OF_SUBJECTS = statement<RowOf<typeof ENTRY> & { subject_id: string }>(
  'file_entries_of_subjects',
  `SELECT subject_id, ${ENTRY.names()} FROM file_entries
   WHERE subject_id = ANY ($1::uuid[]) ORDER BY subject_id, sequence`,
);

/** All entries of subjects' files, in their order, by subject. */
export async function entriesOf(
  on: Queryable,
  subject_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly FileEntry[]>> {
  const rows = await on.query(OF_SUBJECTS, [subject_ids]);
  const bySubject = Map.groupBy(rows, ({ subject_id }) => subject_id);
  return new Map(
    [...bySubject].map(([id, of_subject]) => [
      id,
      of_subject.map(({ subject_id: _subject_id, ...row }) => toEntry(row)),
    ]),
  );
}

const RECORDED_AT = statement<{ recorded_at: string }>(
  'file_entries_recorded_at',
  'SELECT recorded_at FROM file_entries WHERE subject_id = $1 AND sequence = $2',
);

/** When an entry was recorded; undefined when there is none of that number. */
export async function entryRecordedAt(
  on: Queryable,
  subject_id: string,
  sequence: number,
): Promise<number | undefined> {
  return toMs((await on.maybe(RECORDED_AT, [subject_id, sequence]))?.recorded_at);
}

const WRITE = batchStatement(
  'changes_write_file_entry',
  { subject_id: 'uuid', rights: 'json', entries: WRITTEN },
  (sql) => `WITH heads AS (
     UPDATE subject_heads SET rights = ${sql.rights} WHERE subject_id = ${sql.subject_id}
   )
   INSERT INTO file_entries (${WRITTEN.names()}) SELECT * FROM unnest(${sql.entries})`,
);

/** Writes an entry, by whose hand, and how its file stands with it. */
export function writeEntry(
  tx: Transaction,
  subject_id: string,
  { act: { kind, ...act }, recorded_at_ms, ...entry }: FileEntry,
  rights: FileRights,
): void {
  const { type: actor_type, id: actor_id } = tx.ctx.actor;
  const row = {
    ...entry,
    recorded_at: toText(recorded_at_ms),
    kind,
    act: JSON.stringify(act),
    subject_id,
    actor_type,
    actor_id,
  };
  tx.write(WRITE, WRITE.values({ subject_id, rights: JSON.stringify(rights), entries: [row] }));
}

const STATED = statement<
  Omit<StatedRecord, 'occurred_at_ms'> & { occurred_at: string | undefined }
>(
  'file_entries_stated_record',
  `SELECT 'EVENT' AS record_kind, events.id AS record_id, accounts.id AS account_id,
     accounts.institution_id, events.occurred_at
   FROM credit_events AS events
   JOIN accounts ON accounts.subject_id = events.subject_id AND accounts.id = events.account_id
   WHERE events.subject_id = $1 AND events.id = $2
   UNION ALL
   SELECT 'ACCOUNT', id, id, institution_id, NULL FROM accounts WHERE subject_id = $1 AND id = $2`,
);

/** A credit event or account of a subject's file; undefined when there is none with that id. */
export async function recordOnFile(
  on: Queryable,
  subject_id: string,
  record_id: string,
): Promise<StatedRecord | undefined> {
  const row = await on.maybe(STATED, [subject_id, record_id]);
  if (row === undefined) return undefined;
  const { occurred_at, ...record } = row;
  return { ...record, occurred_at_ms: toMs(occurred_at) };
}
