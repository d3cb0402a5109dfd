// Who may open a subject's file to its person: whoever proves to be it, and members who know it.

import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { forbidden } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import type { Clock } from '@credit/platform/runtime';
import { isUuid, nameKey } from '@credit/platform/values';
import { lookersWithAccount } from '../store/inquiries';
import { holdersOf } from '../store/subjects';
import { getSubject } from './subjects';

/** Identities that another party can vouch for. */
export type ProvableKind = 'game_uuid' | 'forum_id';

/**
 * The individual who has an identity now; undefined when nobody has it, or more than one: an identity
 * that was given up, or that two have, proves nothing.
 */
export async function identifyPerson(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  ctx: CallContext,
  kind: ProvableKind,
  value: string,
): Promise<string | undefined> {
  if (kind === 'game_uuid' && !isUuid(value)) return undefined;
  const key = kind === 'game_uuid' ? value.toLowerCase() : nameKey(value);
  const holders = await holdersOf(db.read(ctx), [{ kind, key }], clock.now_ms());
  const subject_ids = holders.filter(({ reserved }) => !reserved).map((one) => one.subject_id);
  // Of two that were merged each has its own, and both are the same person's.
  const [subject_id, ...others] = new Set(subject_ids);
  return others.length === 0 ? subject_id : undefined;
}

/** 404 without such a subject, 403 unless the institution has an account of it on record. */
export async function requireFurnisher(
  db: Database,
  ctx: CallContext,
  subject_id: string,
): Promise<string> {
  const institution_id = institutionOf(ctx);
  const { id } = await getSubject(db, ctx, uuidFrom('subject_id', subject_id));
  const own = await lookersWithAccount(db.read(ctx), [{ subject_id: id, institution_id }]);
  if (own.size > 0) return id;
  throw forbidden('A link takes an account of your own with the subject.', {
    reason: 'NEEDS_OWN_ACCOUNT',
  });
}
