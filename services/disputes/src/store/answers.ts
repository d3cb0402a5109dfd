import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { KeptAnswer } from '../domain/answer';

const INSERT = batchStatement(
  'dispute_answer_insert',
  {
    id: 'uuid',
    dispute_id: 'uuid',
    institution_id: 'uuid',
    verdict: 'text',
    answer: 'text',
    correction_event_ids: 'uuid[]',
    answered_at: 'timestamptz',
  },
  (sql) => `WITH kept AS (
     INSERT INTO dispute_answers (${Object.keys(sql).join(', ')})
     VALUES (${Object.values(sql).join(', ')})
     RETURNING dispute_id, institution_id, answered_at
   )
   UPDATE dispute_institutions AS concerned SET answered_at = kept.answered_at
   FROM kept
   WHERE concerned.institution_id = kept.institution_id
     AND concerned.dispute_id = kept.dispute_id`,
);

/** Keeps an answer, which stands from then on. */
export async function insertAnswer(
  on: Queryable,
  { text, ...answer }: KeptAnswer & { readonly dispute_id: string },
): Promise<void> {
  await on.execute(INSERT, INSERT.values({ ...answer, answer: text }));
}

const OF_DISPUTE = statement<KeptAnswer>(
  'dispute_answers_of',
  `SELECT id, institution_id, verdict, answer AS text, correction_event_ids, answered_at
   FROM dispute_answers
   WHERE dispute_id = $1 AND ($2::uuid IS NULL OR institution_id = $2)
   ORDER BY id DESC LIMIT $3`,
);

/** The answers to a dispute, the latest first: one institution's, or everybody's. */
export function answersOf(
  on: Queryable,
  dispute_id: string,
  institution_id: string | undefined,
  limit: number,
): Promise<KeptAnswer[]> {
  return on.query(OF_DISPUTE, [dispute_id, institution_id, limit]);
}
