// Accounts as a version of the model sees them; factors and profile are made of these.

import { monthOfDay } from './calendar';
import type { ModelInput } from './facts';
import type { AccountView, Rules } from './rules';

export function viewAccounts(rules: Rules, input: ModelInput): AccountView[] {
  const { accounts, as_of_day } = input;
  const as_of_month = monthOfDay(as_of_day);
  const views: AccountView[] = [];
  for (const account of accounts) {
    if (!rules.isOnFile(account, as_of_day)) continue;
    const items = rules.isSuspended(account, as_of_day)
      ? undefined
      : rules.adverseItems(account, as_of_day);
    const months = rules.monthBits(account, items, as_of_day, as_of_month);
    views.push({ account, items, months });
  }
  return views;
}
