import { batchStatement, column, columns, type Queryable, statement } from '@credit/platform/db';
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

const TOLD = columns({
  correction_event_id: column('uuid'),
  subject_id: column('uuid'),
  account_id: column('uuid'),
  credit_event_id: column('uuid'),
  event_type: column<'text', EventType>('text'),
  change: column<'text', CorrectionChange>('text'),
});
// Lists of different lengths cannot be one array: each comes as text that PostgreSQL reads.
const WRITTEN = TOLD.with(columns({ institution_ids: column('text') }));

const KEEP = batchStatement(
  'told_corrections_keep',
  { now: 'timestamptz', told: WRITTEN },
  (sql) => `INSERT INTO told_corrections (${TOLD.names()}, told_at, institution_ids)
   SELECT ${TOLD.names()}, ${sql.now}, institution_ids::uuid[]
   FROM unnest(${sql.told}) AS new (${WRITTEN.names()})
   ON CONFLICT (correction_event_id) DO NOTHING
   RETURNING correction_event_id`,
).answering<{ correction_event_id: string }>();

/** Keeps who is told of corrections, of one moment; says which of them were not told before. */
export async function keepToldCorrections(
  on: Queryable,
  corrections: readonly Omit<ToldCorrection, 'told_at_ms'>[],
  now_ms: number,
): Promise<ReadonlySet<string>> {
  const told = corrections.map(({ institution_ids, ...correction }) => {
    return { ...correction, institution_ids: `{${institution_ids.join(',')}}` };
  });
  const rows = await on.query(KEEP, KEEP.values({ now: toText(now_ms), told }));
  return new Set(rows.map((row) => row.correction_event_id));
}

const OF_SUBJECT = statement<Omit<ToldCorrection, 'told_at_ms'> & { told_at: string }>(
  'told_corrections_of_subject',
  `SELECT ${TOLD.names()}, told_at, institution_ids::text[] AS institution_ids
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
