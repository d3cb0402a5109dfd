import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { checkSubject, identitiesOf, type Subject, type SubjectDraft } from '../domain/subject';
import { countSubject } from '../store/changes';
import { insertSubject } from '../store/subjects';
import type { CommandDeps } from './batch';
import { claimAll } from './claim-identities';

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
  await claimAll(tx, { subject_id: id, fields: checked, now_ms }, identitiesOf(checked));
  const subject = await insertSubject(tx, {
    id,
    fields: checked,
    created_by_institution_id: institution_id,
    distinct_note: checked.distinct_note,
    now_ms,
  });
  await countSubject(tx, now_ms);
  const changes = checked.confirm_distinct ? { distinct_note: checked.distinct_note } : {};
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'subject.created',
      target_type: 'subject',
      target_id: id,
      changes: { type: checked.type, ...changes },
    },
    ctx,
  );
  return subject;
}
