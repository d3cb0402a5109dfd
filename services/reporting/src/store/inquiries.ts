import {
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import type { InquiryType, Purpose } from '../domain/vocabulary';
import { toMs, toText } from './time';

/** A new inquiry. */
export const NEW_INQUIRY = columns({
  subject_id: column('uuid'),
  id: column('uuid'),
  institution_id: column('uuid'),
  purpose: column<'text', Purpose>('text'),
  inquiry_type: column<'text', InquiryType>('text'),
  duplicate_of: nullable(column('uuid')),
  subject_version: column('integer'),
  created_at: column('timestamptz'),
});
/** An inquiry as it is read. */
export const INQUIRY = NEW_INQUIRY.with(columns({ voided_at: nullable(column('timestamptz')) }));
export type InquiryRow = RowOf<typeof INQUIRY>;

export function toInquiry({ created_at, voided_at, ...row }: InquiryRow): Inquiry {
  return { ...row, created_at_ms: toMs(created_at), voided_at_ms: toMs(voided_at) };
}

export function toInquiryRow(inquiry: Inquiry) {
  return {
    ...inquiry,
    created_at: toText(inquiry.created_at_ms),
    voided_at: toText(inquiry.voided_at_ms),
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
  `SELECT ${INQUIRY.names('inquiries')}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, id)
   JOIN inquiries USING (subject_id, id)
   UNION
   SELECT ${INQUIRY.names('inquiries')}
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
