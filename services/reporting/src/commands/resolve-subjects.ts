// Subjects on file or new ones, one or a hundred, in a constant number of statements.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import {
  type Identity,
  identitiesOf,
  isProof,
  type Likenesses,
  type NewSubject,
  type Recognition,
  recognise,
  registrationKey,
  type Subject,
} from '../domain/subject';
import { countSubjects } from '../store/changes';
import { holdersOf, insertSubjects, type Place, type PlacedHolder } from '../store/subjects';
import type { CommandDeps } from './batch';
import { placeBehind, takePlaces } from './claim-identities';

/** What became of a subject that was sent. */
export type Resolved =
  | { readonly kind: 'created'; readonly subject: Subject; readonly note?: string | undefined }
  | Decided;

type Decided = Exclude<Recognition, { kind: 'new' }> & {
  /** Whose identity it was found by, when that subject was merged into the one that is found. */
  readonly merged_subject_id?: string | undefined;
};

interface Newcomer {
  readonly kind: 'created';
  readonly id: string;
  readonly fields: NewSubject;
}

/**
 * Finds each subject on file or creates it, in the order sent: one that another of them has just
 * become is on file. Whoever else wants one of the same identities waits until the commit. What is
 * created is counted and logged by {@link recordCreated}.
 */
export async function resolveSubjects(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: readonly NewSubject[],
): Promise<Resolved[]> {
  if (wanted.length === 0) return [];
  const now_ms = deps.clock.now_ms();
  const created_by_institution_id = institutionOf(ctx);
  const identities = new Map<string, Identity>();
  for (const fields of wanted) {
    for (const identity of identitiesOf(fields)) identities.set(keyOf(identity), identity);
  }
  const known = new Map<string, PlacedHolder[]>();
  for (const holder of await holdersOf(tx, [...identities.values()], now_ms)) {
    add(known, holder);
  }
  const places: Place[] = [];
  const decided = wanted.map((fields): Newcomer | Decided => {
    const own = identitiesOf(fields);
    const holders = own.flatMap((identity) => known.get(keyOf(identity)) ?? []);
    const recognition = recognise(
      fields,
      holders.filter((holder) => !holder.free),
    );
    if (recognition.kind === 'existing') {
      const { subject_id } = recognition;
      const proof = holders.find((holder) => holder.subject_id === subject_id && isProof(holder));
      const merged_subject_id = proof?.held_by === subject_id ? undefined : proof?.held_by;
      return { ...recognition, merged_subject_id };
    }
    if (recognition.kind !== 'new') return recognition;
    const id = deps.newId();
    for (const identity of own) {
      const place = placeBehind(known.get(keyOf(identity)) ?? [], identity, id);
      places.push(place);
      const registration_key = registrationKey(fields);
      add(known, { ...place, held_by: id, registration_key, reserved: false, free: false });
    }
    return { kind: 'created', id, fields };
  });
  await takePlaces(tx, places);
  const inserted = await insertSubjects(
    tx,
    decided.flatMap((item) => {
      if (item.kind !== 'created') return [];
      const { id, fields } = item;
      const { distinct_note } = fields;
      return [{ id, fields, created_by_institution_id, distinct_note, now_ms }];
    }),
  );
  const subjects = new Map(inserted.map((subject) => [subject.id, subject]));
  return decided.map((item): Resolved => {
    if (item.kind !== 'created') return item;
    const subject = subjects.get(item.id);
    if (subject === undefined) throw new Error('A subject was not inserted.');
    const { confirm_distinct, distinct_note } = item.fields;
    return { kind: 'created', subject, note: confirm_distinct ? distinct_note : undefined };
  });
}

/** Of one that is on file, since this call or before. */
export function subjectIdOf(known: Exclude<Resolved, { kind: 'needs_review' }>): string {
  return known.kind === 'created' ? known.subject.id : known.subject_id;
}

/** Counts and logs what was created of several: when all that the transaction waits for is done. */
export function recordCreated(
  tx: Transaction,
  ctx: CallContext,
  resolved: readonly Resolved[],
  now_ms: number,
): void {
  const created = resolved.flatMap((item) => (item.kind === 'created' ? [item] : []));
  if (created.length === 0) return;
  countSubjects(tx, now_ms, created.length);
  const distinct = created.flatMap(({ subject, note }) =>
    note === undefined ? [] : [{ subject_id: subject.id, distinct_note: note }],
  );
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'subjects.created',
      target_type: 'batch',
      target_id: ctx.request_id,
      changes: {
        subjects: created.length,
        subject_ids: created.map(({ subject }) => subject.id),
        ...(distinct.length > 0 ? { distinct } : {}),
      },
    },
    ctx,
  );
}

function keyOf({ kind, key }: Identity): string {
  return `${kind}\0${key}`;
}

function add(known: Map<string, PlacedHolder[]>, holder: PlacedHolder): void {
  const there = known.get(keyOf(holder));
  if (there === undefined) known.set(keyOf(holder), [holder]);
  else there.push(holder);
}

/** The likenesses that an answer shows of an item: a name can be that of very many. */
export function shown(likenesses: Likenesses): Likenesses {
  const [first, ...more] = likenesses;
  return [first, ...more.slice(0, MAX_SHOWN - 1)];
}

const MAX_SHOWN = 10;
