import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { type ContestableAccount, listContestedAccounts } from '../store/accounts';
import { placeOfAccount } from '../store/contested-records';
import type { AccountKey } from '../store/events';
import type { CommandDeps } from './batch';
import { type CorrectForDispute, correctForDispute, setNetworkReview } from './network-disputes';
import { rehearse } from './rehearsal';

/** What would be done to an account. */
export interface RehearseOutcome {
  readonly account_id: string;
  readonly correction?: CorrectForDispute | undefined;
  /** How the network's review would stand afterwards; as it does without. */
  readonly under_review?: boolean | undefined;
}

/** How the account stands, and how it would. */
export interface RehearsedOutcome {
  readonly before: ContestableAccount;
  readonly after: ContestableAccount;
  /** The correction that is on record already. */
  readonly linked_event_id: string | undefined;
  readonly cannot_be_corrected: boolean;
}

/** Carries an outcome out on one account, refused as it would be, and takes it back. */
export async function rehearseOutcome(
  db: Database,
  deps: CommandDeps,
  ctx: CallContext,
  { correction, under_review, ...wanted }: RehearseOutcome,
): Promise<RehearsedOutcome> {
  const account_id = uuidFrom('account_id', wanted.account_id);
  const { isMade, result } = await rehearse(db, ctx, deps.newId, async (tx, newId) => {
    const place = await placeOfAccount(tx, account_id);
    if (place === undefined) throw notFound('The account does not exist.');
    const key = { account_id, subject_id: place.subject_id };
    const before = await accountAt(tx, key);
    const rehearsing = { ...deps, newId };
    const mended = correction && (await correctForDispute(tx, rehearsing, ctx, correction));
    if (under_review !== undefined) {
      const change_id = newId();
      await setNetworkReview(tx, rehearsing, ctx, { account_id, under_review, change_id });
    }
    // Statements are answered in their order: what was written is seen.
    return { before, after: await accountAt(tx, key), mended };
  });
  const { after, before, mended } = result;
  const event_id = mended?.correction_event_id;
  return {
    before,
    after,
    linked_event_id: event_id === undefined || isMade(event_id) ? undefined : event_id,
    cannot_be_corrected: mended !== undefined && event_id === undefined,
  };
}

async function accountAt(on: Queryable, key: AccountKey): Promise<ContestableAccount> {
  const [account] = await listContestedAccounts(on, { ...key, institution_ids: [] }, 1);
  if (account === undefined) throw new Error(`Account ${key.account_id} has no row.`);
  return account;
}
