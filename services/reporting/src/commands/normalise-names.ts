// Brings what subjects are found by and told apart with under the rule of today, page by page.

import type { Transaction } from '@credit/platform/db';
import { isVisible } from '@credit/platform/values';
import {
  type Identity,
  identitiesOf,
  identitiesOfBefore,
  nameOf,
  recognise,
  type Subject,
  searchTextAfter,
} from '../domain/subject';
import { lockHeads } from '../store/heads';
import {
  dropIdentities,
  keepCollision,
  keepProgress,
  pageOfSubjects,
  takeProgress,
  writeSearchText,
} from '../store/name-normalisation';
import { searchTextOf } from '../store/renames';
import { holdersOf, type PlacedHolder } from '../store/subjects';
import { isSame, placeBehind, takePlaces } from './claim-identities';

/** One more with every change of how names are compared or searched. */
const RULE_VERSION = 1;
const PAGE = 500;
/** The release before goes on creating subjects by its own rule while this one starts. */
const WATCH_MS = 3_600_000;

/** What a page came to. */
export interface Normalised {
  readonly subjects: number;
  readonly collisions: number;
  /** No subject is left, and none by the rule before can come any more. */
  readonly finished: boolean;
}

/** Takes the next page of subjects. */
export async function normaliseNames(tx: Transaction, now_ms: number): Promise<Normalised> {
  const progress = await takeProgress(tx, RULE_VERSION, now_ms);
  if (progress.finished) return { subjects: 0, collisions: 0, finished: true };
  const page = await pageOfSubjects(tx, progress.after_subject_id, PAGE);
  const stale = page.filter(
    ({ subject, search_text }) =>
      staleIdentities(subject).length > 0 || searchTextAfter(search_text, subject) !== search_text,
  );
  // In order of their ids, as everybody locks them; names may have changed since they were read.
  const heads = await lockHeads(
    tx,
    stale.map(({ subject }) => subject.id),
  );
  let collisions = 0;
  for (const { subject } of heads.values()) collisions += await normalise(tx, subject, now_ms);
  const finished = page.length === 0 && now_ms - progress.started_at_ms >= WATCH_MS;
  const last_id = page.at(-1)?.subject.id ?? progress.after_subject_id;
  await keepProgress(tx, RULE_VERSION, last_id, finished ? now_ms : undefined);
  return { subjects: page.length, collisions, finished };
}

/** Identities that the rule before wrote in another way, as it wrote them. */
function staleIdentities(subject: Subject): Identity[] {
  const today = identitiesOf(subject);
  return identitiesOfBefore(subject).filter((before) => !today.some((own) => isSame(own, before)));
}

async function normalise(tx: Transaction, subject: Subject, now_ms: number): Promise<number> {
  const stale = staleIdentities(subject);
  let collisions = 0;
  // A name of nothing visible is kept as it was: it is the same as no other name.
  const seen = stale.filter((identity) => isVisible(nameOf(subject, identity.kind)));
  for (const { kind } of seen) {
    const wanted = identitiesOf(subject).find((identity) => identity.kind === kind);
    if (wanted !== undefined && (await claim(tx, subject, wanted, now_ms))) collisions += 1;
  }
  await dropIdentities(tx, subject.id, seen);
  const before = await searchTextOf(tx, subject.id);
  const search_text = searchTextAfter(before, subject);
  if (search_text !== before) await writeSearchText(tx, subject.id, search_text);
  return collisions;
}

/** Takes the identity whoever holds it; true when that is somebody else who looks the same. */
async function claim(
  tx: Transaction,
  subject: Subject,
  wanted: Identity,
  now_ms: number,
): Promise<boolean> {
  const holders = await holdersOf(tx, [wanted], now_ms);
  if (holders.some((holder) => holder.subject_id === subject.id && !holder.free)) return false;
  await takePlaces(tx, [placeBehind(holders, wanted, subject.id)]);
  const existing_id = twinAmong(subject, holders);
  if (existing_id === undefined) return false;
  const { kind } = wanted;
  const value = nameOf(subject, kind);
  await keepCollision(tx, { kind, record_id: subject.id, value, existing_id });
  return true;
}

/** As a newcomer would be refused for it. */
function twinAmong(subject: Subject, holders: readonly PlacedHolder[]): string | undefined {
  const others = holders.filter((holder) => !holder.free && holder.subject_id !== subject.id);
  const recognition = recognise({ ...subject, confirm_distinct: false }, others);
  return recognition.kind === 'new' ? undefined : recognition.likenesses[0].subject_id;
}
