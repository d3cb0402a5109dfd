import { type Queryable, statement } from '@credit/platform/db';
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
export interface NewPlace {
  readonly dispute_id: string;
  readonly subject_id: string | null;
  readonly account_id: string | null;
  readonly institution_ids: readonly string[];
}

// In the order of ids, as two who found out about the same disputes must not wait for each other.
const LOCATE = statement<{ id: string }>(
  'dispute_locate',
  `WITH fresh AS (
     SELECT disputes.id, found.subject_id, found.account_id
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS found (id, subject_id, account_id)
     JOIN disputes USING (id)
     WHERE located_at IS NULL
     ORDER BY disputes.id FOR UPDATE OF disputes
   )
   UPDATE disputes SET located_at = $4, located_subject_id = fresh.subject_id,
     account_id = fresh.account_id
   FROM fresh WHERE disputes.id = fresh.id
   RETURNING disputes.id`,
);

const INSERT_INSTITUTIONS = statement(
  'dispute_institutions_insert',
  `INSERT INTO dispute_institutions (dispute_id, institution_id)
   SELECT * FROM unnest($1::uuid[], $2::uuid[])`,
);

/** Keeps where disputes belong; returns those of which it was not known before. */
export async function keepPlaces(
  on: Queryable,
  places: readonly NewPlace[],
  located_at: string,
): Promise<ReadonlySet<string>> {
  const rows = await on.query(LOCATE, [
    places.map((place) => place.dispute_id),
    places.map((place) => place.subject_id),
    places.map((place) => place.account_id),
    located_at,
  ]);
  const fresh = new Set(rows.map((row) => row.id));
  const pairs = places
    .filter(({ dispute_id }) => fresh.has(dispute_id))
    .flatMap(({ dispute_id, institution_ids }) => institution_ids.map((id) => [dispute_id, id]));
  if (pairs.length > 0) {
    await on.execute(INSERT_INSTITUTIONS, [
      pairs.map(([dispute_id]) => dispute_id),
      pairs.map(([, institution_id]) => institution_id),
    ]);
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
