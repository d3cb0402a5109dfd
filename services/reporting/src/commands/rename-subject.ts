import type { CallContext } from '@credit/platform/context';
import { auditEvent, type Transaction } from '@credit/platform/db';
import { forbidden, invalid, notFound } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { institutionOf } from '../caller';
import {
  checkRename,
  identitiesOf,
  type Rename,
  renamed,
  type Subject,
  searchTextAfter,
} from '../domain/subject';
import { lockHeads } from '../store/heads';
import {
  keepFormerNames,
  mayRename,
  releaseIdentities,
  searchTextOf,
  writeNames,
} from '../store/renames';
import type { CommandDeps } from './batch';
import { claimAll, isSame } from './claim-identities';

/**
 * Gives a subject other names. Its identities move along: a name that was given up is free for
 * others, and still finds the subject.
 */
export async function renameSubject(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject_id: string,
  rename: Rename,
): Promise<Subject> {
  const now_ms = deps.clock.now_ms();
  const institution_id = institutionOf(ctx);
  const details = checkRename(rename);
  if (details.length > 0) throw invalid(details);
  const subject = (await lockHeads(tx, [subject_id])).get(subject_id)?.subject;
  if (subject === undefined) throw notFound('The subject does not exist.');
  if (!(await mayRename(tx, subject_id, institution_id))) {
    throw forbidden('Only who created the subject or holds an open account of it may rename it.');
  }
  const result = renamed(subject, rename);
  if (Array.isArray(result)) throw invalid(result);
  const { fields, changes } = result;
  if (changes.length === 0) return subject;
  const known = identitiesOf(subject);
  const wanted = identitiesOf(fields);
  await claimAll(
    tx,
    subject_id,
    fields,
    wanted.filter((identity) => !known.some((own) => isSame(own, identity))),
  );
  await releaseIdentities(
    tx,
    subject_id,
    known.filter((own) => !wanted.some((identity) => isSame(own, identity))),
  );
  await keepFormerNames(tx, { subject_id, changes, institution_id, now_ms });
  const search_text = searchTextAfter(await searchTextOf(tx, subject_id), fields);
  const updated = await writeNames(tx, { subject_id, fields, search_text, now_ms });
  const names = Object.fromEntries(changes.map(({ field, from, to }) => [field, { from, to }]));
  const note = rename.confirm_distinct ? { distinct_note: rename.distinct_note } : {};
  tx.outbox(
    auditEvent({
      ctx,
      at: toTimestamp(now_ms),
      action: 'subject.renamed',
      target_type: 'subject',
      target_id: subject_id,
      changes: { ...names, ...note },
    }),
  );
  return updated;
}
