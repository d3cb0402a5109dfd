import { forbidden } from '@credit/platform/errors';
import { PlatformRole } from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

export function disputeRoutes({ disputes }: Clients): HandlersOf<'openDispute' | 'listDisputes'> {
  return {
    openDispute: async ({ ctx, body }) => present((await disputes.openDispute(ctx, body)).dispute),
    listDisputes: async ({ ctx, query, principal }) => {
      const { environment: _, ...request } = query;
      const is_administrator =
        principal !== undefined &&
        !principal.is_api_key &&
        principal.platform_role !== PlatformRole.UNSPECIFIED;
      // Without an institution the service lists the whole network.
      if (!is_administrator && ctx.institution_id === '') throw forbidden();
      const caller = is_administrator ? { ...ctx, institution_id: '' } : ctx;
      const page = await disputes.listDisputes(caller, request);
      return {
        items: page.disputes,
        next_cursor: page.next_cursor,
        total_count: page.total_count,
      };
    },
  };
}
