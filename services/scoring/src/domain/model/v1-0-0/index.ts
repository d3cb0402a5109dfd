// svc-score-1.0.0, as it scored from the beginning: kept for those who compare.

import {
  canonicalAmount,
  canonicalEpisodes,
  canonicalMonths,
  canonicalPayments,
} from '../canonical';
import { isRevolving } from '../facts';
import { THIN_FILE_ACCOUNTS, THIN_FILE_DAYS } from '../parameters';
import type { Rules } from '../rules';
import { adverseItems, daysPastDue } from './episodes';
import { monthBits } from './payments';

export const RULES_1_0_0: Rules = {
  version: 'svc-score-1.0.0',
  isOnFile: () => true,
  isSuspended: ({ disputed }) => disputed,
  adverseItems,
  monthBits,
  daysPastDue,
  daysBehind: daysPastDue,
  standingOf: ({ status }) => status,
  // Only a cancelled line is gone, limit and all.
  partInUse: ({ account_type, status }) =>
    status === 'CANCELLED' && isRevolving(account_type) ? 'NONE' : 'WHOLE',
  isThin: (accounts, as_of_day) =>
    accounts.length < THIN_FILE_ACCOUNTS ||
    accounts.every(({ opened_day }) => as_of_day - opened_day < THIN_FILE_DAYS),
  canonicalAccount: (account) => [
    account.account_id,
    account.account_type,
    account.currency,
    canonicalAmount(account.original_principal_minor),
    canonicalAmount(account.credit_limit_minor),
    canonicalAmount(account.balance_minor),
    account.status,
    account.disputed,
    account.opened_day,
    canonicalEpisodes(account.episodes),
    canonicalMonths(account.payment_months),
    canonicalMonths(account.late_months),
    canonicalPayments(account.payment_days),
  ],
};
