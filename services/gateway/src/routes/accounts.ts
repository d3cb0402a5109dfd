import { requireScope } from '../admission';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

export function accountRoutes({
  reporting,
}: Clients): HandlersOf<'createAccount' | 'createAccounts' | 'listAccounts' | 'getAccount'> {
  return {
    createAccount: async ({ ctx, query, body }) =>
      present((await reporting.createAccount(ctx, { account: body, ...query })).account),
    createAccounts: ({ ctx, query, body, principal }) => {
      if (body.accounts.some(({ subject }) => subject !== undefined)) {
        requireScope(principal, 'credit:report');
      }
      const accounts = body.accounts.map(({ subject_id = '', ...account }) => ({
        ...account,
        subject_id,
      }));
      return reporting.createAccounts(ctx, { accounts, ...query });
    },
    listAccounts: async ({ ctx, query }) => {
      const { accounts, next_cursor } = await reporting.listAccounts(ctx, query);
      return { items: accounts, next_cursor };
    },
    getAccount: async ({ ctx, params }) =>
      present((await reporting.getAccount(ctx, params)).account),
  };
}
