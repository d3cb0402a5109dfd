import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable, Transaction } from '@credit/platform/db';
import { conflict } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import {
  type Answer,
  type AnswerDraft,
  checkCorrections,
  type KeptAnswer,
  MAX_ANSWERS,
  parseAnswer,
} from '../domain/answer';
import { type Dispute, isResolved, noSuchDispute } from '../domain/dispute';
import { answeredEvent } from '../messages';
import type { ReportingClient } from '../reporting-client';
import { answersOf, insertAnswer } from '../store/answers';
import { findDispute, findOwnDispute, lockDispute } from '../store/disputes';

/** What answering needs. */
export interface AnswerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly reporting: Pick<ReportingClient, 'locate'>;
}

/** An answer as it comes in. */
export interface AnswerDispute extends AnswerDraft {
  readonly dispute_id: string;
}

/** An answer that can be kept, if the dispute is open then. */
export interface CheckedAnswer extends Answer {
  readonly dispute_id: string;
}

/**
 * Checks an answer against the record. Events never vanish, so that it comes before the answer is kept
 * and holds no connection while reporting is asked.
 */
export async function checkAnswer(
  { db, reporting }: AnswerDeps,
  ctx: CallContext,
  { dispute_id: named_id, ...draft }: AnswerDispute,
): Promise<CheckedAnswer> {
  const institution_id = institutionOf(ctx);
  const dispute_id = uuidFrom('dispute_id', named_id);
  const answer = parseAnswer(draft);
  const dispute = await findOwnDispute(db.read(ctx), dispute_id, institution_id);
  if (dispute === undefined) throw noSuchDispute();
  if (answer.correction_event_ids.length > 0) {
    const references = answer.correction_event_ids.map((id) => ({ kind: 'event' as const, id }));
    const network = { ...ctx, institution_id: '' };
    checkCorrections(await reporting.locate(network, references), dispute, institution_id);
  }
  return { ...answer, dispute_id };
}

/** Keeps an answer: it stands until the institution gives another one. */
export async function answerDispute(
  tx: Transaction,
  { clock, newId }: AnswerDeps,
  ctx: CallContext,
  { dispute_id, ...answer }: CheckedAnswer,
): Promise<KeptAnswer> {
  const institution_id = institutionOf(ctx);
  const dispute = await lockDispute(tx, dispute_id);
  await checkOpen(tx, dispute, institution_id);
  const answered_at = toTimestamp(clock.now_ms());
  const kept: KeptAnswer = { ...answer, id: newId(), institution_id, answered_at };
  await insertAnswer(tx, { ...kept, dispute_id });
  const { correction_event_ids, verdict } = kept;
  // The network's log is for its desk, which decides by what the institution says.
  for (const log of ['', institution_id]) {
    tx.audit(
      {
        institution_id: log,
        action: 'dispute.answered',
        target_type: 'dispute',
        target_id: dispute_id,
        changes: {
          verdict,
          ...(correction_event_ids.length === 0 ? {} : { correction_event_ids }),
        },
        at: answered_at,
      },
      ctx,
    );
  }
  tx.outbox(answeredEvent(dispute, kept));
  return kept;
}

/** What answering would give; nothing is kept. */
export async function rehearseAnswer(
  { clock, db }: AnswerDeps,
  ctx: CallContext,
  { dispute_id, ...answer }: CheckedAnswer,
): Promise<KeptAnswer> {
  const institution_id = institutionOf(ctx);
  await db.snapshot(ctx, async (on) => {
    const dispute = await findDispute(on, dispute_id);
    if (dispute !== undefined) await checkOpen(on, dispute, institution_id);
  });
  ctx.reply_metadata.set('dry-run', 'true');
  return { ...answer, id: NIL_UUID, institution_id, answered_at: toTimestamp(clock.now_ms()) };
}

async function checkOpen(
  on: Queryable,
  { id, status }: Pick<Dispute, 'id' | 'status'>,
  institution_id: string,
): Promise<void> {
  if (isResolved(status)) {
    throw conflict(`The dispute is ${status}, and outcomes are final.`, {
      reason: 'DISPUTE_MOVED',
    });
  }
  const before = await answersOf(on, id, institution_id, MAX_ANSWERS);
  if (before.length === MAX_ANSWERS) {
    throw conflict(`Your institution has answered this dispute ${MAX_ANSWERS} times already.`, {
      reason: 'LIMIT_REACHED',
    });
  }
}
