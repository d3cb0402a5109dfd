import { type Queryable, statement } from '@credit/platform/db';
import { BEFORE, type ExportEnd } from '../domain/audit-export';

/** A month of the audit log, as a part that there is or as an export of one. */
export interface AuditMonth {
  /** `2026-12`, or {@link BEFORE}. */
  readonly month: string;
  /** Nothing is written to it any more. */
  readonly is_closed: boolean;
  /** Its time to be kept is over. */
  readonly is_past: boolean;
  readonly exported_at: string | undefined;
  readonly digest: Buffer | undefined;
}

const TO_DATE = (month: string) =>
  `CASE WHEN ${month} = '${BEFORE}' THEN '-infinity' ELSE to_date(${month}, 'YYYY-MM') END`;

// A day after its end: transactions that began before it are long over. What is of before the months was written
// when its last entry says; nobody looks at that until it is asked.
const MONTHS = statement<AuditMonth>(
  'audit_exports_months',
  `WITH bound AS (
     SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1) AS kept_from
   ), parts AS (
     SELECT CASE WHEN relname = audit_part('-infinity') THEN '-infinity'
       ELSE to_date(right(relname, 7), 'YYYY_MM') END AS month
     FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = 'audit_events'::regclass AND relname <> 'audit_events_other'
   )
   SELECT CASE WHEN parts.month = '-infinity' THEN '${BEFORE}'
       ELSE to_char(parts.month, 'YYYY-MM') END AS month,
     parts.month + interval '1 month 1 day' < now() AT TIME ZONE 'UTC' AS is_closed,
     CASE WHEN parts.month = '-infinity'
       THEN NOT EXISTS (
         SELECT FROM audit_events
         WHERE audit_events.month = '-infinity' AND at >= kept_from AT TIME ZONE 'UTC')
       ELSE parts.month < kept_from END AS is_past,
     exported_at, digest
   FROM parts CROSS JOIN bound LEFT JOIN audit_exports AS x ON x.month = parts.month
   ORDER BY parts.month`,
);

const PIECES = statement<{ chain_id: string; first: bigint; last: bigint; count: bigint }>(
  'audit_exports_pieces',
  `SELECT chain_id, min(sequence) AS first, max(sequence) AS last, count(*) AS count
   FROM audit_events WHERE month = ${TO_DATE('$1::text')}
   GROUP BY chain_id ORDER BY chain_id`,
);

const INSERT = statement(
  'audit_exports_insert',
  `INSERT INTO audit_exports (month, entries, digest, seal)
   VALUES (${TO_DATE('$1::text')}, $2::bigint, $3::bytea, $4::text)`,
);

const INSERT_ENDS = statement(
  'audit_export_ends_insert',
  `INSERT INTO audit_export_ends (month, place, chain_id, first, last, hash, root)
   SELECT ${TO_DATE('$1::text')}, place, chain_id, first, last, hash, root
   FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[]) WITH ORDINALITY
     AS w (chain_id, first, last, hash, root, place)`,
);

const DROP = statement('audit_exports_drop', `SELECT drop_audit_month(${TO_DATE('$1::text')})`);

const DROPPED = statement<{ month: string; seal: string }>(
  'audit_exports_dropped',
  `SELECT CASE WHEN month = '-infinity' THEN '${BEFORE}' ELSE to_char(month, 'YYYY-MM') END AS month,
     seal
   FROM audit_exports AS x WHERE dropped_at IS NOT NULL ORDER BY x.month`,
);

const ENDS = statement<ExportEnd>(
  'audit_export_ends_read',
  `SELECT chain_id, first, last, hash, root FROM audit_export_ends
   WHERE month = ${TO_DATE('$1::text')} ORDER BY place`,
);

const DROPPED_UP_TO = statement<ExportEnd>(
  'audit_export_ends_dropped',
  `SELECT e.chain_id, e.first, e.last, e.hash, e.root
   FROM audit_export_ends AS e JOIN audit_exports AS x ON x.month = e.month
   WHERE e.chain_id = $1 AND x.dropped_at IS NOT NULL
   ORDER BY e.last DESC LIMIT 1`,
);

/** All months that have a part, the earliest first. */
export function listAuditMonths(on: Queryable, kept_months: number): Promise<AuditMonth[]> {
  return on.query(MONTHS, [kept_months]);
}

/** Which entries of which chains are in a month. */
export function piecesOfMonth(on: Queryable, month: string) {
  return on.query(PIECES, [month]);
}

export async function insertExport(
  tx: Queryable,
  made: {
    readonly month: string;
    readonly entries: number;
    readonly digest: Buffer;
    readonly seal: string;
    readonly ends: readonly ExportEnd[];
  },
): Promise<void> {
  const { month, entries, digest, seal, ends } = made;
  await tx.execute(INSERT, [month, BigInt(entries), digest, seal]);
  await tx.execute(INSERT_ENDS, [
    month,
    ends.map(({ chain_id }) => chain_id),
    ends.map(({ first }) => first),
    ends.map(({ last }) => last),
    ends.map(({ hash }) => hash),
    ends.map(({ root }) => root),
  ]);
}

/** Deletes a month of the log; refused by the database unless it is as it was exported. */
export async function dropAuditMonth(tx: Queryable, month: string): Promise<void> {
  await tx.execute(DROP, [month]);
}

/** The months that were dropped, with their seals. */
export function droppedMonths(on: Queryable): Promise<{ month: string; seal: string }[]> {
  return on.query(DROPPED);
}

/** What an exported month ends with, as it was sealed. */
export function endsOfMonth(on: Queryable, month: string): Promise<ExportEnd[]> {
  return on.query(ENDS, [month]);
}

/** What the dropped beginning of a chain ends with; undefined while all of it is there. */
export function droppedUpTo(on: Queryable, chain_id: string): Promise<ExportEnd | undefined> {
  return on.maybe(DROPPED_UP_TO, [chain_id]);
}
