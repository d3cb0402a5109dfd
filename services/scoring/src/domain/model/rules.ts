// What one version of the model holds. Everything else is the same for all of them.

import type { AccountFacts, EpisodeFacts, UnderlyingStatus } from './facts';

export type DerogatoryCode = 'PH01' | 'PH02' | 'PH03' | 'PH04' | 'PH05' | 'PH06';

/** An episode that counts, and what it costs per mille. */
export interface AdverseItem {
  readonly episode: EpisodeFacts;
  readonly code: DerogatoryCode;
  readonly penalty: number;
}

/** Months as bits: bit 0 is the month of the as-of day, bit 23 the oldest that counts. */
export interface MonthBits {
  readonly on: number;
  readonly late: number;
}

/** One account with what a version made of it. */
export interface AccountView {
  readonly account: AccountFacts;
  /** Undefined of an account that is suspended for a dispute. */
  readonly items: readonly AdverseItem[] | undefined;
  readonly months: MonthBits;
}

/** How an account takes part in the use of credit. */
export type PartInUse = 'WHOLE' | 'WITHOUT_LIMIT' | 'NONE';

export interface Rules {
  readonly version: string;
  /** False for an account that the model does not read any more. */
  isOnFile(account: AccountFacts, as_of_day: number): boolean;
  /** Under dispute, so that its adverse facts and its balance are left out. */
  isSuspended(account: AccountFacts, as_of_day: number): boolean;
  /** One item an episode that counts, at its worst; of an account that is not suspended. */
  adverseItems(account: AccountFacts, as_of_day: number): readonly AdverseItem[];
  /** Months with a verdict; `items` is undefined of a suspended account. */
  monthBits(
    account: AccountFacts,
    items: readonly AdverseItem[] | undefined,
    as_of_day: number,
    as_of_month: number,
  ): MonthBits;
  /** Days past due on a day, as they are shown. */
  daysPastDue(episode: EpisodeFacts, day: number): number;
  /** Days past due on a day, as the ceiling of a delinquency is explained with. */
  daysBehind(episode: EpisodeFacts, day: number): number;
  /** The standing under a dispute flag; undefined when what it says is too old to be told. */
  standingOf(account: AccountFacts, as_of_day: number): UnderlyingStatus | undefined;
  partInUse(account: AccountFacts): PartInUse;
  /** Too little history for a full score. */
  isThin(accounts: readonly AccountFacts[], as_of_day: number): boolean;
  /** What the version reads of an account, for the hash of its input. */
  canonicalAccount(account: AccountFacts, as_of_day: number): unknown[];
}
