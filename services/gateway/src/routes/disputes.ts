import type { BodyOf, Operations } from '@credit/contract';
import type { GetDisputeResponse, MoveDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type DisputeOperations =
  | 'openDispute'
  | 'getOpenedDispute'
  | 'listDisputes'
  | 'getDispute'
  | 'answerDispute'
  | 'getDisputeRecord'
  | 'moveDispute';

/** Disputes: public intake, listings, and what administrators decide. */
export function disputeRoutes({ disputes }: Clients): HandlersOf<DisputeOperations> {
  return {
    openDispute: async ({ ctx, body }) => {
      const { access_token, dispute } = await disputes.openDispute(ctx, body);
      return { ...present(dispute), access_token };
    },
    getOpenedDispute: async ({ ctx, params, token }) => {
      const request = { ...params, access_token: token };
      return present((await disputes.getOpenedDispute(ctx, request)).dispute);
    },
    getDispute: async ({ ctx, params, query }) =>
      caseOf(await disputes.getDispute(ctx, { ...params, ...query })),
    answerDispute: async ({ ctx, params, query, body }) =>
      present((await disputes.answerDispute(ctx, { ...params, ...body, ...query })).answer),
    getDisputeRecord: async ({ ctx, params, query }) =>
      caseOf(await disputes.getDisputeRecord(ctx, { ...params, ...query })),
    moveDispute: async ({ ctx, params, query, body }) => {
      const request = { ...moveRequest(params.dispute_id, body), ...query };
      const { dispute, preview } = await disputes.moveDispute(ctx, request);
      return { ...present(dispute), preview };
    },
    listDisputes: async ({ ctx, query }) => {
      const page = await disputes.listDisputes(ctx, query);
      return {
        items: page.disputes,
        next_cursor: page.next_cursor,
        total_count: page.total_count,
      };
    },
  };
}

/** A dispute beside what it contests. */
function caseOf<Beside extends object>({
  dispute,
  ...beside
}: Beside & Pick<GetDisputeResponse, 'dispute'>) {
  return { ...present(dispute), ...beside };
}

/** A decision as the service takes it. */
export function moveRequest(
  dispute_id: string,
  body: BodyOf<Operations['moveDispute']>,
): MoveDisputeRequest {
  const { account_ids = [], correction = {}, ...decision } = body;
  const { inquiry_ids = [], ...replacement } = correction;
  // Inquiries alone put nothing in anything's place.
  const replaces = body.correction !== undefined && body.correction.inquiry_ids === undefined;
  return {
    dispute_id,
    ...decision,
    account_ids,
    inquiry_ids,
    correction: replaces || Object.keys(replacement).length > 0 ? replacement : undefined,
  };
}
