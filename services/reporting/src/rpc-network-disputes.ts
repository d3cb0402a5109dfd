// What the disputes service asks of the record, in the name of the network.

import type { CallContext } from '@credit/platform/context';
import { command, type Database } from '@credit/platform/db';
import { forbidden, invalid } from '@credit/platform/errors';
import { type Handlers, keyedWrite } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import { correctForDispute, type Replacement, setNetworkReview } from './commands/network-disputes';
import { voidInquiries } from './commands/void-inquiries';
import { listContestedAccounts } from './queries/contested-accounts';
import { locateRecords, type RecordReference } from './queries/locate-records';
import { correctedTerms, msOrNull } from './wire-values';

type NetworkDisputeHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  | 'locateRecords'
  | 'setNetworkReview'
  | 'correctForDispute'
  | 'listContestedAccounts'
  | 'voidInquiries'
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
        records: records.map(({ subject_id, account_id, institution_ids }) => ({
          subject_id: subject_id ?? undefined,
          account_id: account_id ?? undefined,
          institution_ids: [...institution_ids],
        })),
      };
    },
    setNetworkReview: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.setNetworkReview, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        credit_event_id: (await setNetworkReview(tx, deps, ctx, request)) ?? undefined,
      }));
    },
    correctForDispute: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.correctForDispute, WEEK_S);
      return command(
        db,
        ctx,
        write,
        request,
        async (tx): Promise<wire.CorrectForDisputeResponse> => {
          const { correction_event_id, linked, account_voided } = await correctForDispute(
            tx,
            deps,
            ctx,
            {
              dispute_id: request.dispute_id,
              credit_event_id: request.credit_event_id,
              filed_since_ms: timeOf(request.filed_since, 'filed_since'),
              replacement:
                request.replacement === undefined ? null : replacement(request.replacement),
              correction_reason: request.correction_reason,
              reason: request.reason ?? null,
            },
          );
          return {
            correction_event_id: correction_event_id ?? undefined,
            linked,
            account_voided,
          };
        },
      );
    },
    listContestedAccounts: async (ctx, request) => {
      refuseInstitutions(ctx);
      return { accounts: await listContestedAccounts(db, ctx, request) };
    },
    voidInquiries: async (ctx, request) => {
      refuseInstitutions(ctx);
      const write = keyedWrite(methods.voidInquiries, WEEK_S);
      return command(db, ctx, write, request, async (tx) => ({
        inquiry_ids: [
          ...(await voidInquiries(tx, deps, ctx, {
            dispute_id: request.dispute_id.toLowerCase(),
            subject_id: request.subject_id.toLowerCase(),
            institution_ids: request.institution_ids.map((id) => id.toLowerCase()),
            inquiry_ids: request.inquiry_ids.map((id) => id.toLowerCase()),
          })),
        ],
      }));
    },
  };
}

/** An institution reports for itself; this is the network's own business. */
function refuseInstitutions(ctx: CallContext): void {
  if (ctx.institution_id !== '') throw forbidden();
}

function reference({ reference: named }: wire.RecordReference, index: number): RecordReference {
  if (named === undefined) throw invalid(`references[${index}]`, 'is required');
  const kind = named.$case === 'subject_id' ? 'subject' : 'event';
  return { kind, id: named.value.toLowerCase() };
}

function replacement(given: wire.Replacement): Replacement {
  return {
    corrected_event_type: specified(given.corrected_event_type) ?? null,
    corrected_occurred_at_ms:
      given.corrected_occurred_at === undefined
        ? null
        : timeOf(given.corrected_occurred_at, 'corrected_occurred_at'),
    amount_minor: given.amount_minor ?? null,
    balance_after_minor: given.balance_after_minor ?? null,
    default_severity: specified(given.default_severity) ?? null,
    corrected_terms: correctedTerms(given.corrected_account),
  };
}

function timeOf(timestamp: string | undefined, path: string): number {
  const at_ms = msOrNull(timestamp);
  if (at_ms === null) throw invalid(path, 'must be a time');
  return at_ms;
}
