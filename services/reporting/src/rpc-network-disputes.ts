// What the disputes service asks of the record, in the name of the network.

import type { CallContext } from '@credit/platform/context';
import { command, type Database } from '@credit/platform/db';
import { forbidden, invalid } from '@credit/platform/errors';
import { type Handlers, keyedWrite } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import {
  type CorrectForDispute,
  correctForDispute,
  type Replacement,
  setNetworkReview,
  setSuppression,
} from './commands/network-disputes';
import { rehearse } from './commands/rehearsal';
import { rehearseOutcome } from './commands/rehearse-outcome';
import { voidInquiries } from './commands/void-inquiries';
import { contestedAccount, contestedRecordMessage, inquiryMessage } from './messages';
import { listContestedAccounts } from './queries/contested-accounts';
import { listContestedInquiries } from './queries/contested-inquiries';
import { getContestedRecord } from './queries/contested-record';
import { explainCorrection } from './queries/explain-correction';
import { forecastReportingHealth } from './queries/forecast-reporting-health';
import { locateRecords, type RecordReference } from './queries/locate-records';
import { correctedTerms, msOf } from './values-from-proto';

type NetworkDisputeHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  | 'locateRecords'
  | 'setNetworkReview'
  | 'correctForDispute'
  | 'listContestedAccounts'
  | 'listContestedInquiries'
  | 'getContestedRecord'
  | 'rehearseOutcome'
  | 'forecastReportingHealth'
  | 'voidInquiries'
  | 'setSuppression'
  | 'explainCorrection'
>;

const { methods } = wire.ReportingServiceDefinition;
const WEEK_S = 7 * 86_400;

/** Handlers of what disputes do to accounts of any institution. */
export function networkDisputeHandlers(
  deps: CommandDeps & { readonly db: Database },
): NetworkDisputeHandlers {
  const { db } = deps;
  return {
    locateRecords: async (ctx, { references }) => {
      refuseInstitutions(ctx);
      const records = await locateRecords(db, ctx, references.map(reference));
      return {
        records: records.map((record) => ({
          ...record,
          institution_ids: [...record.institution_ids],
        })),
      };
    },
    setNetworkReview: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.setNetworkReview, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        credit_event_id: await setNetworkReview(tx, deps, ctx, request),
      }));
    },
    correctForDispute: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.correctForDispute, WEEK_S);
      return command(db, ctx, write, request, (tx) =>
        correctForDispute(tx, deps, ctx, correction(request)),
      );
    },
    setSuppression: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.setSuppression, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        credit_event_id: await setSuppression(tx, deps, ctx, request),
      }));
    },
    explainCorrection: async (ctx, request) => {
      refuseInstitutions(ctx);
      return { changes: await explainCorrection(db, ctx, request) };
    },
    rehearseOutcome: async (ctx, { correction: wanted, ...request }) => {
      refuseInstitutions(ctx);
      const outcome = { ...request, correction: wanted && correction(wanted) };
      const { after, before, ...same } = await rehearseOutcome(db, deps, ctx, outcome);
      const now_ms = deps.clock.now_ms();
      return {
        ...same,
        before: contestedAccount(before, now_ms),
        after: contestedAccount(after, now_ms),
      };
    },
    forecastReportingHealth: async (ctx, request) => {
      refuseInstitutions(ctx);
      const { after, before } = await forecastReportingHealth(
        db,
        ctx,
        request,
        deps.clock.now_ms(),
      );
      return {
        score_before: before.score,
        grade_before: before.grade,
        score_after: after.score,
        grade_after: after.grade,
      };
    },
    listContestedAccounts: async (ctx, request) => {
      refuseInstitutions(ctx);
      return { accounts: await listContestedAccounts(db, ctx, request) };
    },
    listContestedInquiries: async (ctx, request) => {
      refuseInstitutions(ctx);
      const { has_more, inquiries } = await listContestedInquiries(db, ctx, request);
      return { inquiries: inquiries.map(inquiryMessage), has_more };
    },
    getContestedRecord: async (ctx, request) => {
      refuseInstitutions(ctx);
      const record = await getContestedRecord(db, ctx, request);
      return { record: contestedRecordMessage(record, deps.clock.now_ms()) };
    },
    voidInquiries: async (ctx, request) => {
      refuseInstitutions(ctx);
      const voiding = {
        dispute_id: request.dispute_id.toLowerCase(),
        subject_id: request.subject_id.toLowerCase(),
        institution_ids: request.institution_ids.map((id) => id.toLowerCase()),
        inquiry_ids: request.inquiry_ids.map((id) => id.toLowerCase()),
      };
      if (request.dry_run) {
        const { result } = await rehearse(db, ctx, deps.newId, (tx) =>
          voidInquiries(tx, deps, ctx, voiding),
        );
        return { inquiry_ids: [...result] };
      }
      const write = keyedWrite(methods.voidInquiries, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        inquiry_ids: [...(await voidInquiries(tx, deps, ctx, voiding))],
      }));
    },
  };
}

/** An institution reports for itself; this is the network's own business. */
function refuseInstitutions(ctx: CallContext): void {
  if (ctx.institution_id !== '')
    throw forbidden('Only the network itself may.', { reason: 'ROLE' });
}

function reference({ reference: named }: wire.RecordReference, index: number): RecordReference {
  if (named === undefined) throw invalid(`references[${index}]`, 'is required');
  const kind = named.$case === 'subject_id' ? 'subject' : 'event';
  return { kind, id: named.value.toLowerCase() };
}

function correction(request: wire.CorrectForDisputeRequest): CorrectForDispute {
  return {
    ...request,
    filed_since_ms: timeOf(request.filed_since, 'filed_since'),
    replacement: request.replacement && replacement(request.replacement),
  };
}

function replacement(given: wire.Replacement): Replacement {
  const { corrected_occurred_at, corrected_account, ...same } = given;
  return {
    ...same,
    corrected_event_type: specified(given.corrected_event_type),
    corrected_occurred_at_ms:
      corrected_occurred_at === undefined
        ? undefined
        : timeOf(corrected_occurred_at, 'corrected_occurred_at'),
    default_severity: specified(given.default_severity),
    corrected_terms: correctedTerms(corrected_account),
  };
}

function timeOf(timestamp: string | undefined, path: string): number {
  const at_ms = msOf(timestamp);
  if (at_ms === undefined) throw invalid(path, 'must be a time');
  return at_ms;
}
