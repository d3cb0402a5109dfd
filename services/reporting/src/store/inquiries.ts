import {
  column,
  columns,
  nullable,
  type Queryable,
  type RowOf,
  statement,
} from '@credit/platform/db';
import { lowestIdAt } from '@credit/platform/values';
import type { Inquiry, InquiryRefusal, RefusedInquiry } from '../domain/inquiry';
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
  consent_reference: nullable(column('text')),
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

// LATERAL with OFFSET 0 looks each subject's inquiries up by its own key: joined, all inquiries of the
// day, or of an institution, would be read for each look. NOT DISTINCT, so that no index of the
// institution is an alternative.
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
   CROSS JOIN LATERAL (
     SELECT ${INQUIRY.names()} FROM inquiries
     WHERE inquiries.subject_id = wanted.subject_id
       AND inquiries.institution_id IS NOT DISTINCT FROM wanted.institution_id
       AND inquiries.created_at > $4 AND inquiries.duplicate_of IS NULL
       AND inquiries.voided_at IS NULL
     OFFSET 0
   ) AS inquiries`,
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
  // A subject has few accounts, a lender very many: an index of the institution must be no choice.
  `SELECT DISTINCT wanted.subject_id, wanted.institution_id
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, institution_id)
   CROSS JOIN LATERAL (
     SELECT FROM accounts
     WHERE accounts.subject_id = wanted.subject_id
       AND accounts.institution_id IS NOT DISTINCT FROM wanted.institution_id
       AND NOT accounts.voided
     LIMIT 1
   ) AS own`,
);

/** Which of the lookers have an account of their own with the subject, as `subject:institution`. */
export async function lookersWithAccount(
  on: Queryable,
  looks: readonly Pick<Look, 'subject_id' | 'institution_id'>[],
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
     WHERE subject_id = $1 AND created_at > $3 AND voided_at IS NULL
       AND purpose <> 'SUBJECT_REQUEST'
       AND institution_id IS NOT DISTINCT FROM $2
   ) AS looked`,
);

/**
 * Whether an institution has looked at a subject after a time, hard or soft, with authority and for
 * itself: what a person asked for by its hand gives it no right of its own.
 */
export async function hasLookedSince(
  on: Queryable,
  { subject_id, institution_id }: Pick<Look, 'subject_id' | 'institution_id'>,
  since_ms: number,
): Promise<boolean> {
  const { looked } = await on.one(LOOKED, [subject_id, institution_id, toText(since_ms)]);
  return looked;
}

/** Which of an institution's inquiries; what is absent narrows nothing. */
export interface InquiryFilter {
  readonly institution_id: string;
  readonly subject_id?: string | undefined;
  readonly purpose?: Purpose | undefined;
  readonly from_ms?: number | undefined;
  readonly to_ms?: number | undefined;
  /** The last id of the page before. */
  readonly before_id?: string | undefined;
}

/** Ids are made by the caller a moment before, in the worst case by a clock that is somewhat off. */
export const ID_TOLERANCE_MS = 3_600_000;

/** An inquiry of an institution, be it that it was refused. */
export type OwnInquiry = Inquiry | RefusedInquiry;

interface OwnRow extends InquiryRow {
  refusal: InquiryRefusal | undefined;
}

/**
 * The newest looks and the newest that were refused, both of the same condition.
 * Each is walked by itself and ends by itself: put together first, all of a lender's would be sorted.
 */
function ownInquiries(where: string, limit: string): string {
  const newest = `WHERE ${where} ORDER BY id DESC LIMIT ${limit}`;
  return `(SELECT ${INQUIRY.names()}, NULL AS refusal FROM inquiries ${newest})
   UNION ALL
   (SELECT subject_id, id, institution_id, purpose, inquiry_type, NULL, 0, created_at,
       consent_reference, NULL, refusal
    FROM refused_inquiries ${newest})
   ORDER BY id DESC LIMIT ${limit}`;
}

function toOwn({ refusal, ...row }: OwnRow): OwnInquiry {
  const inquiry = toInquiry(row);
  return refusal === undefined ? inquiry : { ...inquiry, refusal };
}

const ONE_OF_INSTITUTION = statement<OwnRow>(
  'inquiries_one_of_institution',
  ownInquiries('institution_id = $1 AND id = $2', '1'),
);

export async function inquiryOfInstitution(
  on: Queryable,
  institution_id: string,
  inquiry_id: string,
): Promise<OwnInquiry | undefined> {
  const row = await on.maybe(ONE_OF_INSTITUTION, [institution_id, inquiry_id]);
  return row && toOwn(row);
}

// The range of ids keeps the walk within the time that is asked for; the time itself decides.
const IN_TIME = `($2::uuid IS NULL OR id < $2) AND ($3::uuid IS NULL OR id >= $3)
     AND ($4::uuid IS NULL OR id < $4)
     AND ($5::timestamptz IS NULL OR created_at >= $5)
     AND ($6::timestamptz IS NULL OR created_at < $6)`;

const OF_INSTITUTION = statement<OwnRow>(
  'inquiries_of_institution',
  ownInquiries(`institution_id = $1 AND ${IN_TIME}`, '$7'),
);

const FOR_PURPOSE = statement<OwnRow>(
  'inquiries_of_institution_for_purpose',
  ownInquiries(`institution_id = $1 AND ${IN_TIME} AND purpose = $8`, '$7'),
);

// A subject has few inquiries: its key is all that is needed.
const OF_SUBJECT = statement<OwnRow>(
  'inquiries_of_institution_and_subject',
  ownInquiries(
    `institution_id IS NOT DISTINCT FROM $1 AND ${IN_TIME} AND subject_id = $8
     AND ($9::text IS NULL OR purpose = $9)`,
    '$7',
  ),
);

/** The institution's inquiries, newest first; refused ones among them. */
export async function inquiriesOfInstitution(
  on: Queryable,
  { institution_id, subject_id, purpose, from_ms, to_ms, before_id }: InquiryFilter,
  limit: number,
): Promise<OwnInquiry[]> {
  const values = [
    institution_id,
    before_id,
    from_ms === undefined ? undefined : lowestIdAt(from_ms - ID_TOLERANCE_MS),
    to_ms === undefined ? undefined : lowestIdAt(to_ms + ID_TOLERANCE_MS),
    toText(from_ms),
    toText(to_ms),
    limit,
  ];
  if (subject_id !== undefined) {
    return (await on.query(OF_SUBJECT, [...values, subject_id, purpose])).map(toOwn);
  }
  if (purpose !== undefined) {
    return (await on.query(FOR_PURPOSE, [...values, purpose])).map(toOwn);
  }
  return (await on.query(OF_INSTITUTION, values)).map(toOwn);
}

const OF_FILE = statement<OwnRow>(
  'inquiries_of_file',
  ownInquiries('subject_id = $1 AND created_at >= $2', '$3'),
);

/** Who looked at a subject's file since a time, and who was refused; the newest first. */
export async function inquiriesOfFile(
  on: Queryable,
  subject_id: string,
  since_ms: number,
  limit: number,
): Promise<OwnInquiry[]> {
  return (await on.query(OF_FILE, [subject_id, toText(since_ms), limit])).map(toOwn);
}

const LOOKER = statement<{ institution_id: string }>(
  'inquiry_looker',
  'SELECT institution_id FROM inquiries WHERE subject_id = $1 AND id = $2',
);

/** Who made an inquiry about the subject; nobody's own is not one that can be contested. */
export async function lookerOf(
  on: Queryable,
  subject_id: string,
  inquiry_id: string,
): Promise<string | undefined> {
  return (await on.maybe(LOOKER, [subject_id, inquiry_id]))?.institution_id;
}
