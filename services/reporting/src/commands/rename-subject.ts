import { type CallContext, systemContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, forbidden, invalid } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { standingSubject } from '../domain/standing-subject';
import {
  type ChangedName,
  checkRename,
  identitiesOf,
  type Rename,
  renamed,
  type Subject,
  searchTextAfter,
} from '../domain/subject';
import { lockHeads } from '../store/heads';
import {
  concernedInstitutions,
  keepFormerNames,
  mayRename,
  namesGivenUp,
  reserveIdentities,
  searchTextOf,
  writeNames,
} from '../store/renames';
import type { CommandDeps } from './batch';
import { claimAll, isSame } from './claim-identities';

const DAY_MS = 86_400_000;
/** An account that is made for a renaming has at least to be stood by for so long. */
const ACCOUNT_AGE_MS = DAY_MS;
/** How long a name that was given up stays with its subject. */
const RESERVED_MS = 90 * DAY_MS;
/** Names given up in that time: what is reserved is kept from others, who are told each time. */
const MAX_GIVEN_UP = 10;

/**
 * Gives a subject other names. What it gives up stays with it a while, lest somebody renames a
 * subject to take its name; it finds the subject for good. Everybody who relies on the subject hears
 * of it.
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
  const { subject } = standingSubject((await lockHeads(tx, [subject_id])).get(subject_id));
  if (!(await mayRename(tx, subject_id, institution_id, now_ms - ACCOUNT_AGE_MS))) {
    throw forbidden(
      'Renaming needs an open account of the subject with a principal, reported a day ago or longer.',
      { reason: 'NEEDS_OWN_ACCOUNT' },
    );
  }
  const result = renamed(subject, rename);
  if (Array.isArray(result)) throw invalid(result);
  const { fields, changes } = result;
  if (changes.length === 0) return subject;
  const counted_since_ms = now_ms - RESERVED_MS;
  const given_up = changes.filter(({ from }) => from !== undefined).length;
  if (given_up + (await namesGivenUp(tx, subject_id, counted_since_ms)) > MAX_GIVEN_UP) {
    throw conflict(`A subject gives up at most ${MAX_GIVEN_UP} names in 90 days.`, {
      reason: 'LIMIT_REACHED',
    });
  }
  const known = identitiesOf(subject);
  const wanted = identitiesOf(fields);
  await claimAll(
    tx,
    { subject_id, fields, now_ms },
    wanted.filter((identity) => !known.some((own) => isSame(own, identity))),
  );
  await reserveIdentities(
    tx,
    subject_id,
    known.filter((own) => !wanted.some((identity) => isSame(own, identity))),
    now_ms + RESERVED_MS,
  );
  await keepFormerNames(tx, {
    subject_id,
    changes,
    institution_id,
    now_ms,
    counted_since_ms,
  });
  const search_text = searchTextAfter(await searchTextOf(tx, subject_id), fields);
  const updated = await writeNames(tx, { subject_id, fields, search_text, now_ms });
  await tell(tx, ctx, { subject_id, changes, rename, now_ms });
  return updated;
}

interface Told {
  readonly subject_id: string;
  readonly changes: readonly ChangedName[];
  readonly rename: Rename;
  readonly now_ms: number;
}

async function tell(
  tx: Transaction,
  ctx: CallContext,
  { subject_id, changes, rename, now_ms }: Told,
): Promise<void> {
  const at = toTimestamp(now_ms);
  const names = Object.fromEntries(
    changes.map(({ field, from = null, to }) => [field, { from, to }]),
  );
  const note = rename.confirm_distinct ? { distinct_note: rename.distinct_note } : {};
  const entry = { at, action: 'subject.renamed', target_type: 'subject', target_id: subject_id };
  tx.audit({ ...entry, changes: { ...names, ...note } }, ctx);
  const institution_ids = await concernedInstitutions(tx, subject_id);
  for (const institution_id of institution_ids) {
    if (institution_id === ctx.institution_id) continue;
    // Who reports about a subject is nobody else's business: key, address and request stay out.
    const unnamed = systemContext(ctx.environment, { institution_id });
    tx.audit({ ...entry, changes: names }, unnamed);
  }
  tx.outbox({
    partition_key: subject_id,
    payload: {
      $case: 'subject_renamed',
      value: {
        subject_id,
        changed_fields: changes.map(({ field }) => field),
        renamed_at: at,
        institution_ids,
      },
    },
  });
}
