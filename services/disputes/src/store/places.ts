import {
  batchStatement,
  column,
  columns,
  nullable,
  type Queryable,
  statement,
} from '@credit/platform/db';
import type { Place } from '../domain/place';
import type { LocatedDispute } from './disputes';

/** A dispute of which is not known where its record is. */
export type UnlocatedDispute = Pick<
  LocatedDispute,
  | 'id'
  | 'subject_id'
  | 'credit_event_id'
  | 'reported_institution_id'
  | 'reason'
  | 'opened_at'
  | 'due_at'
>;

const NOT_LOCATED = statement<UnlocatedDispute>(
  'dispute_not_located',
  `SELECT id, subject_id, credit_event_id, reported_institution_id, reason, opened_at, due_at
   FROM disputes WHERE located_at IS NULL ORDER BY id LIMIT $1`,
);

/** The oldest disputes that have not been located. */
export function disputesNotLocated(on: Queryable, limit: number): Promise<UnlocatedDispute[]> {
  return on.query(NOT_LOCATED, [limit]);
}

/** What was found out about a dispute. */
export interface NewPlace extends Place {
  readonly dispute_id: string;
}

const FOUND = columns({
  id: column('uuid'),
  subject_id: nullable(column('uuid')),
  account_id: nullable(column('uuid')),
});

// In the order of ids, as two who found out about the same disputes must not wait for each other.
const LOCATE = batchStatement(
  'dispute_locate',
  { found: FOUND, located_at: 'timestamptz' },
  ({ found, located_at }) => `WITH fresh AS (
     SELECT disputes.id, found.subject_id, found.account_id
     FROM unnest(${found}) AS found (${FOUND.names()})
     JOIN disputes USING (id)
     WHERE located_at IS NULL
     ORDER BY disputes.id FOR UPDATE OF disputes
   )
   UPDATE disputes SET located_at = ${located_at}, located_subject_id = fresh.subject_id,
     account_id = fresh.account_id
   FROM fresh WHERE disputes.id = fresh.id
   RETURNING disputes.id`,
).answering<{ id: string }>();

const CONCERNED = columns({ dispute_id: column('uuid'), institution_id: column('uuid') });

const INSERT_INSTITUTIONS = batchStatement(
  'dispute_institutions_insert',
  { concerned: CONCERNED },
  ({ concerned }) => `INSERT INTO dispute_institutions (${CONCERNED.names()})
   SELECT * FROM unnest(${concerned})`,
);

/** Keeps where disputes belong; returns those of which it was not known before. */
export async function keepPlaces(
  on: Queryable,
  places: readonly NewPlace[],
  located_at: string,
): Promise<ReadonlySet<string>> {
  const found = places.map(({ account_id, dispute_id: id, subject_id }) => {
    return { id, subject_id, account_id };
  });
  const rows = await on.query(LOCATE, LOCATE.values({ found, located_at }));
  const fresh = new Set(rows.map((row) => row.id));
  const concerned = places
    .filter(({ dispute_id }) => fresh.has(dispute_id))
    .flatMap(({ dispute_id, institution_ids }) =>
      institution_ids.map((institution_id) => ({ dispute_id, institution_id })),
    );
  if (concerned.length > 0) {
    await on.execute(INSERT_INSTITUTIONS, INSERT_INSTITUTIONS.values({ concerned }));
  }
  return fresh;
}

const INSTITUTIONS = statement<{ dispute_id: string; institution_ids: string[] }>(
  'dispute_institutions_of',
  `SELECT dispute_id, array_agg(institution_id ORDER BY institution_id) AS institution_ids
   FROM dispute_institutions WHERE dispute_id = ANY ($1::uuid[]) GROUP BY dispute_id`,
);

/** Whose reporting disputes are about; those that concern nobody are left out. */
export async function institutionsOf(
  on: Queryable,
  dispute_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await on.query(INSTITUTIONS, [dispute_ids]);
  return new Map(rows.map(({ dispute_id, institution_ids }) => [dispute_id, institution_ids]));
}

const MOVE = statement(
  'places_move',
  // A merge takes all of a subject along, disputes that were told of meanwhile among them.
  `UPDATE disputes SET located_subject_id = $2, records_moved_at = $6
   WHERE id IN (
       SELECT id FROM disputes WHERE account_id = ANY ($4::uuid[])
       UNION
       SELECT id FROM disputes WHERE id = ANY ($5::uuid[])
       UNION
       SELECT id FROM disputes WHERE $3::boolean AND located_subject_id = $1)
     AND located_subject_id IS NOT NULL
     AND (records_moved_at IS NULL OR records_moved_at < $6)`,
);

/** Records that went from one subject to another. */
export interface MovedRecords {
  readonly kind: string;
  readonly from_subject_id: string;
  readonly to_subject_id: string;
  readonly account_ids: readonly string[];
  readonly dispute_ids: readonly string[];
  /** The merge that a split takes back. */
  readonly undoes_move_id?: string | undefined;
  readonly moved_at?: string | undefined;
}

const MERGED = statement(
  'subject_merges_keep',
  // Merges and their ends are heard of in any order: the latest counts.
  `INSERT INTO subject_merges AS known (from_subject_id, to_subject_id, moved_at) VALUES ($1, $2, $3)
   ON CONFLICT (from_subject_id)
   DO UPDATE SET to_subject_id = excluded.to_subject_id, moved_at = excluded.moved_at
   WHERE known.moved_at < excluded.moved_at`,
);

/** Puts disputes where the records are that they are about, and keeps whose file is whose. */
export async function moveLocated(on: Queryable, moved: MovedRecords): Promise<void> {
  if (moved.moved_at === undefined) throw new Error('A move has no time.');
  await on.execute(MOVE, [
    moved.from_subject_id,
    moved.to_subject_id,
    moved.kind === 'MERGE',
    moved.account_ids,
    moved.dispute_ids,
    moved.moved_at,
  ]);
  if (moved.kind === 'MERGE') {
    await on.execute(MERGED, [moved.from_subject_id, moved.to_subject_id, moved.moved_at]);
  } else if (moved.undoes_move_id !== undefined) {
    // What a split takes from the one file is the other's that was merged into it.
    await on.execute(MERGED, [moved.to_subject_id, null, moved.moved_at]);
  }
}
