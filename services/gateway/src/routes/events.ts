import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';
import { inclusion, sizeOf } from './audit';

export function eventRoutes({
  identity,
  reporting,
}: Clients): HandlersOf<
  'reportEvent' | 'previewEvent' | 'reportEvents' | 'listAccountEvents' | 'proveEvent'
> {
  return {
    reportEvent: async ({ ctx, params, query, body }) => {
      const event = { credit_account_id: params.account_id, ...body };
      return present((await reporting.reportEvent(ctx, { event, ...query })).event);
    },
    previewEvent: ({ ctx, params, body }) => {
      const event = { credit_account_id: params.account_id, ...body };
      return reporting.previewEvent(ctx, { event });
    },
    reportEvents: ({ ctx, query, body }) => reporting.reportEvents(ctx, { ...body, ...query }),
    listAccountEvents: async ({ ctx, params, query }) => {
      const request = { account_id: params.account_id, ...query };
      const { events, next_cursor } = await reporting.listAccountEvents(ctx, request);
      return { items: events, next_cursor };
    },
    proveEvent: async ({ ctx, params, query }) => {
      // What was signed says which tree the path must lead up.
      const { checkpoint } = await identity.getEventLogCheckpoint(ctx, { size: sizeOf(query) });
      const { size } = present(checkpoint);
      return inclusion(await reporting.proveEvent(ctx, { ...params, size }), checkpoint);
    },
  };
}
