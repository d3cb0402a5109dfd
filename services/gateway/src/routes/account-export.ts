import { ACCOUNT_COLUMNS, moneyText } from '@credit/contract';
import { withRetry } from '@credit/platform/rpc';
import { csvLine, csvPlain, csvText } from '@credit/platform/values';
import type { ListAccountsResponse } from '@credit/proto/reporting/v1/reporting';
import type { Account } from '@credit/proto/reporting/v1/types';
import type { Clients } from '../clients';
import { Download, type DownloadSlots } from '../download';
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
    exportAccounts: async ({ ctx, query, renew }) => {
      const page = (cursor: string | undefined): Promise<ListAccountsResponse> => {
        // Each page has the time that a request has.
        const of_page = renew();
        const wanted = { ...query, limit: ACCOUNTS_A_PAGE, cursor };
        return withRetry(of_page, () => reporting.listAccounts(of_page, wanted));
      };
      const done = slots.take(ctx.institution_id);
      try {
        // What is wrong with the request is still answered as such.
        const first = await page(undefined);
        const headers = [
          ...['Content-Type', 'text/csv; charset=utf-8; header=present'],
          ...['Content-Disposition', 'attachment; filename="accounts.csv"'],
        ];
        if (first.next_updated_since !== undefined) {
          headers.push('X-Next-Updated-Since', first.next_updated_since);
        }
        return new Download(headers, piecesFrom(first, page), done);
      } catch (error) {
        done();
        throw error;
      }
    },
  };
}

async function* piecesFrom(
  first: ListAccountsResponse,
  page: (cursor: string) => Promise<ListAccountsResponse>,
): AsyncGenerator<string> {
  yield csvLine(ACCOUNT_COLUMNS) + linesOf(first.accounts);
  let { next_cursor } = first;
  while (next_cursor !== undefined && next_cursor !== '') {
    const next = await page(next_cursor);
    yield linesOf(next.accounts);
    next_cursor = next.next_cursor;
  }
}
