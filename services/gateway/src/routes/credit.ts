import { withRetry } from '@credit/platform/rpc';
import { Purpose } from '@credit/proto/reporting/v1/types';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

export function creditRoutes({
  reporting,
  scoring,
}: Clients): HandlersOf<
  'recordInquiry' | 'getCreditProfile' | 'listSnapshots' | 'diffSnapshots' | 'simulateCredit'
> {
  return {
    recordInquiry: ({ ctx, body, made_id }) =>
      // The id makes it repeatable: a second call finds the inquiry of the first.
      withRetry(ctx, async () => {
        const request = { inquiry_id: made_id, ...body };
        return present((await reporting.recordInquiry(ctx, request)).inquiry);
      }),
    getCreditProfile: async ({ ctx, params, query, made_id }) => {
      const { as_of, known_at, model_version, ...inquiry } = query;
      const { subject_id } = params;
      const record = () =>
        reporting.recordInquiry(ctx, { inquiry_id: made_id, subject_id, ...inquiry });
      const read = (minimum_version: number, open_dispute_count?: number) =>
        scoring.getProfile(ctx, {
          subject_id,
          minimum_version,
          model_version,
          // Of now: of a past time nothing is said of it.
          open_dispute_count,
          // Nothing of the read itself.
          exclude_inquiry_id: made_id,
          as_of: as_of ?? known_at,
          known_at: known_at ?? as_of,
        });
      // A past time or another model may be refused, and what is refused is no look at anything: it
      // is read first, and shown once the look is on record. The present must include all that was
      // acknowledged before.
      const past = as_of === undefined && known_at === undefined ? undefined : await read(0);
      if (past === undefined && model_version !== undefined) await read(0);
      const recorded = await record();
      const { credit, risk, history, reason_codes } =
        past ?? (await read(recorded.profile_version, recorded.open_dispute_count ?? 0));
      return {
        subject: recorded.subject,
        credit,
        risk,
        history,
        reason_codes,
        inquiry_id: made_id,
      };
    },
    listSnapshots: async ({ ctx, params, query, made_id }) => {
      const { purpose, inquiry_type, ...page } = query;
      const { snapshots, next_cursor } = await scoring.listSnapshots(ctx, {
        subject_id: params.subject_id,
        ...page,
        look: { purpose: purpose ?? Purpose.UNSPECIFIED, inquiry_type, inquiry_id: made_id },
      });
      return { items: snapshots, next_cursor };
    },
    diffSnapshots: ({ ctx, params, query, made_id }) => {
      const { purpose, inquiry_type, to } = query;
      return scoring.diffSnapshots(ctx, {
        ...params,
        to_snapshot_id: to,
        look: { purpose: purpose ?? Purpose.UNSPECIFIED, inquiry_type, inquiry_id: made_id },
      });
    },
    simulateCredit: ({ ctx, params, body, made_id }) =>
      // It writes an inquiry of this id and nothing else: a second call finds it.
      withRetry(ctx, () =>
        scoring.simulateProfile(ctx, { ...params, ...body, inquiry_id: made_id }),
      ),
  };
}
