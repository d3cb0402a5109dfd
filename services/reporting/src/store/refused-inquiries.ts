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
import type { InquiryRefusal, RefusedInquiry } from '../domain/inquiry';
import type { InquiryType, Purpose } from '../domain/vocabulary';
import type { Look } from './inquiries';
import { toMs, toText } from './time';

const REFUSED = columns({
  subject_id: column('uuid'),
  id: column('uuid'),
  institution_id: column('uuid'),
  purpose: column<'text', Purpose>('text'),
  inquiry_type: column<'text', InquiryType>('text'),
  refusal: column<'text', InquiryRefusal>('text'),
  created_at: column('timestamptz'),
  consent_reference: nullable(column('text')),
});
type RefusedRow = RowOf<typeof REFUSED>;

function toRefused({ created_at, ...row }: RefusedRow): RefusedInquiry {
  return { ...row, created_at_ms: toMs(created_at) };
}

const WRITE = batchStatement(
  'refused_inquiries_write',
  { refused: REFUSED },
  (sql) =>
    `INSERT INTO refused_inquiries (${REFUSED.names()}) SELECT * FROM unnest(${sql.refused})`,
);

export function writeRefused(tx: Transaction, refused: readonly RefusedInquiry[]): void {
  if (refused.length === 0) return;
  const rows = refused.map(({ created_at_ms, ...inquiry }) => ({
    ...inquiry,
    created_at: toText(created_at_ms),
  }));
  tx.write(WRITE, WRITE.values({ refused: rows }));
}

const KNOWN = statement<RefusedRow>(
  'refused_inquiries_known',
  `SELECT ${REFUSED.names('refused')}
   FROM unnest($1::uuid[], $2::uuid[]) AS wanted (subject_id, id)
   JOIN refused_inquiries AS refused USING (subject_id, id)`,
);

/** Those of the looks that were refused already, by id. */
export async function refusedAmong(
  on: Queryable,
  looks: readonly Look[],
): Promise<Map<string, RefusedInquiry>> {
  if (looks.length === 0) return new Map();
  const rows = await on.query(KNOWN, [
    looks.map((look) => look.subject_id),
    looks.map((look) => look.inquiry_id),
  ]);
  return new Map(rows.map((row) => [row.id, toRefused(row)]));
}

const OF_SUBJECT = statement<RefusedRow>(
  'refused_inquiries_of_subject',
  `SELECT ${REFUSED.names()} FROM refused_inquiries
   WHERE subject_id = $1 AND created_at >= $2 ORDER BY id DESC LIMIT $3`,
);

/** Who was turned away from a file since a time, whoever it was; the newest first. */
export async function refusedOf(
  on: Queryable,
  subject_id: string,
  since_ms: number,
  limit: number,
): Promise<RefusedInquiry[]> {
  return (await on.query(OF_SUBJECT, [subject_id, toText(since_ms), limit])).map(toRefused);
}
