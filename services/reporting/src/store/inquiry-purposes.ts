import { type Queryable, statement } from '@credit/platform/db';
import { lowestIdAt } from '@credit/platform/values';
import type { InquiryType, Purpose } from '../domain/vocabulary';
import { ID_TOLERANCE_MS } from './inquiries';
import { toText } from './time';

/** How often an institution looked for one purpose in one way. */
export interface PurposeCount {
  readonly purpose: Purpose;
  readonly inquiry_type: InquiryType;
  readonly shown_30d: bigint;
  readonly shown_12m: bigint;
  readonly refused_30d: bigint;
  readonly refused_12m: bigint;
  readonly with_consent_12m: bigint;
}

// Of a lender's millions the index alone is read, within the range of ids: it carries what is counted.
const PURPOSES = statement<PurposeCount>(
  'inquiry_purposes',
  `SELECT purpose, inquiry_type,
     count(*) FILTER (WHERE NOT refused AND created_at >= $4) AS shown_30d,
     count(*) FILTER (WHERE NOT refused) AS shown_12m,
     count(*) FILTER (WHERE refused AND created_at >= $4) AS refused_30d,
     count(*) FILTER (WHERE refused) AS refused_12m,
     count(*) FILTER (WHERE NOT refused AND has_consent) AS with_consent_12m
   FROM (
     SELECT purpose, inquiry_type, created_at, consent_reference IS NOT NULL AS has_consent,
       false AS refused
     FROM inquiries WHERE institution_id = $1 AND id >= $2 AND created_at >= $3
     UNION ALL
     SELECT purpose, inquiry_type, created_at, false, true
     FROM refused_inquiries WHERE institution_id = $1 AND id >= $2 AND created_at >= $3
   ) AS looks
   GROUP BY purpose, inquiry_type ORDER BY shown_12m DESC, refused_12m DESC, purpose, inquiry_type`,
);

/** The institution's looks since two times, those for the most frequent purpose first. */
export function purposesOf(
  on: Queryable,
  institution_id: string,
  since: { readonly days_ms: number; readonly months_ms: number },
): Promise<PurposeCount[]> {
  return on.query(PURPOSES, [
    institution_id,
    lowestIdAt(since.months_ms - ID_TOLERANCE_MS),
    toText(since.months_ms),
    toText(since.days_ms),
  ]);
}
