import { withRetry } from '@credit/platform/rpc';
import type { Clients } from '../clients';
import { Document } from '../document-proxy';
import { type HandlersOf, present } from '../handler';

/** What a notice says of the network. */
export interface NetworkParts {
  readonly network: {
    readonly name: string;
    readonly contact_email: string | undefined;
    readonly url: string | undefined;
  };
}

export function reportRoutes(
  { identity, scoring }: Clients,
  parts: NetworkParts,
): HandlersOf<'createReport' | 'createNotice' | 'listReports' | 'getReport' | 'getReportDocument'> {
  return {
    createNotice: async ({ ctx, params, body, made_id }) => {
      const { user, institution } = await identity.getCaller(ctx, {});
      const { network } = parts;
      const request = {
        report_id: made_id,
        ...params,
        ...body,
        parties: {
          institution_name: present(user?.institution ?? institution).name,
          network_name: network.name,
          contact_email: network.contact_email,
          network_url: network.url,
        },
      };
      // The id makes it repeatable: a second call finds the notice of the first.
      return withRetry(ctx, async () => present((await scoring.createNotice(ctx, request)).report));
    },
    createReport: ({ ctx, body, made_id }) =>
      // The id makes it repeatable: a second call finds the report of the first.
      withRetry(ctx, async () => {
        const request = { report_id: made_id, ...body };
        return present((await scoring.createReport(ctx, request)).report);
      }),
    listReports: async ({ ctx, query }) => {
      const { reports, next_cursor } = await scoring.listReports(ctx, query);
      return { items: reports, next_cursor };
    },
    getReport: async ({ ctx, params }) => present((await scoring.getReport(ctx, params)).report),
    getReportDocument: async ({ ctx, params }) =>
      new Document((await scoring.openReportDocument(ctx, params)).ticket),
  };
}
