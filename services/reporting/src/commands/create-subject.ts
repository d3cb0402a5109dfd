import type { CallContext } from '@credit/platform/context';
import { auditEvent, type Transaction } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { institutionOf } from '../caller';
import {
  checkDuplicates,
  checkSubject,
  type Identity,
  identitiesOf,
  type NewSubject,
  type Subject,
  type SubjectDraft,
} from '../domain/subject';
import { countSubject } from '../store/changes';
import { claimIdentities, holdersOf, insertSubject } from '../store/subjects';
import type { CommandDeps } from './batch';

/** Each round that claims too little has met a newcomer that committed in between. */
const MAX_CLAIM_ROUNDS = 5;

/** Creates a subject unless it looks like a known one. */
export async function createSubject(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  draft: SubjectDraft,
): Promise<Subject> {
  const now_ms = deps.clock.now_ms();
  const institution_id = institutionOf(ctx);
  const checked = checkSubject(draft, now_ms);
  if (Array.isArray(checked)) throw invalid(checked);
  const id = deps.newId();
  await claimAll(tx, id, checked);
  const subject = await insertSubject(tx, {
    id,
    fields: checked,
    created_by_institution_id: institution_id,
    distinct_note: checked.distinct_note,
    now_ms,
  });
  await countSubject(tx, now_ms);
  const changes = checked.confirm_distinct ? { distinct_note: checked.distinct_note } : {};
  tx.outbox(
    auditEvent({
      ctx,
      at: toTimestamp(now_ms),
      action: 'subject.created',
      target_type: 'subject',
      target_id: id,
      changes: { type: checked.type, ...changes },
    }),
  );
  return subject;
}

/** Takes every identity, behind the holders of the same that the subject is distinct from. */
async function claimAll(tx: Transaction, subject_id: string, subject: NewSubject): Promise<void> {
  let missing = identitiesOf(subject);
  for (let round = 0; round < MAX_CLAIM_ROUNDS; round += 1) {
    const holders = await holdersOf(tx, missing);
    checkDuplicates(subject, holders);
    const claimed = await claimIdentities(
      tx,
      subject_id,
      missing.map((identity) => ({
        ...identity,
        ordinal: 1 + lastOrdinal(holders.filter((holder) => isSame(holder, identity))),
      })),
    );
    missing = missing.filter((identity) => !claimed.some((own) => isSame(own, identity)));
    if (missing.length === 0) return;
  }
  throw new Error('The identities of a subject could not be claimed.');
}

function lastOrdinal(holders: readonly { ordinal: number }[]): number {
  return Math.max(-1, ...holders.map((holder) => holder.ordinal));
}

function isSame(a: Identity, b: Identity): boolean {
  return a.kind === b.kind && a.key === b.key;
}
