import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor } from '@credit/platform/db';
import { cursorFault, type Page, type PageRequest, readPage } from '@credit/platform/requests';
import type { ReportingClient } from '../reporting-client';
import { listSnapshots, type StoredSnapshot } from '../store/snapshots';
import { lookAtScores, type ScoreLook, withOwnTriggers } from './look-at-scores';

const AFTER_ALL = 2_147_483_647;

export interface LookAtSnapshotsDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'followSubject' | 'recordInquiry' | 'ownRecords'>;
}

/** A subject's snapshots, the newest first. */
export async function lookAtSnapshots(
  { db, reporting }: LookAtSnapshotsDeps,
  ctx: CallContext,
  request: PageRequest & { readonly subject_id: string; readonly look: ScoreLook },
): Promise<Page<StoredSnapshot>> {
  const { subject_id, look, cursor } = request;
  const before = cursor === undefined ? AFTER_ALL : sequenceOf(cursor);
  const read = async (limit: number) => {
    // Also tells a subject that was never scored from one that never was.
    await lookAtScores(reporting, ctx, subject_id, look);
    return listSnapshots(db.read(ctx), subject_id, before, limit);
  };
  const page = await readPage(request, read, (last) => [String(last.sequence)]);
  return { ...page, items: await withOwnTriggers(reporting, ctx, subject_id, page.items) };
}

function sequenceOf(cursor: string): number {
  const [text = ''] = decodeCursor(cursor, 1);
  const sequence = Number(text);
  if (!/^\d{1,10}$/.test(text) || sequence > AFTER_ALL) {
    throw cursorFault();
  }
  return sequence;
}
