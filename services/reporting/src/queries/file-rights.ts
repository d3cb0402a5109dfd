import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { monthsBefore } from '../domain/calendar';
import { type FileRights, standingAt } from '../domain/file-entries';
import { INQUIRY_MONTHS_SHOWN, type RefusedInquiry } from '../domain/inquiry';
import { rightsOf } from '../store/heads';
import { refusedOf } from '../store/refused-inquiries';

const REFUSED_SHOWN = 100;

export interface RightsOnFile {
  readonly rights: FileRights;
  /** The newest first. */
  readonly refused: readonly RefusedInquiry[];
}

/** What stands on a person's file by its own word, and who was turned away by it. */
export async function getFileRights(
  db: Database,
  ctx: CallContext,
  subject_id: string,
  now_ms: number,
): Promise<RightsOnFile> {
  const on = db.read(ctx);
  const rights = await rightsOf(on, subject_id);
  const since_ms = monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN);
  const refused =
    rights.sequence === 0 ? [] : await refusedOf(on, subject_id, since_ms, REFUSED_SHOWN);
  return { rights: standingAt(rights, now_ms), refused };
}
