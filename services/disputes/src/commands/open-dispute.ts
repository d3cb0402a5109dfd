import type { CallContext } from '@credit/platform/context';
import { hashSecret, newDisputeToken } from '@credit/platform/credentials';
import type { Database, Transaction } from '@credit/platform/db';
import { unavailable } from '@credit/platform/errors';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { type Dispute, dueAtMs, isBlock } from '../domain/dispute';
import { type Intake, type IntakeDraft, parseIntake } from '../domain/intake';
import type { PersonIntake } from '../domain/person-dispute';
import { NOWHERE, type Place, referenceOf } from '../domain/place';
import { logged, receiptOwedEvent } from '../messages';
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
  deps: OpenDisputeDeps,
  ctx: CallContext,
  draft: IntakeDraft,
): Promise<OpenedDispute> {
  const intake = parseIntake(draft);
  const access_token = newDisputeToken();
  const live: CallContext = { ...ctx, environment: 'live' };
  const opened_at_ms = deps.clock.now_ms();
  const dispute = await deps.db.transaction(live, async (tx) => {
    const stored = await keepIntake(tx, deps, intake, {
      opened_at_ms,
      access_token_sha256: hashSecret(access_token),
    });
    const receipt = receiptOwedEvent(stored, live.client_address);
    if (receipt !== undefined) tx.outbox(receipt);
    // In the network's own log: anyone may name any institution.
    auditOpening(tx, live, stored, { institution_id: '', at: stored.opened_at });
    return stored;
  });
  return { dispute, access_token };
}

/** How an intake comes to be a dispute. */
export interface Opening {
  readonly opened_at_ms: number;
  readonly access_token_sha256?: Buffer;
  /** Who opens it in test, and decides it there. */
  readonly sandbox_institution_id?: string;
  /** Where its record is, where that is known. */
  readonly place?: Place;
  /** Who opens it about its own file. */
  readonly person?: Omit<PersonIntake, 'intake'>;
}

/** Keeps an intake as a dispute, and tells whose reporting it is about as soon as that is known. */
export async function keepIntake(
  tx: Transaction,
  { clock, newId, onUnlocated }: Omit<OpenDisputeDeps, 'db'>,
  intake: Intake,
  opening: Opening,
): Promise<Dispute> {
  const { access_token_sha256, opened_at_ms, person, sandbox_institution_id } = opening;
  const is_block = isBlock(intake.reason);
  const opened_at = toTimestamp(opened_at_ms);
  const row: NewDispute = {
    ...intake,
    id: newId(),
    duplicate_of: undefined,
    access_token_sha256,
    sandbox_institution_id,
    opened_at,
    due_at: toTimestamp(dueAtMs(opened_at_ms, intake.reason)),
    person_subject_id: person?.person_subject_id,
    contested_account_id: person?.contested_account_id,
    contested_inquiry_id: person?.contested_inquiry_id,
    fact_event_id: person?.fact_event_id,
    suppression: is_block ? 'BLOCK' : undefined,
    suppression_state: is_block ? 'WANTED' : undefined,
    suppressed_since: is_block ? opened_at : undefined,
  };
  const stored = await store(tx, row);
  const place = opening.place ?? (referenceOf(row) === undefined ? NOWHERE : undefined);
  if (place === undefined) tx.afterCommit(onUnlocated);
  else await keepLocated(tx, [{ dispute: row, place }], clock);
  return stored;
}

/** Says in a log that a dispute was opened. */
export function auditOpening(
  tx: Transaction,
  ctx: CallContext,
  dispute: Dispute,
  { at, institution_id, ...more }: { at: string; institution_id: string; opened_at?: string },
): void {
  const { credit_event_id, reason, reported_institution_id, subject_id } = dispute;
  tx.audit(
    {
      institution_id,
      action: 'dispute.opened',
      target_type: 'dispute',
      target_id: dispute.id,
      changes: logged({ subject_id, credit_event_id, reported_institution_id, reason, ...more }),
      at,
    },
    ctx,
  );
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
