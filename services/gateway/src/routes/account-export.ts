import { ACCOUNT_COLUMNS, moneyText } from '@credit/contract';
import { withRetry } from '@credit/platform/rpc';
import { csvLine, csvPlain, csvText } from '@credit/platform/values';
import type { ListAccountsResponse } from '@credit/proto/reporting/v1/reporting';
import type { Account } from '@credit/proto/reporting/v1/types';
import type { Clients } from '../clients';
import { csvHeaders, type DownloadSlots, listDownload } from '../download';
import type { HandlersOf } from '../handler';

const ACCOUNTS_A_PAGE = 500;

type Column = (typeof ACCOUNT_COLUMNS)[number];

/** Texts of the furnisher's, in which nothing is to be calculated. */
const TEXTS: Readonly<Partial<Record<Column, (account: Account) => string>>> = {
  external_account_id: (account) => account.external_account_id,
  metadata: (account) => account.metadata_json,
};
const AMOUNTS: Readonly<Partial<Record<Column, (account: Account) => bigint>>> = {
  original_principal: (account) => account.original_principal_minor,
  current_balance: (account) => account.current_balance_minor,
};

function cellOf(account: Account, column: Column): string {
  const text = TEXTS[column]?.(account);
  if (text !== undefined) return csvText(text);
  const minor = AMOUNTS[column]?.(account);
  if (minor !== undefined) return moneyText(minor);
  const value = account[column as keyof Account];
  return value === undefined ? '' : csvPlain(String(value));
}

const linesOf = (accounts: readonly Account[]): string =>
  accounts
    .map((account) => csvLine(ACCOUNT_COLUMNS.map((column) => cellOf(account, column))))
    .join('');

/** The institution's accounts as a file. */
export function accountExportRoutes(
  { reporting }: Clients,
  slots: DownloadSlots,
): HandlersOf<'exportAccounts'> {
  return {
    exportAccounts: ({ ctx, query, renew }) =>
      listDownload<ListAccountsResponse>(slots, ctx.institution_id, {
        page: (cursor) => {
          const of_page = renew();
          const wanted = { ...query, limit: ACCOUNTS_A_PAGE, cursor };
          return withRetry(of_page, () => reporting.listAccounts(of_page, wanted));
        },
        headers: ({ next_updated_since }) => [
          ...csvHeaders('accounts.csv'),
          ...(next_updated_since === undefined ? [] : ['X-Next-Updated-Since', next_updated_since]),
        ],
        head: () => csvLine(ACCOUNT_COLUMNS),
        text: ({ accounts }) => linesOf(accounts),
      }),
  };
}
