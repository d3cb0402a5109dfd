import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import {
  idFromCursor,
  type Page,
  type PageRequest,
  readPage,
  uuidFrom,
} from '@credit/platform/requests';
import { unknownSubject } from '../domain/standing-subject';
import type { SubjectMove } from '../domain/subject-move';
import { movesOf } from '../store/subject-moves';
import { subjectById } from '../store/subjects';

/** What went from a subject and came to it, newest first; of one that was merged too. */
export async function listSubjectMoves(
  db: Database,
  ctx: CallContext,
  wanted: PageRequest & { readonly subject_id: string },
): Promise<Page<SubjectMove>> {
  const subject_id = uuidFrom('subject_id', wanted.subject_id);
  const before_id = idFromCursor(wanted.cursor);
  const on = db.read(ctx);
  if ((await subjectById(on, subject_id)) === undefined) throw unknownSubject();
  return readPage(
    wanted,
    (limit) => movesOf(on, subject_id, before_id, limit),
    (last) => [last.id],
  );
}
