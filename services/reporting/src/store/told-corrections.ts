import { type Queryable, statement } from '@credit/platform/db';
import type { CorrectionChange } from '../domain/network-event';
import type { EventType } from '../domain/vocabulary';
import { toMs, toText } from './time';

/** A correction that was told to those who had looked. */
export interface ToldCorrection {
  readonly correction_event_id: string;
  readonly subject_id: string;
  readonly account_id: string;
  readonly credit_event_id: string;
  readonly event_type: EventType;
  readonly change: CorrectionChange;
  readonly told_at_ms: number;
  readonly institution_ids: readonly string[];
}

const KEEP = statement<{ correction_event_id: string }>(
  'told_corrections_keep',
  // Lists of different lengths cannot be one array: each comes as text that PostgreSQL reads.
  `INSERT INTO told_corrections (correction_event_id, subject_id, account_id, credit_event_id,
     event_type, change, told_at, institution_ids)
   SELECT correction_event_id, subject_id, account_id, credit_event_id, event_type, change,
     $7::timestamptz, institution_ids::uuid[]
   FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $8::text[])
     AS new (correction_event_id, subject_id, account_id, credit_event_id, event_type, change,
       institution_ids)
   ON CONFLICT (correction_event_id) DO NOTHING
   RETURNING correction_event_id`,
);

/** Keeps who is told of corrections, of one moment; says which of them were not told before. */
export async function keepToldCorrections(
  on: Queryable,
  told: readonly Omit<ToldCorrection, 'told_at_ms'>[],
  now_ms: number,
): Promise<ReadonlySet<string>> {
  const rows = await on.query(KEEP, [
    told.map((one) => one.correction_event_id),
    told.map((one) => one.subject_id),
    told.map((one) => one.account_id),
    told.map((one) => one.credit_event_id),
    told.map((one) => one.event_type),
    told.map((one) => one.change),
    toText(now_ms),
    told.map((one) => `{${one.institution_ids.join(',')}}`),
  ]);
  return new Set(rows.map((row) => row.correction_event_id));
}

const OF_SUBJECT = statement<Omit<ToldCorrection, 'told_at_ms'> & { told_at: string }>(
  'told_corrections_of_subject',
  `SELECT correction_event_id, subject_id, account_id, credit_event_id, event_type, change, told_at,
     institution_ids::text[] AS institution_ids
   FROM told_corrections WHERE subject_id = $1
   ORDER BY told_at DESC, correction_event_id DESC LIMIT $2`,
);

/** Corrections of a subject's file that were told, the newest first. */
export async function toldCorrectionsOf(
  on: Queryable,
  subject_id: string,
  limit: number,
): Promise<ToldCorrection[]> {
  const rows = await on.query(OF_SUBJECT, [subject_id, limit]);
  return rows.map(({ told_at, ...row }) => ({ ...row, told_at_ms: toMs(told_at) }));
}
