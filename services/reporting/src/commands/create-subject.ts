import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { checkSubject, duplicate, type Subject, type SubjectDraft } from '../domain/subject';
import { countSubjects } from '../store/changes';
import { type CommandDeps, checkAll } from './batch';
import { type Resolved, recordCreated, resolveSubjects } from './resolve-subjects';

/** Creates a subject unless it looks like a known one. */
export async function createSubject(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  draft: SubjectDraft,
): Promise<Subject> {
  const now_ms = deps.clock.now_ms();
  const checked = checkSubject(draft, now_ms);
  if (Array.isArray(checked)) throw invalid(checked);
  const [resolved] = await resolveSubjects(tx, deps, ctx, [checked]);
  if (resolved === undefined) throw new Error('A subject was not decided.');
  if (resolved.kind !== 'created') throw duplicate(resolved.likenesses);
  const { subject, note } = resolved;
  countSubjects(tx, now_ms, 1);
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'subject.created',
      target_type: 'subject',
      target_id: subject.id,
      changes: { type: checked.type, ...(note === undefined ? {} : { distinct_note: note }) },
    },
    ctx,
  );
  return subject;
}

/** Finds or creates several; one that needs review leaves the others alone. */
export async function createSubjects(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  drafts: readonly SubjectDraft[],
): Promise<Resolved[]> {
  const now_ms = deps.clock.now_ms();
  const checked = checkAll(drafts, 'subjects', (draft) => checkSubject(draft, now_ms));
  const resolved = await resolveSubjects(tx, deps, ctx, checked);
  recordCreated(tx, ctx, resolved, now_ms);
  return resolved;
}
