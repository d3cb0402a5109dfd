import type { CallContext } from '@credit/platform/context';
import { auditEvent, type Database, type Transaction } from '@credit/platform/db';
import { unavailable } from '@credit/platform/errors';
import { type Dispute, dueAtMs } from '../domain/dispute';
import { type IntakeDraft, parseIntake } from '../domain/intake';
import { findOriginal, insertDispute, type NewDispute } from '../store/disputes';

const MAX_TRIES = 3;

/**
 * Takes a dispute in, always as one about live data. The answer is the same
 * whether its ids exist or not, and whether an identical one is open or not.
 */
export function openDispute(
  db: Database,
  ctx: CallContext,
  command: { id: string; draft: IntakeDraft; now_ms: number },
): Promise<Dispute> {
  const intake = parseIntake(command.draft);
  const opened_at = new Date(command.now_ms).toISOString();
  const live: CallContext = { ...ctx, environment: 'live' };
  return db.transaction(live, async (tx) => {
    const dispute = await store(tx, {
      ...intake,
      id: command.id,
      duplicate_of: null,
      opened_at,
      due_at: new Date(dueAtMs(command.now_ms)).toISOString(),
    });
    // In the network's own log: anyone may name any institution.
    tx.outbox(
      auditEvent({
        ctx: live,
        institution_id: '',
        action: 'dispute.opened',
        target_type: 'dispute',
        target_id: dispute.id,
        changes: {
          subject_id: intake.subject_id,
          credit_event_id: intake.credit_event_id,
          reported_institution_id: intake.reported_institution_id,
          reason: intake.reason,
        },
        at: opened_at,
      }),
      live,
    );
    return dispute;
  });
}

/** As an original, or linked to the one there is; that one may be resolved in between. */
async function store(tx: Transaction, row: NewDispute): Promise<Dispute> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const original = await insertDispute(tx, row);
    if (original !== undefined) return original;
    const duplicate_of = await findOriginal(tx, row);
    if (duplicate_of !== undefined) {
      const duplicate = await insertDispute(tx, { ...row, duplicate_of });
      if (duplicate !== undefined) return duplicate;
    }
  }
  throw unavailable('The dispute could not be stored; try again.');
}
