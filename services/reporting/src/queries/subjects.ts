import type { CallContext } from '@credit/platform/context';
import { type Database, encodeCursor, type Queryable } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import { idFromCursor, type Page, readPage, uuidFrom } from '@credit/platform/requests';
import { nameKey } from '@credit/platform/values';
import { standingSubject } from '../domain/standing-subject';
import type { Subject } from '../domain/subject';
import * as store from '../store/subjects';

const MIN_QUERY_LENGTH = 2;
const MAX_QUERY_LENGTH = 100;

export async function getSubject(
  db: Database,
  ctx: CallContext,
  subject_id: string,
): Promise<Subject> {
  const id = uuidFrom('subject_id', subject_id);
  return standingSubject(await store.subjectById(db.read(ctx), id)).subject;
}

export async function getSubjectByGameUuid(
  db: Database,
  ctx: CallContext,
  game_uuid: string,
): Promise<Subject> {
  const key = uuidFrom('game_uuid', game_uuid);
  const subject = await store.subjectByIdentity(db.read(ctx), { kind: 'game_uuid', key });
  if (subject === undefined) throw notFound('No subject has this game_uuid.');
  return subject;
}

/** What was found of a subject; of one that was merged nothing is no answer, and is refused. */
export async function unlessMerged<Row>(
  on: Queryable,
  subject_id: string | undefined,
  found: Row[],
): Promise<Row[]> {
  if (found.length === 0 && subject_id !== undefined) await refuseMerged(on, subject_id);
  return found;
}

/** Refuses what is asked of a subject that was merged. */
export async function refuseMerged(on: Queryable, subject_id: string): Promise<void> {
  const found = await store.subjectById(on, subject_id);
  if (found !== undefined) standingSubject(found);
}

/**
 * Subjects with a name that holds the text, newest first. A page may hold fewer than there are, even
 * none, and still say where the next begins: when what is left of the listing took too long to find.
 */
export async function searchSubjects(
  db: Database,
  ctx: CallContext,
  wanted: { q: string; limit: number; cursor?: string | undefined },
): Promise<Page<Subject>> {
  const text = nameKey(wanted.q);
  const characters = [...text];
  if (characters.length < MIN_QUERY_LENGTH || characters.length > MAX_QUERY_LENGTH) {
    throw invalid('q', `must have ${MIN_QUERY_LENGTH} to ${MAX_QUERY_LENGTH} characters`);
  }
  const search = {
    pattern: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
    grams: gramsOf(characters),
    before_id: idFromCursor(wanted.cursor),
  };
  let looked_until_id: string | undefined;
  const found = await readPage(
    wanted,
    async (limit) => {
      const looked = await store.searchSubjects(db.read(ctx), { ...search, limit });
      looked_until_id = looked.looked_until_id;
      return looked.subjects;
    },
    (last) => [last.listed_id],
  );
  // By the names of both of two that were merged it is one.
  const items = [...new Map(found.items.map(({ subject }) => [subject.id, subject])).values()];
  return looked_until_id === undefined || found.next_cursor !== undefined
    ? { ...found, items }
    : { items, next_cursor: encodeCursor([looked_until_id]) };
}

/** Among a few pieces is one about as rare as the rarest, at a fraction of the cost of all. */
const MAX_GRAMS = 8;

/** The pieces that are listed: of two characters the text itself, else some of three. */
function gramsOf(characters: readonly string[]): string[] {
  if (characters.length === MIN_QUERY_LENGTH) return [characters.join('')];
  const last_start = characters.length - 3;
  const count = Math.min(MAX_GRAMS, last_start + 1);
  // Spread evenly from the first to the last.
  const starts = Array.from({ length: count }, (_unused, index) =>
    Math.round((last_start * index) / Math.max(1, count - 1)),
  );
  return [...new Set(starts.map((start) => characters.slice(start, start + 3).join('')))];
}
