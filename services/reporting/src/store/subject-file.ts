import { type Queryable, statement } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import type { SubjectType } from '../domain/vocabulary';
import { ACCOUNT, type AccountRow, toAccount } from './accounts';
import { MERGED_INTO } from './heads';
import { INQUIRY, type InquiryRow, toInquiry } from './inquiries';
import { toText } from './time';

/** Everything the score needs of a subject, as of one moment. */
export interface SubjectFile {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  /** What the rest is complete up to. */
  readonly version: number;
  readonly merged_into?: string | undefined;
  /** The last version with which records went from the subject; 0 when none ever has. */
  readonly left_version: number;
  /** The credit event that made this version; undefined when an inquiry did, or nothing has yet. */
  readonly last_event_id?: string | undefined;
  readonly accounts: readonly Account[];
  /** Oldest first. */
  readonly inquiries: readonly Inquiry[];
}

interface FileRow {
  subject_type: SubjectType;
  version: number;
  merged_into: string | undefined;
  left_version: number;
  last_event_id: string | undefined;
  // As JSON has them: bigints are numbers, and amounts stay below 2^53.
  accounts: (Omit<AccountRow, 'original_principal_minor'> & { original_principal_minor: number })[];
  inquiries: InquiryRow[];
}

// One statement sees one snapshot: the version speaks of exactly these accounts and inquiries.
const FILE = statement<FileRow>(
  'subject_file',
  `SELECT subjects.type AS subject_type, heads.version, heads.left_version, ${MERGED_INTO},
     (SELECT events.id
      FROM accounts JOIN credit_events AS events
        ON events.subject_id = $1 AND events.account_id = accounts.id
       AND events.sequence = accounts.version
      WHERE accounts.subject_id = $1 AND accounts.subject_version = heads.version
      -- A move makes one version of all that came with it.
      ORDER BY events.id DESC LIMIT 1
     ) AS last_event_id,
     (SELECT coalesce(json_agg(row ORDER BY row.id), '[]')
      FROM (SELECT ${ACCOUNT.names('accounts')} FROM accounts WHERE subject_id = $1) AS row) AS accounts,
     (SELECT coalesce(json_agg(row ORDER BY row.created_at, row.id), '[]')
      FROM (SELECT ${INQUIRY.names('inquiries')} FROM inquiries
            WHERE subject_id = $1 AND created_at >= $2) AS row) AS inquiries
   FROM subject_heads AS heads
   JOIN subjects ON subjects.id = heads.subject_id
   WHERE heads.subject_id = $1`,
);

/** A subject's file with its inquiries since then; undefined when there is no such subject. */
export async function subjectFile(
  on: Queryable,
  subject_id: string,
  inquiries_since_ms: number,
): Promise<SubjectFile | undefined> {
  const row = await on.maybe(FILE, [subject_id, toText(inquiries_since_ms)]);
  if (row === undefined) return undefined;
  return {
    subject_id,
    subject_type: row.subject_type,
    version: row.version,
    merged_into: row.merged_into,
    left_version: row.left_version,
    last_event_id: row.last_event_id,
    accounts: row.accounts.map((account) => {
      const original_principal_minor = BigInt(account.original_principal_minor);
      return toAccount({ ...withoutNulls(account), original_principal_minor });
    }),
    inquiries: row.inquiries.map((inquiry) => toInquiry(withoutNulls(inquiry))),
  };
}

/** A row that came as JSON, as if it had come by itself. */
function withoutNulls<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row;
}
