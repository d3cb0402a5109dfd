import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { uuidFrom } from '@credit/platform/requests';
import { monthsBefore } from '../domain/calendar';
import { INQUIRY_MONTHS_SHOWN } from '../domain/inquiry';
import { unknownSubject } from '../domain/standing-subject';
import { type SubjectFile, subjectFile } from '../store/subject-file';

/**
 * A subject's accounts and inquiries, whoever reported and made them: of one that was merged there are
 * none, which those who derive something have to learn.
 */
export async function getSubjectFile(
  db: Database,
  ctx: CallContext,
  subject_id: string,
  now_ms: number,
): Promise<SubjectFile> {
  const since_ms = monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN);
  const file = await subjectFile(db.read(ctx), uuidFrom('subject_id', subject_id), since_ms);
  if (file === undefined) throw unknownSubject();
  return file;
}
