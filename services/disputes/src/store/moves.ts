import type { CallContext } from '@credit/platform/context';
import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { ErrorCode, ErrorDetail } from '@credit/platform/errors';
import type { MoveOrder, MoveStep } from '../domain/move';

/** Why a move was refused, as it is told to whoever asks. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** A decision that is being carried out. */
export interface Move extends MoveOrder {
  readonly id: string;
  readonly dispute_id: string;
  readonly step: MoveStep;
  readonly actor_type: CallContext['actor']['type'];
  readonly actor_id: string;
  readonly client_address: string;
  readonly request_id: string;
  /** The accounts that it is about, and the events that opened them. */
  readonly account_ids: readonly string[];
  readonly opening_event_ids: readonly string[];
  readonly correction_event_id: string | undefined;
  readonly voided_inquiry_ids: readonly string[];
  /** How many of the accounts could not be taken off the file. */
  readonly unmended_count: number;
  readonly attempts: number;
  readonly lease_token: string;
}

const ORDER = {
  status: 'text',
  resolution: 'text',
  correction: 'bytea',
  named_account_ids: 'uuid[]',
  inquiry_ids: 'uuid[]',
  apply_to_group: 'boolean',
} as const;
const ORDER_COLUMNS = Object.keys(ORDER).join(', ');
const COLUMNS = `id, dispute_id, ${ORDER_COLUMNS}, step, actor_type, actor_id, client_address,
  request_id, account_ids, opening_event_ids, correction_event_id, voided_inquiry_ids,
  unmended_count, attempts, lease_token`;

const INSERT = batchStatement(
  'dispute_move_insert',
  {
    lease_s: 'double precision',
    id: 'uuid',
    dispute_id: 'uuid',
    ...ORDER,
    actor_type: 'text',
    actor_id: 'text',
    client_address: 'text',
    request_id: 'text',
    lease_token: 'uuid',
  },
  ({ lease_s, ...row }) =>
    `INSERT INTO dispute_moves (${Object.keys(row).join(', ')}, lease_until)
   VALUES (${Object.values(row).join(', ')}, now() + make_interval(secs => ${lease_s}))
   RETURNING ${COLUMNS}`,
).answering<Move>();

/** Stores a decision as the caller's to carry out. */
export function insertMove(
  on: Queryable,
  move: Pick<Move, 'id' | 'dispute_id' | 'lease_token' | keyof MoveOrder>,
  by: CallContext,
  lease_ms: number,
): Promise<Move> {
  const { actor, client_address, request_id } = by;
  const values = INSERT.values({
    ...move,
    correction: move.correction && Buffer.from(move.correction),
    actor_type: actor.type,
    actor_id: actor.id,
    client_address,
    request_id,
    lease_s: lease_ms / 1_000,
  });
  return on.one(INSERT, values);
}

const PENDING = statement<MoveOrder & { id: string }>(
  'dispute_move_pending',
  `SELECT id, ${ORDER_COLUMNS} FROM dispute_moves
   WHERE (dispute_id = $1 OR id = $2) AND state = 'PENDING'`,
);

/** What is being carried out for a dispute, whether it was decided about it or about its group. */
export function pendingMove(
  on: Queryable,
  { id, pending_move_id }: { readonly id: string; readonly pending_move_id: string | undefined },
): Promise<(MoveOrder & { readonly id: string }) | undefined> {
  return on.maybe(PENDING, [id, pending_move_id]);
}

/** How a move stands. */
export interface MoveState {
  readonly state: 'PENDING' | 'DONE' | 'REFUSED';
  readonly refusal: Refusal | undefined;
}

const STATE = statement<MoveState>(
  'dispute_move_state',
  'SELECT state, refusal FROM dispute_moves WHERE id = $1',
);

export function moveState(on: Queryable, id: string): Promise<MoveState> {
  return on.one(STATE, [id]);
}

const REVIEWS_BEGUN = statement<{ ended_at: string }>(
  'dispute_moves_reviews_begun',
  `SELECT ended_at FROM dispute_moves
   WHERE dispute_id = $1 AND status = 'UNDER_REVIEW' AND state = 'DONE' ORDER BY ended_at`,
);

/** When reviews of a dispute began; once at most, as the states allow. */
export async function reviewsBegunAt(on: Queryable, dispute_id: string): Promise<string[]> {
  return (await on.query(REVIEWS_BEGUN, [dispute_id])).map(({ ended_at }) => ended_at);
}

const TAKE = `UPDATE dispute_moves SET lease_token = $1,
     lease_until = now() + make_interval(secs => $2), attempts = attempts + 1`;
const FREE = `state = 'PENDING' AND (lease_until IS NULL OR lease_until < now())`;

const CLAIM = statement<Move>(
  'dispute_move_claim',
  `${TAKE} WHERE id = $3 AND ${FREE} RETURNING ${COLUMNS}`,
);

/** Takes a move over; undefined when it has ended or is somebody's. */
export function claimMove(
  on: Queryable,
  id: string,
  lease_token: string,
  lease_ms: number,
): Promise<Move | undefined> {
  return on.maybe(CLAIM, [lease_token, lease_ms / 1_000, id]);
}

const CLAIM_DUE = statement<Move>(
  'dispute_move_claim_due',
  `${TAKE} WHERE id = ANY (ARRAY(
     SELECT id FROM dispute_moves WHERE next_attempt_at <= now() AND ${FREE}
     ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED))
   RETURNING ${COLUMNS}`,
);

/** Takes over moves that nobody carries out. */
export function claimDueMoves(
  on: Queryable,
  lease_token: string,
  lease_ms: number,
  limit: number,
): Promise<Move[]> {
  return on.query(CLAIM_DUE, [lease_token, lease_ms / 1_000, limit]);
}

const RELEASE = statement(
  'dispute_move_release',
  `UPDATE dispute_moves SET lease_token = NULL, lease_until = NULL,
     next_attempt_at = now() + make_interval(secs => $3)
   WHERE id = $1 AND lease_token = $2 AND state = 'PENDING'`,
);

/** Gives a move back after a failed attempt. */
export async function releaseMove(
  on: Queryable,
  move: Pick<Move, 'id' | 'lease_token'>,
  pause_ms: number,
): Promise<void> {
  await on.execute(RELEASE, [move.id, move.lease_token, pause_ms / 1_000]);
}

const ADVANCE = batchStatement(
  'dispute_move_advance',
  {
    id: 'uuid',
    step: 'text',
    next: 'text',
    account_ids: 'uuid[]',
    opening_event_ids: 'uuid[]',
    correction_event_id: 'uuid',
    voided_inquiry_ids: 'uuid[]',
    unmended_count: 'integer',
    lease_s: 'double precision',
  },
  (sql) => `UPDATE dispute_moves SET step = ${sql.next}, account_ids = ${sql.account_ids},
     opening_event_ids = ${sql.opening_event_ids},
     correction_event_id = ${sql.correction_event_id},
     voided_inquiry_ids = ${sql.voided_inquiry_ids}, unmended_count = ${sql.unmended_count},
     lease_until = now() + make_interval(secs => ${sql.lease_s})
   WHERE id = ${sql.id} AND step = ${sql.step} AND state = 'PENDING'`,
);

/** Goes on from a step; false when somebody else has done so. */
export async function advanceMove(
  on: Queryable,
  move: Move,
  next: MoveStep,
  lease_ms: number,
): Promise<boolean> {
  const values = ADVANCE.values({ ...move, next, lease_s: lease_ms / 1_000 });
  return (await on.execute(ADVANCE, values)) === 1;
}

const END = statement(
  'dispute_move_end',
  `UPDATE dispute_moves SET state = $3, refusal = $4, ended_at = now()
   WHERE id = $1 AND step = $2 AND state = 'PENDING'`,
);

/** Ends a move at a step, done or refused; false when somebody else has gone on from there. */
export async function endMove(
  on: Queryable,
  { id, step }: Pick<Move, 'id' | 'step'>,
  refusal: Refusal | undefined,
): Promise<boolean> {
  const state = refusal === undefined ? 'DONE' : 'REFUSED';
  return (await on.execute(END, [id, step, state, refusal])) === 1;
}
