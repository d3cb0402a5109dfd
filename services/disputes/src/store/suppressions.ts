import { type Queryable, statement } from '@credit/platform/db';
import type { SuppressionState } from './disputes';

/** A dispute whose record is left out, or is to be. */
export interface SuppressedDispute {
  readonly id: string;
  readonly credit_event_id: string;
  readonly suppression_state: SuppressionState;
}

const COLUMNS = 'id, credit_event_id, suppression_state';

const FIND = statement<SuppressedDispute>(
  'dispute_suppression',
  `SELECT ${COLUMNS} FROM disputes WHERE id = $1 AND suppression_state = 'WANTED'`,
);

/** A dispute whose record is to be left out and is not yet. */
export function wantedSuppression(
  on: Queryable,
  dispute_id: string,
): Promise<SuppressedDispute | undefined> {
  return on.maybe(FIND, [dispute_id]);
}

const WANTED = statement<SuppressedDispute>(
  'dispute_suppressions_wanted',
  `SELECT ${COLUMNS} FROM disputes WHERE suppression_state = 'WANTED' ORDER BY id LIMIT $1`,
);

/** The first of those. */
export function wantedSuppressions(on: Queryable, limit: number): Promise<SuppressedDispute[]> {
  return on.query(WANTED, [limit]);
}

const TAKE_OVERDUE = statement<{ id: string }>(
  'dispute_suppress_overdue',
  // An intake that anybody could write counts when an administrator has taken it up.
  `UPDATE disputes SET suppression = 'OVERDUE', suppression_state = 'WANTED', suppressed_since = due_at
   WHERE id = ANY (ARRAY(
     SELECT id FROM disputes
     WHERE status IN ('OPEN', 'UNDER_REVIEW') AND due_at < $1 AND suppression_state IS NULL
       AND (person_subject_id IS NOT NULL OR status = 'UNDER_REVIEW')
       AND located_subject_id IS NOT NULL AND credit_event_id IS NOT NULL
       AND pending_move_id IS NULL
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED))
   RETURNING id`,
);

/** Has what was not decided in time be left out; returns how many there were. */
export async function takeOverdue(on: Queryable, now: string, limit: number): Promise<number> {
  return (await on.query(TAKE_OVERDUE, [now, limit])).length;
}

const SUPPRESSED = statement(
  'dispute_suppressed',
  `UPDATE disputes SET suppression_state = $2 WHERE id = $1 AND suppression_state = 'WANTED'`,
);

/** Keeps what has come of it, unless a decision was faster. */
export async function keepSuppression(
  on: Queryable,
  dispute_id: string,
  state: SuppressionState,
): Promise<void> {
  await on.execute(SUPPRESSED, [dispute_id, state]);
}

const ON_THEIR_WAY = statement<SuppressedDispute>(
  'dispute_suppressions_on_their_way',
  `SELECT ${COLUMNS} FROM disputes
   WHERE pending_move_id = $1 AND suppression_state IN ('WANTED', 'DONE') ORDER BY id LIMIT $2`,
);

/** Those of the disputes that a move takes along. */
export function suppressedOnTheirWay(
  on: Queryable,
  move_id: string,
  limit: number,
): Promise<SuppressedDispute[]> {
  return on.query(ON_THEIR_WAY, [move_id, limit]);
}

const END = statement(
  'dispute_suppression_end',
  `UPDATE disputes SET suppression_state = 'ENDED'
   WHERE id = $1 AND suppression_state IN ('WANTED', 'DONE')`,
);

/** The record is back, as far as this dispute goes. */
export async function endSuppression(on: Queryable, dispute_id: string): Promise<void> {
  await on.execute(END, [dispute_id]);
}
