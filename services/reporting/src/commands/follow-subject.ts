// Following a subject's scores: whoever reports on the subject, or looked at it of late, has said
// why already; anybody else owes a purpose, and then it is an inquiry. A look gives no such right while
// the file is frozen for who had it.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { isFrozenFor } from '../domain/file-entries';
import { FOLLOW_WINDOW_MS } from '../domain/inquiry';
import { rightsOf } from '../store/heads';
import { hasLookedSince, lookersWithAccount } from '../store/inquiries';
import type { CommandDeps } from './batch';

/** Refuses who has no stake in the subject; the read of all others goes into their audit log. */
export async function followSubject(
  tx: Transaction,
  { clock }: Pick<CommandDeps, 'clock'>,
  ctx: CallContext,
  subject_id: string,
): Promise<void> {
  const institution_id = institutionOf(ctx);
  const rights = await rightsOf(tx, subject_id);
  const now_ms = clock.now_ms();
  const look = { inquiry_id: '', subject_id, institution_id };
  const has_stake =
    (await lookersWithAccount(tx, [look])).size > 0 ||
    (!isFrozenFor(rights, institution_id, now_ms) &&
      (await hasLookedSince(tx, look, now_ms - FOLLOW_WINDOW_MS)));
  if (!has_stake) {
    throw invalid(
      'purpose',
      'is required of who does not report on the subject and may not follow it after a look within 30 days',
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
