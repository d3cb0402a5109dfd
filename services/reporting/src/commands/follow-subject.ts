// Following a subject's scores: whoever reports on the subject, or looked at it of late, has said
// why already; anybody else owes a purpose, and then it is an inquiry.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { FOLLOW_WINDOW_MS } from '../domain/inquiry';
import { hasLookedSince, lookersWithAccount } from '../store/inquiries';
import { subjectById } from '../store/subjects';
import type { CommandDeps } from './batch';

/** Refuses who has no stake in the subject; the read of all others goes into their audit log. */
export async function followSubject(
  tx: Transaction,
  { clock }: Pick<CommandDeps, 'clock'>,
  ctx: CallContext,
  subject_id: string,
): Promise<void> {
  const institution_id = institutionOf(ctx);
  if ((await subjectById(tx, subject_id)) === undefined) {
    throw notFound('The subject does not exist.');
  }
  const now_ms = clock.now_ms();
  const look = { inquiry_id: '', subject_id, institution_id };
  const has_stake =
    (await lookersWithAccount(tx, [look])).size > 0 ||
    (await hasLookedSince(tx, look, now_ms - FOLLOW_WINDOW_MS));
  if (!has_stake) {
    throw invalid(
      'purpose',
      'is required of who neither reports on the subject nor looked at it within 30 days',
    );
  }
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'score_history.read',
      target_type: 'subject',
      target_id: subject_id,
    },
    ctx,
  );
}
