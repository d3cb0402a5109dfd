import { withRetry } from '@credit/platform/rpc';
import { Purpose } from '@credit/proto/reporting/v1/types';
import type { Look } from '@credit/proto/scoring/v1/scoring';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

export function creditRoutes({
  reporting,
  scoring,
}: Clients): HandlersOf<
  | 'recordInquiry'
  | 'listInquiries'
  | 'getCreditProfile'
  | 'listSnapshots'
  | 'diffSnapshots'
  | 'simulateCredit'
> {
  return {
    recordInquiry: ({ ctx, body, made_id }) =>
      // The id makes it repeatable: a second call finds the inquiry of the first.
      withRetry(ctx, async () => {
        const request = { inquiry_id: made_id, ...body };
        return present((await reporting.recordInquiry(ctx, request)).inquiry);
      }),
    listInquiries: async ({ ctx, query }) => {
      const { inquiries, next_cursor } = await reporting.listInquiries(ctx, query);
      return { items: inquiries, next_cursor };
    },
    getCreditProfile: async ({ ctx, params, query, made_id }) => {
      const { as_of, known_at } = query;
      const {
        subject_version: _version,
        input_hash: _hash,
        ...profile
      } = await scoring.getProfile(ctx, {
        ...params,
        ...query,
        inquiry_id: made_id,
        as_of: as_of ?? known_at,
        known_at: known_at ?? as_of,
      });
      return { ...profile, inquiry_id: made_id };
    },
    listSnapshots: async ({ ctx, params, query, made_id }) => {
      const { purpose, inquiry_type, consent_reference, ...page } = query;
      const { snapshots, next_cursor } = await scoring.listSnapshots(ctx, {
        subject_id: params.subject_id,
        ...page,
        look: lookOf({ purpose, inquiry_type, consent_reference }, made_id),
      });
      return { items: snapshots, next_cursor };
    },
    diffSnapshots: ({ ctx, params, query, made_id }) => {
      const { to, ...why } = query;
      return scoring.diffSnapshots(ctx, {
        ...params,
        to_snapshot_id: to,
        look: lookOf(why, made_id),
      });
    },
    simulateCredit: ({ ctx, params, body, made_id }) =>
      // It writes an inquiry of this id and nothing else: a second call finds it.
      withRetry(ctx, () =>
        scoring.simulateProfile(ctx, { ...params, ...body, inquiry_id: made_id }),
      ),
  };
}

/** Why scores are looked at; without a purpose whoever may follow them does. */
function lookOf(why: Partial<Omit<Look, 'inquiry_id'>>, inquiry_id: string): Look {
  return { ...why, purpose: why.purpose ?? Purpose.UNSPECIFIED, inquiry_id };
}
