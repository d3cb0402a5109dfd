import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, encodeCursor } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import type { ReportingClient } from '../reporting-client';
import { listSnapshots, type StoredSnapshot } from '../store/snapshots';
import { lookAtScores, type ScoreLook, withOwnTriggers } from './look-at-scores';

export interface SnapshotPage {
  readonly snapshots: readonly StoredSnapshot[];
  readonly next_cursor: string | null;
}

const MAX_LIMIT = 100;
const AFTER_ALL = 2_147_483_647;

export interface SnapshotPageDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'followSubject' | 'recordInquiry' | 'ownRecords'>;
}

/** A subject's snapshots, the newest first. */
export async function snapshotPage(
  { db, reporting }: SnapshotPageDeps,
  ctx: CallContext,
  request: {
    readonly subject_id: string;
    readonly limit: number;
    readonly cursor: string | null;
    readonly look: ScoreLook;
  },
): Promise<SnapshotPage> {
  if (request.limit < 1 || request.limit > MAX_LIMIT) {
    throw invalid('limit', `must be from 1 to ${MAX_LIMIT}`);
  }
  const before = request.cursor === null ? AFTER_ALL : sequenceOf(request.cursor);
  // Also tells a subject that was never scored from one that never was.
  await lookAtScores(reporting, ctx, request.subject_id, request.look);
  const rows = await listSnapshots(db.read(ctx), request.subject_id, before, request.limit + 1);
  const page = rows.slice(0, request.limit);
  const snapshots = await withOwnTriggers(reporting, ctx, request.subject_id, page);
  const last = snapshots.at(-1);
  const more = rows.length > request.limit && last !== undefined;
  return { snapshots, next_cursor: more ? encodeCursor([String(last.sequence)]) : null };
}

function sequenceOf(cursor: string): number {
  const [text = ''] = decodeCursor(cursor, 1);
  const sequence = Number(text);
  if (!/^\d{1,10}$/.test(text) || sequence > AFTER_ALL) {
    throw invalid('cursor', 'is not a cursor of this listing');
  }
  return sequence;
}
