// The subjects that rows describe, each once: on file, new, or left to people.

import type { Queryable } from '@credit/platform/db';
import {
  identitiesOf,
  type Likenesses,
  likenessText,
  type NewSubject,
  recognise,
} from '../../domain/subject';
import { holdersOf } from '../../store/subjects';
import type { RowFault } from '../domain/import';

/** What a subject is to the network, by what rows say of it. */
export type Known =
  | { readonly subject_id: string | undefined }
  | { readonly doubts: readonly RowFault[] };

/** Looks for subjects on file; creates none. */
export async function findSubjects(
  on: Queryable,
  now_ms: number,
  described: ReadonlyMap<string, NewSubject>,
): Promise<Map<string, Known>> {
  const identities = [...described.values()].flatMap(identitiesOf);
  const holders = identities.length === 0 ? [] : await holdersOf(on, identities, now_ms);
  const held = Map.groupBy(
    holders.filter(({ free }) => !free),
    ({ kind, key }) => `${kind} ${key}`,
  );
  return new Map(
    [...described].map(([key, subject]): [string, Known] => {
      const own = identitiesOf(subject).flatMap(
        ({ kind, key }) => held.get(`${kind} ${key}`) ?? [],
      );
      const found = recognise(subject, own);
      if (found.kind === 'needs_review') return [key, { doubts: doubtsOf(found.likenesses) }];
      return [key, { subject_id: found.kind === 'existing' ? found.subject_id : undefined }];
    }),
  );
}

/** Why a row's subject is for people to look at. */
export function doubtsOf(likenesses: Likenesses): RowFault[] {
  return likenesses.map((likeness) => ({
    code: 'DUPLICATE_SUBJECT',
    field: `subject.${likeness.field}`,
    message: `needs review: ${likenessText(likeness)}`,
  }));
}
