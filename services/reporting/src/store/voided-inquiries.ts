import {
  batchStatement,
  column,
  columns,
  type Queryable,
  statement,
  type Transaction,
} from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import { bumpHeads, HEAD, toHeadRows } from './heads';
import { INQUIRY, type InquiryRow, toInquiry, toInquiryRow } from './inquiries';
import { toText } from './time';

const VOIDING = statement<{ inquiry_ids: string[] }>(
  'inquiry_voidings_read',
  'SELECT inquiry_ids FROM inquiry_voidings WHERE dispute_id = $1',
);

/** What a dispute has voided; undefined when it has not decided that yet. */
export async function voidedForDispute(
  on: Queryable,
  dispute_id: string,
): Promise<string[] | undefined> {
  return (await on.maybe(VOIDING, [dispute_id]))?.inquiry_ids;
}

const OF_SUBJECT = statement<InquiryRow>(
  'inquiries_of_institutions',
  `SELECT ${INQUIRY.names('inquiries')} FROM inquiries
   WHERE subject_id = $1 AND (institution_id = ANY ($2::uuid[]) OR cardinality($2::uuid[]) = 0)
   ORDER BY created_at, id`,
);

/** All inquiries of these institutions about a subject, oldest first; everybody's without any. */
export async function inquiriesOf(
  on: Queryable,
  subject_id: string,
  institution_ids: readonly string[],
): Promise<Inquiry[]> {
  return (await on.query(OF_SUBJECT, [subject_id, institution_ids])).map(toInquiry);
}

const LATEST_OF_SUBJECT = statement<InquiryRow>(
  'inquiries_latest_of_institutions',
  // By the subject's key, from its end.
  `SELECT ${INQUIRY.names('inquiries')} FROM inquiries
   WHERE subject_id = $1 AND (institution_id = ANY ($2::uuid[]) OR cardinality($2::uuid[]) = 0)
   ORDER BY id DESC LIMIT $3`,
);

/** The latest inquiries of these institutions about a subject, newest first; everybody's without any. */
export async function latestInquiriesOf(
  on: Queryable,
  { subject_id, institution_ids }: { subject_id: string; institution_ids: readonly string[] },
  limit: number,
): Promise<Inquiry[]> {
  return (await on.query(LATEST_OF_SUBJECT, [subject_id, institution_ids, limit])).map(toInquiry);
}

const VOIDED = INQUIRY.pick('subject_id', 'id', 'voided_at', 'duplicate_of', 'subject_version');

const VOID = batchStatement(
  'changes_void_inquiries',
  {
    now: 'timestamptz',
    heads: HEAD,
    dispute_id: 'uuid',
    ids: columns({ inquiry_id: column('uuid') }),
    changed: VOIDED,
  },
  (sql) => `WITH heads AS (${bumpHeads(sql.heads)}),
   kept AS (
     INSERT INTO inquiry_voidings (dispute_id, inquiry_ids, voided_at)
     VALUES (${sql.dispute_id}, ${sql.ids}, ${sql.now})
   )
   UPDATE inquiries
   SET ${VOIDED.assignments('new', 'subject_id', 'id')}
   FROM unnest(${sql.changed}) AS new (${VOIDED.names()})
   WHERE inquiries.subject_id = new.subject_id AND inquiries.id = new.id`,
);

/** What the voiding of inquiries changes. */
export interface VoidingChanges {
  readonly now_ms: number;
  readonly heads: ReadonlyMap<string, number>;
  readonly dispute_id: string;
  readonly inquiry_ids: readonly string[];
  /** The voided ones and those that count anew. */
  readonly changed: readonly Inquiry[];
}

export function writeVoiding(tx: Transaction, changes: VoidingChanges): void {
  const values = VOID.values({
    now: toText(changes.now_ms),
    heads: toHeadRows(changes.heads),
    dispute_id: changes.dispute_id,
    ids: changes.inquiry_ids.map((inquiry_id) => ({ inquiry_id })),
    changed: changes.changed.map(toInquiryRow),
  });
  tx.write(VOID, values);
}
