import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf } from '@credit/platform/requests';
import {
  type AccountGroup,
  type AccountTotals,
  accountGroups,
  accountTotals,
} from '../store/account-totals';

/** A book has some currencies; nothing but this bounds how many a furnisher can name. */
const MAX_GROUPS = 1_000;

/** The institution's accounts in figures. */
export interface AccountSummary {
  readonly totals: AccountTotals;
  readonly groups: readonly AccountGroup[];
}

/** What the caller's institution's accounts come to, all of one moment. */
export function getAccountSummary(db: Database, ctx: CallContext): Promise<AccountSummary> {
  const institution_id = institutionOf(ctx);
  return db.snapshot(ctx, async (on) => ({
    totals: await accountTotals(on, institution_id),
    groups: await accountGroups(on, institution_id, MAX_GROUPS),
  }));
}
