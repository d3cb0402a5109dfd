import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { specified } from '@credit/platform/values';
import { Purpose } from '@credit/proto/reporting/v1/types';
import {
  type DiffSnapshotsResponse,
  type GetProfileResponse,
  type Look,
  type ScoreView,
  ScoringServiceDefinition,
  type ReasonCode as WireReason,
  type Report as WireReport,
  type Snapshot as WireSnapshot,
} from '@credit/proto/scoring/v1/scoring';
import { lookAtDifference, type SnapshotDiff } from './commands/look-at-difference';
import { lookAtProfile, type SeenProfile } from './commands/look-at-profile';
import type { ScoreLook } from './commands/look-at-scores';
import { lookAtSnapshots } from './commands/look-at-snapshots';
import {
  CURRENT_MODEL,
  dayOfInstant,
  instantOfDay,
  type Reason,
  SCORE_MAX,
  SCORE_MIN,
  type Score,
} from './domain/model';
import { ALERT_INSTRUCTIONS } from './domain/person-word';
import { getAccountPayments } from './queries/account-payments';
import { modelFor } from './queries/model-for';
import { getPersonScore } from './queries/person-score';
import type { ProfileReader } from './queries/read-profile';
import { rehearsedFile } from './queries/rehearse-move';
import { simulateScore } from './queries/simulate-profile';
import type { ReportingClient } from './reporting-client';
import { createNotice } from './reports/commands/create-notice';
import { createReport } from './reports/commands/create-report';
import type { PersonFileWriter } from './reports/commands/write-person-file';
import {
  type ReportStatus as ReportState,
  type StoredReport,
  statusAt,
} from './reports/domain/report';
import { getReport, openDocument } from './reports/queries/get-report';
import { listReports } from './reports/queries/list-reports';
import type { StoredSnapshot } from './store/snapshots';

export interface ScoringRpcDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly profiles: ProfileReader;
  readonly reporting: ReportingClient;
  readonly person_files: Pick<PersonFileWriter, 'write'>;
  /** Called when a report waits to be built. */
  readonly onReport: () => void;
}

/** What other services may ask. */
export function scoringRpc(deps: ScoringRpcDeps): ServiceRegistration {
  const { db, clock, profiles, reporting } = deps;
  return serviceRegistration(ScoringServiceDefinition, {
    async getProfile(ctx, request) {
      const subject_id = uuidFrom('subject_id', request.subject_id);
      const inquiry_id = uuidFrom('inquiry_id', request.inquiry_id);
      const { as_of, known_at, purpose, inquiry_type, consent_reference, model_version } = request;
      if ((as_of === undefined) !== (known_at === undefined)) {
        throw invalid('as_of', 'goes with known_at');
      }
      const past = as_of === undefined || known_at === undefined ? undefined : { as_of, known_at };
      const why = { purpose, inquiry_type, consent_reference };
      const look = { subject_id, inquiry_id, ...why, model_version, past };
      return profileMessage(ctx, await lookAtProfile({ profiles, reporting }, ctx, look));
    },
    async rehearseSubjectMove(ctx, { move }) {
      if (move === undefined) throw invalid('move', 'is required');
      const rehearsed = await reporting.rehearseMove(ctx, move);
      const as_of_day = dayOfInstant(clock.now_ms());
      return {
        move: rehearsed.move,
        from: rehearsedFile(rehearsed.from, as_of_day),
        to: rehearsedFile(rehearsed.to, as_of_day),
      };
    },
    async listSnapshots(ctx, { subject_id, limit, cursor, look }) {
      const page = await lookAtSnapshots({ db, reporting }, ctx, {
        subject_id: uuidFrom('subject_id', subject_id),
        limit,
        cursor,
        look: scoreLook(look),
      });
      return { snapshots: page.items.map(snapshotMessage), next_cursor: page.next_cursor };
    },
    async diffSnapshots(ctx, { subject_id, snapshot_id, to_snapshot_id, look }) {
      const wanted = {
        subject_id: uuidFrom('subject_id', subject_id),
        snapshot_id,
        to_snapshot_id,
        look: scoreLook(look),
      };
      return diffMessage(ctx, await lookAtDifference({ db, reporting }, ctx, wanted));
    },
    async simulateProfile(ctx, { subject_id, purpose, inquiry_id, events, model_version }) {
      // First what may be refused: a simulation that is not made is no look.
      const as_of_day = dayOfInstant(clock.now_ms());
      const model = modelFor(model_version, as_of_day);
      const file = await reporting.simulate(ctx, uuidFrom('subject_id', subject_id), events);
      await reporting.recordInquiry(ctx, {
        inquiry_id,
        subject_id,
        purpose,
        inquiry_type: 'SOFT',
      });
      const { before, after, delta } = simulateScore(file, inquiry_id, model, as_of_day);
      return {
        inquiry_id,
        before: scoreView(before),
        after: scoreView(after),
        delta,
        model_version: model.version,
      };
    },
    async getAccountPayments(ctx, { account_id }) {
      const as_of_day = dayOfInstant(clock.now_ms());
      const { as_of_ms, ...payments } = await getAccountPayments(
        reporting,
        ctx,
        account_id,
        as_of_day,
      );
      return { ...payments, as_of: toTimestamp(as_of_ms) };
    },
    async getPersonScore(ctx) {
      const now_ms = clock.now_ms();
      const {
        reasons,
        factors,
        caps: _caps,
        ...score
      } = await getPersonScore(reporting, ctx, dayOfInstant(now_ms));
      return {
        credit: {
          ...score,
          factors: [...factors],
          score_range: { min: SCORE_MIN, max: SCORE_MAX },
          model_version: CURRENT_MODEL.version,
          calculated_at: toTimestamp(now_ms),
        },
        reason_codes: reasons.map(reasonMessage),
      };
    },
    async writePersonFile(ctx, { file_json, content_hash, generated_at }) {
      if (generated_at === undefined) throw invalid('generated_at', 'is required');
      return { pdf: await deps.person_files.write(ctx, { file_json, content_hash, generated_at }) };
    },
    async createReport(ctx, request) {
      const report = await createReport({ db, clock, reporting }, ctx, {
        report_id: uuidFrom('report_id', request.report_id),
        subject_id: uuidFrom('subject_id', request.subject_id),
        report_type: specified(request.report_type),
        format: specified(request.format),
        purpose: request.purpose,
        consent_reference: request.consent_reference,
      });
      deps.onReport();
      return { report: reportMessage(report, statusAt(report, clock.now_ms())) };
    },
    async createNotice(ctx, request) {
      const report = await createNotice({ db, clock, reporting }, ctx, {
        report_id: uuidFrom('report_id', request.report_id),
        inquiry_id: uuidFrom('inquiry_id', request.inquiry_id),
        format: specified(request.format),
        parties: request.parties,
        model_version: request.model_version,
      });
      deps.onReport();
      return { report: reportMessage(report, statusAt(report, clock.now_ms())) };
    },
    async getReport(ctx, { report_id }) {
      const { report, status, content } = await getReport(db, ctx, report_id, clock.now_ms());
      return { report: reportMessage(report, status, content) };
    },
    async listReports(ctx, request) {
      const now_ms = clock.now_ms();
      const wanted = { ...request, status: specified(request.status) };
      const page = await listReports(db, ctx, wanted, now_ms);
      return {
        reports: page.items.map((report) => reportMessage(report, statusAt(report, now_ms))),
        next_cursor: page.next_cursor,
      };
    },
    async openReportDocument(ctx, { report_id }) {
      institutionOf(ctx);
      return { ticket: await openDocument(db, ctx, report_id, clock.now_ms()) };
    },
  });
}

function scoreLook(look: Look | undefined): ScoreLook {
  if (look === undefined || look.purpose === Purpose.UNSPECIFIED) {
    const consent_reference = look?.consent_reference;
    if (consent_reference !== undefined) throw invalid('consent_reference', 'goes with a purpose');
    return { purpose: undefined, inquiry_type: undefined, consent_reference, inquiry_id: '' };
  }
  const { purpose, inquiry_type, consent_reference } = look;
  const inquiry_id = uuidFrom('inquiry_id', look.inquiry_id);
  return { purpose, inquiry_type, consent_reference, inquiry_id };
}

function reportMessage(report: StoredReport, status: ReportState, content?: string): WireReport {
  return {
    ...report,
    // Only what came as one was stored.
    purpose: report.purpose as Purpose,
    status,
    content_sha256: report.content_sha256?.toString('hex'),
    content_json: content,
    content_bytes:
      status === 'READY' && report.content_bytes !== undefined
        ? BigInt(report.content_bytes)
        : undefined,
  };
}

function diffMessage(
  { institution_id: caller }: CallContext,
  { between, ...diff }: SnapshotDiff,
): DiffSnapshotsResponse {
  return {
    from: snapshotMessage(diff.from),
    to: snapshotMessage(diff.to),
    score_delta: diff.score_delta,
    factors: [...diff.factors],
    reasons_added: [...diff.reasons_added],
    reasons_removed: [...diff.reasons_removed],
    events: between.changes.map(({ credit_event_id, ...change }) => ({
      ...change,
      credit_event_id: change.own ? credit_event_id : undefined,
    })),
    inquiries: between.inquiries.map(({ inquiry_id, institution_id, purpose, created_at }) => ({
      inquiry_id: institution_id === caller ? inquiry_id : undefined,
      purpose,
      created_at,
    })),
    truncated: between.truncated,
  };
}

function scoreView(score: Score): ScoreView {
  return {
    ...score,
    factors: [...score.factors],
    reason_codes: score.reasons.map(reasonMessage),
    caps_applied: [...score.caps],
  };
}

function profileMessage(
  { institution_id: caller }: CallContext,
  { profile: answer, subject, open_dispute_count, alerts }: SeenProfile,
): GetProfileResponse {
  const { score, risk, history } = answer;
  return {
    subject,
    credit: {
      ...score,
      factors: [...score.factors],
      score_range: { min: SCORE_MIN, max: SCORE_MAX },
      model_version: answer.model_version,
      calculated_at: answer.calculated_at,
    },
    risk: {
      ...risk,
      disputed_balance: [...risk.disputed_balance],
      caps_applied: [...risk.caps_applied],
      open_dispute_count,
    },
    history: {
      ...history,
      accounts_by_status: [...history.accounts_by_status],
      totals: [...history.totals],
    },
    reason_codes: score.reasons.map(reasonMessage),
    subject_version: answer.subject_version,
    input_hash: answer.input_hash?.toString('hex'),
    alerts: alerts.map((alert) => ({ ...alert, instruction: ALERT_INSTRUCTIONS[alert.kind] })),
    statements: answer.statements.map(
      ({ record_kind, record_id, institution_id, text, set_at }) => ({
        record_kind,
        record_id: institution_id === caller ? record_id : undefined,
        text,
        set_at,
      }),
    ),
  };
}

function snapshotMessage(snapshot: StoredSnapshot): WireSnapshot {
  const { score, previous_score } = snapshot;
  return {
    ...snapshot,
    as_of: toTimestamp(instantOfDay(snapshot.as_of_day)),
    trigger: { type: snapshot.trigger_type, id: snapshot.trigger_id },
    reason_codes: snapshot.reasons.map(reasonMessage),
    delta: score === undefined || previous_score === undefined ? undefined : score - previous_score,
    input_hash: snapshot.input_hash.toString('hex'),
  };
}

function reasonMessage(reason: Reason): WireReason {
  return { ...reason };
}
