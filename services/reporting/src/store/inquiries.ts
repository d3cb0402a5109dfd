import { type Queryable, statement } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { InquiryType, Purpose } from '../domain/vocabulary';
import { toMs, toText } from './time';

/** An inquiry as its row says it. */
export interface InquiryRow {
  subject_id: string;
  id: string;
  institution_id: string;
  purpose: Purpose;
  inquiry_type: InquiryType;
  duplicate_of: string | undefined;
  subject_version: number;
  created_at: string;
  voided_at: string | undefined;
}

export const INQUIRY_COLUMNS = `inquiries.subject_id, inquiries.id, inquiries.institution_id, inquiries.purpose,
  inquiries.inquiry_type, inquiries.duplicate_of, inquiries.subject_version,
  inquiries.created_at, inquiries.voided_at`;

export function toInquiry(row: InquiryRow): Inquiry {
  return {
    id: row.id,
    subject_id: row.subject_id,
    institution_id: row.institution_id,
    purpose: row.purpose,
    inquiry_type: row.inquiry_type,
    duplicate_of: row.duplicate_of,
    subject_version: row.subject_version,
    created_at_ms: toMs(row.created_at),
    voided_at_ms: toMs(row.voided_at),
  };
}

/** Who looks at whose file. */
export interface Look {
  readonly inquiry_id: string;
  readonly subject_id: string;
  readonly institution_id: string;
}

const RELEVANT = statement<InquiryRow>(
  'inquiries_relevant',
  `SELECT ${INQUIRY_COLUMNS}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, id)
   JOIN inquiries USING (subject_id, id)
   UNION
   SELECT ${INQUIRY_COLUMNS}
   FROM (
     SELECT DISTINCT subject_id, institution_id
     FROM unnest($1::uuid[], $3::uuid[]) AS looks (subject_id, institution_id)
   ) AS wanted
   JOIN inquiries USING (subject_id, institution_id)
   WHERE inquiries.created_at > $4 AND inquiries.duplicate_of IS NULL
     AND inquiries.voided_at IS NULL`,
);

/** What decides on a look: what is on record under its id, and what it may repeat. */
export interface RelevantInquiries {
  /** By id. */
  readonly known: ReadonlyMap<string, Inquiry>;
  /** Of the same institutions and subjects since then; they repeat no other one and count. */
  readonly originals: readonly Inquiry[];
}

export async function relevantInquiries(
  on: Queryable,
  looks: readonly Look[],
  since_ms: number,
): Promise<RelevantInquiries> {
  const rows = await on.query(RELEVANT, [
    looks.map((look) => look.subject_id),
    looks.map((look) => look.inquiry_id),
    looks.map((look) => look.institution_id),
    toText(since_ms),
  ]);
  const inquiries = rows.map(toInquiry);
  const ids = new Set(looks.map((look) => look.inquiry_id));
  return {
    known: new Map(
      inquiries.filter((inquiry) => ids.has(inquiry.id)).map((inquiry) => [inquiry.id, inquiry]),
    ),
    originals: inquiries.filter(
      (inquiry) =>
        inquiry.duplicate_of === undefined &&
        inquiry.voided_at_ms === undefined &&
        inquiry.created_at_ms > since_ms,
    ),
  };
}

const HOLDERS = statement<{ subject_id: string; institution_id: string }>(
  'accounts_holders',
  `SELECT DISTINCT wanted.subject_id, wanted.institution_id
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, institution_id)
   JOIN accounts USING (subject_id, institution_id)
   WHERE NOT accounts.voided`,
);

/** Which of the lookers have an account of their own with the subject, as `subject:institution`. */
export async function lookersWithAccount(
  on: Queryable,
  looks: readonly Look[],
): Promise<Set<string>> {
  const rows = await on.query(HOLDERS, [
    looks.map((look) => look.subject_id),
    looks.map((look) => look.institution_id),
  ]);
  return new Set(rows.map((row) => `${row.subject_id}:${row.institution_id}`));
}

const LOOKED = statement<{ looked: boolean }>(
  'inquiries_looked_since',
  `SELECT EXISTS (
     SELECT 1 FROM inquiries
     WHERE subject_id = $1 AND created_at > $3 AND institution_id = $2 AND voided_at IS NULL
   ) AS looked`,
);

/** Whether an institution has looked at a subject after a time, hard or soft, with authority. */
export async function hasLookedSince(
  on: Queryable,
  { subject_id, institution_id }: Pick<Look, 'subject_id' | 'institution_id'>,
  since_ms: number,
): Promise<boolean> {
  const { looked } = await on.one(LOOKED, [subject_id, institution_id, toText(since_ms)]);
  return looked;
}

/** Inquiries as columns for unnest. */
export function inquiryColumns(inquiries: readonly Inquiry[]): unknown[][] {
  return [
    inquiries.map((inquiry) => inquiry.subject_id),
    inquiries.map((inquiry) => inquiry.id),
    inquiries.map((inquiry) => inquiry.institution_id),
    inquiries.map((inquiry) => inquiry.purpose),
    inquiries.map((inquiry) => inquiry.inquiry_type),
    inquiries.map((inquiry) => inquiry.duplicate_of),
    inquiries.map((inquiry) => inquiry.subject_version),
    inquiries.map((inquiry) => toText(inquiry.created_at_ms)),
  ];
}
