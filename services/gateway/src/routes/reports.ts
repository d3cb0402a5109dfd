import { withRetry } from '@credit/platform/rpc';
import type { Clients } from '../clients';
import { Document } from '../document-proxy';
import { type HandlersOf, present } from '../handler';

export function reportRoutes({
  scoring,
}: Clients): HandlersOf<'createReport' | 'listReports' | 'getReport' | 'getReportDocument'> {
  return {
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
