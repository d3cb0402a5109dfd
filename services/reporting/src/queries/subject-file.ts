import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { monthsBefore } from '../domain/calendar';
import { INQUIRY_MONTHS_SHOWN } from '../domain/inquiry';
import { type SubjectFile, subjectFile } from '../store/subject-file';

/** A subject's accounts and inquiries, whoever reported and made them. */
export async function getSubjectFile(
  db: Database,
  ctx: CallContext,
  subject_id: string,
  now_ms: number,
): Promise<SubjectFile> {
  const since_ms = monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN);
  const file = await subjectFile(db.read(ctx), uuidFrom('subject_id', subject_id), since_ms);
  if (file === undefined) throw notFound('The subject does not exist.');
  return file;
}
