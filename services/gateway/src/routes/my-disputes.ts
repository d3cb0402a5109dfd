import type { BodyOf, Operations } from '@credit/contract';
import { invalid } from '@credit/platform/errors';
import type { OpenPersonDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';
import { institutionNames } from '../institution-names';

/** What people contest of their own files: whose it is, the session says. */
export function myDisputesRoutes(
  clients: Clients,
): HandlersOf<'openMyDispute' | 'listMyDisputes' | 'getMyDispute'> {
  const { disputes } = clients;
  return {
    openMyDispute: async ({ ctx, body }) => {
      const { account_id: _account, credit_event_id: _event, inquiry_id: _look, ...said } = body;
      const request = { ...said, record: recordOf(body) };
      return present((await disputes.openPersonDispute(ctx, request)).dispute);
    },
    listMyDisputes: async ({ ctx, query }) => {
      const { disputes: items, next_cursor } = await disputes.listPersonDisputes(ctx, query);
      return { items, next_cursor };
    },
    getMyDispute: async ({ ctx, params }) => {
      const { dispute, told, ...more } = await disputes.getPersonDispute(ctx, params);
      const told_ids = told.map(({ institution_id }) => institution_id);
      const named = await institutionNames(clients, ctx, told_ids);
      return {
        ...present(dispute),
        ...more,
        told: told.map(({ institution_id, ...rest }) => ({
          ...rest,
          institution: named(institution_id),
        })),
      };
    },
  };
}

/** The one record that is named. */
function recordOf({
  account_id,
  credit_event_id,
  inquiry_id,
}: BodyOf<Operations['openMyDispute']>): OpenPersonDisputeRequest['record'] {
  const named = Object.entries({ credit_event_id, account_id, inquiry_id }).flatMap(
    ([$case, value]) => (value === undefined ? [] : [{ $case, value }]),
  );
  const [record] = named;
  if (record === undefined || named.length > 1) {
    throw invalid('', 'exactly one of credit_event_id, account_id, inquiry_id is required');
  }
  return record as OpenPersonDisputeRequest['record'];
}
