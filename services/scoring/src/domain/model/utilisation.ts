import { apportion, cappedShare, onCurve, pointsOf } from './arithmetic';
import { creditLimit, isRevolving } from './facts';
import {
  FACTOR_MAX,
  INSTALMENT_SCALE,
  INSTALMENT_WEIGHT,
  REVOLVING_WEIGHT,
  UTILISATION_CURVE,
} from './parameters';
import type { AccountView, Rules } from './rules';

export interface UtilisationResult {
  readonly points: number;
  /** Per mille. */
  readonly use: number;
  readonly lost_to_revolving: number;
  readonly lost_to_instalment: number;
}

interface CurrencyUse {
  revolving_accounts: number;
  revolving_balance: bigint;
  revolving_limit: bigint;
  instalment_accounts: number;
  instalment_balance: bigint;
  instalment_principal: bigint;
}

/**
 * How much of what was lent is still owed. An account counts whatever its standing, or paying
 * off and writing off would both shift the average. Which accounts count never depends on a
 * balance, for the same reason.
 */
export function utilisation(rules: Rules, views: readonly AccountView[]): UtilisationResult {
  const currencies = new Map<string, CurrencyUse>();
  for (const { account, items } of views) {
    const part = rules.partInUse(account);
    if (part === 'NONE') continue;
    const revolving = isRevolving(account.account_type);
    let use = currencies.get(account.currency);
    if (use === undefined) {
      use = {
        revolving_accounts: 0,
        revolving_balance: 0n,
        revolving_limit: 0n,
        instalment_accounts: 0,
        instalment_balance: 0n,
        instalment_principal: 0n,
      };
      currencies.set(account.currency, use);
    }
    const balance = items === undefined ? 0n : account.balance_minor;
    if (revolving) {
      use.revolving_accounts += 1;
      use.revolving_balance += balance;
      if (part === 'WHOLE') use.revolving_limit += creditLimit(account);
    } else {
      use.instalment_accounts += 1;
      use.instalment_balance += balance;
      use.instalment_principal += account.original_principal_minor;
    }
  }

  let accounts_counted = 0;
  let weighted_use = 0;
  let revolving_part = 0;
  let instalment_part = 0;
  for (const use of currencies.values()) {
    const count = use.revolving_accounts + use.instalment_accounts;
    const revolving_weight = use.revolving_accounts > 0 ? REVOLVING_WEIGHT : 0;
    const instalment_weight = use.instalment_accounts > 0 ? INSTALMENT_WEIGHT : 0;
    const revolving =
      revolving_weight * cappedShare(1000n, use.revolving_balance, use.revolving_limit);
    const instalment =
      instalment_weight *
      cappedShare(INSTALMENT_SCALE, use.instalment_balance, use.instalment_principal);
    const weight = revolving_weight + instalment_weight;
    accounts_counted += count;
    weighted_use += count * Math.floor((revolving + instalment) / weight);
    // Both kinds of weight divide 6, which keeps the parts whole.
    revolving_part += (count * revolving * 6) / weight;
    instalment_part += (count * instalment * 6) / weight;
  }
  const use = accounts_counted === 0 ? 0 : Math.floor(weighted_use / accounts_counted);
  const points = pointsOf(FACTOR_MAX.UTILISATION, onCurve(UTILISATION_CURVE, use));
  const [lost_to_revolving = 0, lost_to_instalment = 0] = apportion(
    FACTOR_MAX.UTILISATION - points,
    [revolving_part, instalment_part],
  );
  return { points, use, lost_to_revolving, lost_to_instalment };
}
