import type { CallContext } from '@credit/platform/context';
import { hashSecret, newDisputeToken } from '@credit/platform/credentials';
import type { Database, Transaction } from '@credit/platform/db';
import { unavailable } from '@credit/platform/errors';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { type Dispute, dueAtMs } from '../domain/dispute';
import { type IntakeDraft, parseIntake } from '../domain/intake';
import { NOWHERE, referenceOf } from '../domain/place';
import { logged } from '../messages';
import { findGroup, insertDispute, type NewDispute } from '../store/disputes';
import { keepLocated } from './locate-disputes';

const MAX_TRIES = 3;

/** What the intake needs. */
export interface OpenDisputeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called when there is a dispute whose record has to be looked for. */
  readonly onUnlocated: () => void;
}

/** A dispute as its opener gets it. */
export interface OpenedDispute {
  readonly dispute: Dispute;
  /** Shown this once; only its hash is kept. */
  readonly access_token: string;
}

/**
 * Takes a dispute in, always as one about live data. The answer is the same
 * whether its ids exist or not, and whether an identical one is open or not:
 * nobody is asked before it is given.
 */
export async function openDispute(
  { clock, db, newId, onUnlocated }: OpenDisputeDeps,
  ctx: CallContext,
  draft: IntakeDraft,
): Promise<OpenedDispute> {
  const intake = parseIntake(draft);
  const opened_at_ms = clock.now_ms();
  const opened_at = toTimestamp(opened_at_ms);
  const access_token = newDisputeToken();
  const live: CallContext = { ...ctx, environment: 'live' };
  const dispute = await db.transaction(live, async (tx) => {
    const row: NewDispute = {
      ...intake,
      id: newId(),
      duplicate_of: undefined,
      access_token_sha256: hashSecret(access_token),
      opened_at,
      due_at: toTimestamp(dueAtMs(opened_at_ms)),
    };
    const stored = await store(tx, row);
    if (referenceOf(row) === undefined) {
      await keepLocated(tx, [{ dispute: row, place: NOWHERE }], clock);
    } else {
      tx.afterCommit(onUnlocated);
    }
    // In the network's own log: anyone may name any institution.
    tx.audit(
      {
        institution_id: '',
        action: 'dispute.opened',
        target_type: 'dispute',
        target_id: stored.id,
        changes: logged({
          subject_id: intake.subject_id,
          credit_event_id: intake.credit_event_id,
          reported_institution_id: intake.reported_institution_id,
          reason: intake.reason,
        }),
        at: opened_at,
      },
      live,
    );
    return stored;
  });
  return { dispute, access_token };
}

/** In the group of those like it that are open, or as the first of one. */
async function store(tx: Transaction, row: NewDispute): Promise<Dispute> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    // The one that another intake makes a moment before is seen the next time.
    const stored = await insertDispute(tx, { ...row, duplicate_of: await findGroup(tx, row) });
    if (stored !== undefined) return stored;
  }
  throw unavailable('The dispute could not be stored; try again.');
}
