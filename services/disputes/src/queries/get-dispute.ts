import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { type KeptAnswer, MAX_ANSWERS } from '../domain/answer';
import { type Dispute, noSuchDispute } from '../domain/dispute';
import { recordOf } from '../domain/place';
import { type DisputeStep, stepsOf } from '../domain/steps';
import type { ContestedRecord, ReportingClient } from '../reporting-client';
import { answersOf } from '../store/answers';
import { type AnsweredDispute, findOwnDispute, type LocatedDispute } from '../store/disputes';
import { reviewsBegunAt } from '../store/moves';

/** Which dispute, and which part of its record. */
export interface GetDispute {
  readonly dispute_id: string;
  readonly account_id?: string | undefined;
  readonly before_sequence?: number | undefined;
}

/** A dispute, what has happened to it, and what it is about. */
export interface DisputeFile<Row extends Dispute = AnsweredDispute> {
  readonly dispute: Row;
  readonly steps: readonly DisputeStep[];
  /** The latest first. */
  readonly answers: readonly KeptAnswer[];
  readonly record: ContestedRecord | undefined;
}

/** What reading takes. */
export interface GetDisputeDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'contestedRecord'>;
}

/** A dispute about the calling institution's reporting; any other is as unknown as none. */
export async function getDispute(
  { db, reporting }: GetDisputeDeps,
  ctx: CallContext,
  wanted: GetDispute,
): Promise<DisputeFile> {
  const institution_id = institutionOf(ctx);
  const dispute_id = uuidFrom('dispute_id', wanted.dispute_id);
  const found = await db.snapshot(ctx, async (on) => {
    const dispute = await findOwnDispute(on, dispute_id, institution_id);
    if (dispute === undefined) throw noSuchDispute();
    const answers = await answersOf(on, dispute_id, institution_id, MAX_ANSWERS);
    const reviews = await reviewsBegunAt(on, dispute_id);
    return { dispute, answers, steps: stepsOf(dispute, answers, reviews) };
  });
  // Of a persona in the sandbox a fictional furnisher's: the one account of the event.
  const is_sandbox = found.dispute.sandbox_institution_id === institution_id;
  const whose = is_sandbox ? [] : [institution_id];
  const record = await contestedRecord(reporting, ctx, found.dispute, wanted, whose);
  return { ...found, record };
}

/** What a dispute contests of the institutions' reporting; undefined when it is on no account. */
export function contestedRecord(
  reporting: GetDisputeDeps['reporting'],
  ctx: CallContext,
  dispute: LocatedDispute,
  { account_id, before_sequence }: Omit<GetDispute, 'dispute_id'>,
  institution_ids: readonly string[],
): Promise<ContestedRecord | undefined> {
  const contested = recordOf(dispute);
  if (contested === undefined) return Promise.resolve(undefined);
  return reporting.contestedRecord(
    { ...ctx, institution_id: '' },
    { ...contested, institution_ids: [...institution_ids], account_id, before_sequence },
  );
}
