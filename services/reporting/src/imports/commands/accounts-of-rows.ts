// Accounts on file that rows name, or report again.

import type { Queryable } from '@credit/platform/db';
import type { Account } from '../../domain/ledger';
import type { AccountDraft } from '../../domain/new-account';
import { externalIdKey, holdersOfExternalIds, loadOwnAccounts } from '../../store/accounts';
import type { RowFault } from '../domain/import';

/** An institution's accounts by its own ids of them. */
export async function accountsByExternalId(
  on: Queryable,
  institution_id: string,
  external_ids: readonly string[],
): Promise<Map<string, Account>> {
  const wanted = [...new Set(external_ids)].map((external_account_id) => ({
    institution_id,
    external_account_id,
  }));
  if (wanted.length === 0) return new Map();
  const ids = await holdersOfExternalIds(on, wanted);
  if (ids.size === 0) return new Map();
  const accounts = await loadOwnAccounts(
    on,
    [...ids.values()].map((account_id) => ({ account_id, institution_id })),
  );
  return new Map(
    wanted.flatMap((one): [string, Account][] => {
      const account = accounts.get(ids.get(externalIdKey(one)) ?? '');
      return account === undefined ? [] : [[one.external_account_id, account]];
    }),
  );
}

/**
 * Whether an account on file is the one that a row reports, as it was reported: what has happened to
 * it since, corrections included, makes it no other.
 */
export function isSameAccount(
  { facts, original_terms }: Account,
  draft: AccountDraft,
  subject_id: string | undefined,
): boolean {
  const { account_type, original_principal_minor, opened_at_ms } = original_terms ?? facts;
  return (
    facts.subject_id === subject_id &&
    account_type === draft.account_type &&
    original_principal_minor === draft.original_principal_minor &&
    opened_at_ms === draft.opened_at_ms
  );
}

/** Of a row whose id another account has. */
export function takenBy({ facts }: Account): RowFault {
  return {
    code: 'EXTERNAL_ID_TAKEN',
    field: 'external_account_id',
    message: `is that of another account on file, ${facts.id}`,
  };
}
