import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import {
  type RpcChannel,
  type ServiceRegistration,
  serviceRegistration,
} from '@credit/platform/rpc';
import { toTimestamp } from '@credit/platform/runtime';
import { ReportingServiceService } from '@credit/proto/reporting/v1/reporting';
import {
  type GetProfileResponse,
  ScoringServiceService,
  type ReasonCode as WireReason,
  type Snapshot as WireSnapshot,
} from '@credit/proto/scoring/v1/scoring';
import type { ReadWhole } from './commands/catch-up';
import { instantOfDay, MODEL_VERSION, type Reason, SCORE_MAX, SCORE_MIN } from './domain/model';
import { wholeSubject } from './facts-from-proto';
import type { ProfileAnswer, ProfileReader } from './queries/read-profile';
import { snapshotPage } from './queries/snapshot-page';
import type { StoredSnapshot } from './store/snapshots';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What other services may ask. */
export function scoringRpc(deps: {
  readonly db: Database;
  readonly profiles: ProfileReader;
}): ServiceRegistration {
  return serviceRegistration(ScoringServiceService, {
    async getProfile(ctx, { subject_id, minimum_version, exclude_inquiry_id }) {
      const answer = await deps.profiles.read(ctx, {
        subject_id: asId(subject_id),
        minimum_version,
        exclude_inquiry_id: exclude_inquiry_id ?? null,
      });
      return profileMessage(answer);
    },
    async listSnapshots(ctx, { subject_id, limit, cursor }) {
      const page = await snapshotPage(deps.db, ctx, {
        subject_id: asId(subject_id),
        limit,
        cursor: cursor ?? null,
      });
      return {
        snapshots: page.snapshots.map(snapshotMessage),
        next_cursor: page.next_cursor ?? undefined,
      };
    },
  });
}

/** The whole of a subject, asked of reporting over a channel. */
export function wholeFromReporting(channel: RpcChannel): ReadWhole {
  const reporting = channel.stub(ReportingServiceService);
  return async (ctx, subject_id) =>
    wholeSubject(await reporting.getSubjectFile(ctx, { subject_id }));
}

function asId(subject_id: string): string {
  if (!UUID.test(subject_id)) throw invalid('subject_id', 'must be a UUID');
  return subject_id;
}

function profileMessage(answer: ProfileAnswer): GetProfileResponse {
  const { score, risk, history } = answer;
  return {
    credit: {
      score: score.score ?? undefined,
      score_range: { min: SCORE_MIN, max: SCORE_MAX },
      grade: score.grade ?? undefined,
      band: score.band,
      confidence: score.confidence,
      model_version: MODEL_VERSION,
      calculated_at: answer.calculated_at,
      factors: [...score.factors],
      payment_index: score.payment_index ?? undefined,
    },
    risk: {
      level: risk.level,
      worst_current_status:
        risk.worst_current_status === null
          ? undefined
          : `ACCOUNT_STATUS_${risk.worst_current_status}`,
      max_days_past_due: risk.max_days_past_due,
      bucket: `BUCKET_${risk.bucket}`,
      stage: risk.stage,
      active_defaults: risk.active_defaults,
      disputed_account_count: risk.disputed_account_count,
      disputed_balance: [...risk.disputed_balance],
      caps_applied: [...risk.caps_applied],
    },
    history: {
      accounts_by_status: history.accounts_by_status.map(({ status, count }) => ({
        status: `ACCOUNT_STATUS_${status}` as const,
        count,
      })),
      totals: [...history.totals],
      oldest_account_months: history.oldest_account_months,
      on_time_24m: history.on_time_24m,
      late_24m: history.late_24m,
      worst_bucket_12m: `BUCKET_${history.worst_bucket_12m}`,
      worst_bucket_24m: `BUCKET_${history.worst_bucket_24m}`,
      payment_grid: history.payment_grid,
      hard_inquiries_12m: history.hard_inquiries_12m,
      institution_count: history.institution_count,
    },
    reason_codes: score.reasons.map(reasonMessage),
    subject_version: answer.subject_version,
  };
}

function snapshotMessage(snapshot: StoredSnapshot): WireSnapshot {
  const { score, previous_score } = snapshot;
  return {
    id: snapshot.id,
    subject_id: snapshot.subject_id,
    sequence: snapshot.sequence,
    score: score ?? undefined,
    grade: snapshot.grade ?? undefined,
    model_version: snapshot.model_version,
    as_of: toTimestamp(instantOfDay(snapshot.as_of_day)),
    calculated_at: snapshot.calculated_at,
    trigger: { type: snapshot.trigger_type, id: snapshot.trigger_id ?? undefined },
    factors: snapshot.factors,
    reason_codes: snapshot.reasons.map(reasonMessage),
    previous_score: previous_score ?? undefined,
    delta: score === null || previous_score === null ? undefined : score - previous_score,
    input_hash: snapshot.input_hash.toString('hex'),
  };
}

function reasonMessage(reason: Reason): WireReason {
  return { ...reason };
}
