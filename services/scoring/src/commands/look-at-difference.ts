import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { uuidFrom, uuidIfGiven } from '@credit/platform/requests';
import { idBound } from '../domain/id-bound';
import type { ChangesBetween, ReportingClient } from '../reporting-client';
import { findSnapshots, latestSnapshot, type StoredSnapshot } from '../store/snapshots';
import { lookAtScores, type ScoreLook, withOwnTriggers } from './look-at-scores';

export interface FactorChange {
  readonly name: string;
  readonly from_points: number;
  readonly to_points: number;
  readonly delta: number;
}

export interface SnapshotDiff {
  readonly from: StoredSnapshot;
  readonly to: StoredSnapshot;
  /** Undefined unless both are rated. */
  readonly score_delta: number | undefined;
  readonly factors: readonly FactorChange[];
  readonly reasons_added: readonly string[];
  readonly reasons_removed: readonly string[];
  readonly between: ChangesBetween;
}

const MAX_CHANGES = 500;

export interface LookAtDifferenceDeps {
  readonly db: Database;
  readonly reporting: Pick<
    ReportingClient,
    'changesBetween' | 'followSubject' | 'recordInquiry' | 'ownRecords'
  >;
}

/** What changed from one snapshot to another, by default the latest. */
export async function lookAtDifference(
  { db, reporting }: LookAtDifferenceDeps,
  ctx: CallContext,
  wanted: {
    readonly subject_id: string;
    readonly snapshot_id: string;
    readonly to_snapshot_id: string | undefined;
    readonly look: ScoreLook;
  },
): Promise<SnapshotDiff> {
  const { subject_id, look } = wanted;
  const snapshot_id = uuidFrom('snapshot_id', wanted.snapshot_id);
  const to_snapshot_id = uuidIfGiven('to', wanted.to_snapshot_id);
  // Who may not look learns of no snapshot; what is not there is no look that anybody had.
  if (look.purpose === undefined) await lookAtScores(reporting, ctx, subject_id, look);
  const on = db.read(ctx);
  const ids = to_snapshot_id === undefined ? [snapshot_id] : [snapshot_id, to_snapshot_id];
  const found = await findSnapshots(on, subject_id, ids);
  const from = found.find(({ id }) => id === snapshot_id);
  const to =
    to_snapshot_id === undefined
      ? await latestSnapshot(on, subject_id)
      : found.find(({ id }) => id === to_snapshot_id);
  if (from === undefined || to === undefined) throw notFound('The snapshot does not exist.');
  if (look.purpose !== undefined) await lookAtScores(reporting, ctx, subject_id, look);
  const [older, newer] = from.sequence <= to.sequence ? [from, to] : [to, from];
  const between = await reporting.changesBetween(ctx, {
    subject_id,
    after_id: boundOf(older),
    until_id: boundOf(newer),
    limit: MAX_CHANGES,
  });
  const [shown_from = from, shown_to = to] = await withOwnTriggers(reporting, ctx, subject_id, [
    from,
    to,
  ]);
  const codes = (snapshot: StoredSnapshot) => snapshot.reasons.map(({ code }) => code);
  return {
    from: shown_from,
    to: shown_to,
    score_delta:
      from.score === undefined || to.score === undefined ? undefined : to.score - from.score,
    factors: factorChanges(from, to),
    reasons_added: codes(to).filter((code) => !codes(from).includes(code)),
    reasons_removed: codes(from).filter((code) => !codes(to).includes(code)),
    between,
  };
}

/** Ids are in order of time: the trigger's own, or the first of the snapshot's moment. */
function boundOf({ trigger_id, calculated_at }: StoredSnapshot): string {
  return trigger_id ?? idBound(Date.parse(calculated_at));
}

/** A factor that one of them lacks, being unrated, had no points there. */
function factorChanges(from: StoredSnapshot, to: StoredSnapshot): FactorChange[] {
  const names = [...new Set([...from.factors, ...to.factors].map(({ name }) => name))];
  const points = ({ factors }: StoredSnapshot, wanted: string) =>
    factors.find(({ name }) => name === wanted)?.points ?? 0;
  return names.map((name) => {
    const from_points = points(from, name);
    const to_points = points(to, name);
    return { name, from_points, to_points, delta: to_points - from_points };
  });
}
