import { requireMember } from '../admission';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

/** As the operations that create subjects have it. */
const OF_SUBJECTS = { scope: 'credit:report', permission: 'records.write' } as const;

export function accountRoutes({
  reporting,
  scoring,
}: Clients): HandlersOf<
  | 'createAccount'
  | 'createAccounts'
  | 'listAccounts'
  | 'getAccountSummary'
  | 'getAccount'
  | 'getAccountPayments'
> {
  return {
    createAccount: async ({ ctx, query, body }) =>
      present((await reporting.createAccount(ctx, { account: body, ...query })).account),
    createAccounts: ({ ctx, query, body, principal }) => {
      if (body.accounts.some(({ subject }) => subject !== undefined)) {
        requireMember(OF_SUBJECTS, principal, ctx.environment);
      }
      const accounts = body.accounts.map(({ subject_id = '', ...account }) => ({
        ...account,
        subject_id,
      }));
      return reporting.createAccounts(ctx, { accounts, ...query });
    },
    listAccounts: async ({ ctx, query }) => {
      const { accounts, ...page } = await reporting.listAccounts(ctx, query);
      return { items: accounts, ...page };
    },
    getAccountSummary: async ({ ctx }) => {
      const summary = await reporting.getAccountSummary(ctx, {});
      return {
        ...summary,
        account_count: Number(summary.account_count),
        disputed_count: Number(summary.disputed_count),
        voided_count: Number(summary.voided_count),
        groups: summary.groups.map((group) => ({
          ...group,
          account_count: Number(group.account_count),
        })),
      };
    },
    getAccount: async ({ ctx, params }) =>
      present((await reporting.getAccount(ctx, params)).account),
    getAccountPayments: ({ ctx, params }) => scoring.getAccountPayments(ctx, params),
  };
}
