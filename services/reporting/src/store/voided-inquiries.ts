import { type Queryable, statement, type Transaction } from '@credit/platform/db';
import type { Inquiry } from '../domain/inquiry';
import { BUMP_HEADS } from './changes';
import { headColumns } from './heads';
import { INQUIRY_COLUMNS, type InquiryRow, toInquiry } from './inquiries';
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
  `SELECT ${INQUIRY_COLUMNS} FROM inquiries
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

const VOID = statement(
  'changes_void_inquiries',
  `WITH heads AS (${BUMP_HEADS}),
   kept AS (
     INSERT INTO inquiry_voidings (dispute_id, inquiry_ids, voided_at)
     VALUES ($4, $5::uuid[], $1)
   )
   UPDATE inquiries
   SET voided_at = new.voided_at, duplicate_of = new.duplicate_of,
       subject_version = new.subject_version
   FROM unnest($6::uuid[], $7::uuid[], $8::timestamptz[], $9::uuid[], $10::integer[])
     AS new (subject_id, id, voided_at, duplicate_of, subject_version)
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
  const { changed } = changes;
  tx.write(VOID, [
    toText(changes.now_ms),
    ...headColumns(changes.heads),
    changes.dispute_id,
    changes.inquiry_ids,
    changed.map((inquiry) => inquiry.subject_id),
    changed.map((inquiry) => inquiry.id),
    changed.map((inquiry) => toText(inquiry.voided_at_ms)),
    changed.map((inquiry) => inquiry.duplicate_of),
    changed.map((inquiry) => inquiry.subject_version),
  ]);
}
