// svc-score-1.1.0: what is seven years old is gone for good, what was closed keeps counting, and
// neither a penny nor a flag moves what it should not.

import {
  canonicalAmount,
  canonicalEpisodes,
  canonicalMonths,
  canonicalPayments,
} from '../canonical';
import { type AccountFacts, isRevolving } from '../facts';
import {
  FLAG_SUSPENDS_DAYS,
  SETTLED_ON_FILE_DAYS,
  THIN_FILE_ACCOUNTS,
  THIN_FILE_DAYS,
  THIN_FILE_PAYMENTS,
} from '../parameters';
import type { Rules } from '../rules';
import { adverseItems, daysBehind, daysPastDue, standingOf } from './episodes';
import { monthBits } from './payments';

export const RULES_1_1_0: Rules = {
  version: 'svc-score-1.1.0',
  isOnFile: ({ settled_day }, as_of_day) =>
    settled_day === undefined || as_of_day - settled_day <= SETTLED_ON_FILE_DAYS,
  isSuspended,
  adverseItems,
  monthBits,
  daysPastDue,
  daysBehind,
  standingOf,
  // Closing a line takes its limit and nothing else: how lines weigh against loans stays.
  partInUse: ({ account_type, status }) =>
    status === 'CANCELLED' && isRevolving(account_type) ? 'WITHOUT_LIMIT' : 'WHOLE',
  isThin,
  canonicalAccount: (account, as_of_day) => [
    account.account_id,
    account.account_type,
    account.currency,
    canonicalAmount(account.original_principal_minor),
    canonicalAmount(account.credit_limit_minor),
    canonicalAmount(account.balance_minor),
    account.status,
    isSuspended(account, as_of_day),
    account.opened_day,
    account.settled_day,
    canonicalEpisodes(account.episodes),
    canonicalMonths(account.payment_months),
    Math.min(account.payment_count, THIN_FILE_PAYMENTS),
    canonicalMonths(account.late_months),
    canonicalPayments(account.payment_days),
  ],
};

/** A review of the network for as long as it lasts, the furnisher's own flag for a time. */
function isSuspended(
  { network_review, furnisher_disputed_since_day }: AccountFacts,
  as_of_day: number,
): boolean {
  return (
    network_review ||
    (furnisher_disputed_since_day !== undefined &&
      as_of_day - furnisher_disputed_since_day < FLAG_SUSPENDS_DAYS)
  );
}

/** Only accounts of some age that were paid on thicken a file: opening one never does. */
function isThin(accounts: readonly AccountFacts[], as_of_day: number): boolean {
  let seasoned = 0;
  for (const { opened_day, payment_count } of accounts) {
    if (payment_count >= THIN_FILE_PAYMENTS && as_of_day - opened_day >= THIN_FILE_DAYS) {
      seasoned += 1;
    }
  }
  return seasoned < THIN_FILE_ACCOUNTS;
}
