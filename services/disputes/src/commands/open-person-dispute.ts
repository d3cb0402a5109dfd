import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, rateLimited } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { DAY_MS } from '../domain/business-days';
import { type Dispute, isBlock } from '../domain/dispute';
import {
  PERSON_DISPUTES_A_DAY,
  type PersonIntake,
  type PersonPlace,
} from '../domain/person-dispute';
import { receiptOwedEvent } from '../messages';
import { disputesLately, lockPerson } from '../store/persons';
import { auditOpening, keepIntake, type OpenDisputeDeps } from './open-dispute';

/**
 * Takes in what a person contests of its own file, as any intake is, and tells the institution
 * concerned at once, as it is known where the record is. What is to be left out is so in a step of its
 * own, before the answer.
 */
export async function openPersonDispute(
  tx: Transaction,
  deps: Omit<OpenDisputeDeps, 'db'>,
  ctx: CallContext,
  { intake, ...person }: PersonIntake,
  { account_id, institution_id, subject_id }: PersonPlace,
): Promise<Dispute> {
  const now_ms = deps.clock.now_ms();
  await lockPerson(tx, subject_id);
  const since = toTimestamp(now_ms - DAY_MS);
  const lately = await disputesLately(tx, subject_id, since, person.fact_event_id);
  if (lately.disputes >= PERSON_DISPUTES_A_DAY) {
    throw rateLimited(
      `You have opened ${PERSON_DISPUTES_A_DAY} disputes within 24 hours.`,
      DAY_MS / 1_000,
      'DISPUTES_OF_THE_DAY',
    );
  }
  if (isBlock(intake.reason) && lately.blocked_before) {
    throw conflict(
      'It was decided before that this record stays; contest it with another reason.',
      { reason: 'BLOCK_DECIDED_BEFORE' },
    );
  }
  const dispute = await keepIntake(tx, deps, intake, {
    opened_at_ms: now_ms,
    person,
    place: { subject_id, account_id, institution_ids: [institution_id] },
  });
  const receipt = receiptOwedEvent(dispute, ctx.client_address);
  if (receipt !== undefined && ctx.environment === 'live') tx.outbox(receipt);
  auditOpening(tx, ctx, dispute, { institution_id: '', at: dispute.opened_at });
  return dispute;
}
