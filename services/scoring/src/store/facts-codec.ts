// An account's facts as they are stored: JSON, read whole and mostly in great numbers, so that
// what counts is how short it is. Fields go by their place, months in a row by their first and
// their number.

import type { AccountFacts, EpisodeFacts } from '../domain/model';

/** A JSON number where that is exact, else a text. */
type StoredAmount = number | string;

/** Null in the JSON: a place in an array cannot be left out, and `undefined` is written as null. */
type Stored<Value> = Value | null | undefined;

type StoredEpisode = readonly [
  started_day: number,
  ended_day: Stored<number>,
  past_due_since_day: Stored<number>,
  delinquency_started_day: Stored<number>,
  restructured_day: Stored<number>,
  defaulted_day: Stored<number>,
  default_severity: Stored<EpisodeFacts['default_severity']>,
  default_cured_day: Stored<number>,
  written_off_day: Stored<number>,
];

type PackedFacts = readonly [
  account_id: string,
  institution_id: string,
  account_type: AccountFacts['account_type'],
  currency: string,
  original_principal_minor: StoredAmount,
  credit_limit_minor: Stored<StoredAmount>,
  balance_minor: StoredAmount,
  status: AccountFacts['status'],
  disputed: boolean,
  opened_day: number,
  closed_day: Stored<number>,
  episodes: readonly StoredEpisode[],
  /** First month and number of months, again and again. */
  payment_months: readonly number[],
  late_months: readonly number[],
  payment_days: readonly (readonly [day: number, amount: StoredAmount, days_past_due: number])[],
  // Rows of before 1.1.0 end here; what few accounts have is left off at the end.
  payment_count?: number,
  settled_day?: Stored<number>,
  flags?: readonly [
    furnisher_disputed_since_day: Stored<number>,
    network_review: boolean,
    voided: boolean,
  ],
];

type NamedEpisode = { readonly [Field in keyof EpisodeFacts]: EpisodeFacts[Field] | null } & {
  readonly started_day: number;
};

/** How rows were written before: by name. They are replaced when their account next changes. */
interface NamedFacts
  extends Omit<
    AccountFacts,
    | 'original_principal_minor'
    | 'credit_limit_minor'
    | 'balance_minor'
    | 'closed_day'
    | 'episodes'
    | 'payment_days'
    | 'furnisher_disputed_since_day'
    | 'network_review'
    | 'settled_day'
    | 'payment_count'
    | 'voided'
  > {
  readonly original_principal_minor: string;
  readonly credit_limit_minor: string | null;
  readonly closed_day: number | null;
  readonly episodes: readonly NamedEpisode[];
  readonly balance_minor: string;
  readonly payment_days: readonly (readonly [number, string, number])[];
}

/** The column's JSON, parsed. */
export type StoredFacts = PackedFacts | NamedFacts;

/** The text of the column. */
export function encodeFacts(facts: AccountFacts): string {
  const packed: PackedFacts = [
    facts.account_id,
    facts.institution_id,
    facts.account_type,
    facts.currency,
    storedAmount(facts.original_principal_minor),
    facts.credit_limit_minor === undefined ? undefined : storedAmount(facts.credit_limit_minor),
    storedAmount(facts.balance_minor),
    facts.status,
    facts.disputed,
    facts.opened_day,
    facts.closed_day,
    facts.episodes.map((episode) => [
      episode.started_day,
      episode.ended_day,
      episode.past_due_since_day,
      episode.delinquency_started_day,
      episode.restructured_day,
      episode.defaulted_day,
      episode.default_severity,
      episode.default_cured_day,
      episode.written_off_day,
    ]),
    runsOf(facts.payment_months),
    runsOf(facts.late_months),
    facts.payment_days.map(({ day, amount_minor, days_past_due }) => [
      day,
      storedAmount(amount_minor),
      days_past_due,
    ]),
    facts.payment_count,
    facts.settled_day,
    ...flagsOf(facts),
  ];
  return JSON.stringify(packed);
}

function flagsOf({
  furnisher_disputed_since_day,
  network_review,
  voided,
}: AccountFacts): [] | [NonNullable<PackedFacts[17]>] {
  const any = furnisher_disputed_since_day !== undefined || network_review || voided;
  return any ? [[furnisher_disputed_since_day, network_review, voided]] : [];
}

export function decodeFacts(stored: StoredFacts): AccountFacts {
  return isPacked(stored) ? unpacked(stored) : named(stored);
}

function isPacked(stored: StoredFacts): stored is PackedFacts {
  return Array.isArray(stored);
}

function unpacked(packed: PackedFacts): AccountFacts {
  const limit = packed[5];
  const payment_months = numbersOf(packed[12]);
  const payment_count = packed[15];
  const flags = packed[17] ?? NO_FLAGS;
  return {
    account_id: packed[0],
    institution_id: packed[1],
    account_type: packed[2],
    currency: packed[3],
    original_principal_minor: BigInt(packed[4]),
    credit_limit_minor: limit === null || limit === undefined ? undefined : BigInt(limit),
    balance_minor: BigInt(packed[6]),
    status: packed[7],
    disputed: packed[8],
    furnisher_disputed_since_day: flags[0] ?? undefined,
    // A row of before does not say whose flag it is.
    network_review: payment_count === undefined ? packed[8] : flags[1],
    opened_day: packed[9],
    closed_day: packed[10] ?? undefined,
    settled_day:
      payment_count === undefined ? settledOn(packed[7], packed[10]) : (packed[16] ?? undefined),
    episodes: packed[11].map(episodeOf),
    payment_months,
    payment_count: payment_count ?? payment_months.length,
    late_months: numbersOf(packed[13]),
    payment_days: packed[14].map(([day, amount, days_past_due]) => ({
      day,
      amount_minor: BigInt(amount),
      days_past_due,
    })),
    voided: flags[2],
  };
}

/** As far as a row of before says it. */
function settledOn(status: AccountFacts['status'], closed_day: Stored<number>): number | undefined {
  return status === 'PAID' || status === 'CANCELLED' ? (closed_day ?? undefined) : undefined;
}

const NO_FLAGS = [undefined, false, false] as const;

function episodeOf(stored: StoredEpisode): EpisodeFacts {
  return {
    started_day: stored[0],
    ended_day: stored[1] ?? undefined,
    past_due_since_day: stored[2] ?? undefined,
    delinquency_started_day: stored[3] ?? undefined,
    restructured_day: stored[4] ?? undefined,
    defaulted_day: stored[5] ?? undefined,
    default_severity: stored[6] ?? undefined,
    default_cured_day: stored[7] ?? undefined,
    written_off_day: stored[8] ?? undefined,
  };
}

function named(stored: NamedFacts): AccountFacts {
  const limit = stored.credit_limit_minor;
  return {
    ...stored,
    furnisher_disputed_since_day: undefined,
    network_review: stored.disputed,
    settled_day: settledOn(stored.status, stored.closed_day),
    closed_day: stored.closed_day ?? undefined,
    episodes: stored.episodes.map((episode) => ({
      started_day: episode.started_day,
      ended_day: episode.ended_day ?? undefined,
      past_due_since_day: episode.past_due_since_day ?? undefined,
      delinquency_started_day: episode.delinquency_started_day ?? undefined,
      restructured_day: episode.restructured_day ?? undefined,
      defaulted_day: episode.defaulted_day ?? undefined,
      default_severity: episode.default_severity ?? undefined,
      default_cured_day: episode.default_cured_day ?? undefined,
      written_off_day: episode.written_off_day ?? undefined,
    })),
    payment_count: stored.payment_months.length,
    voided: false,
    original_principal_minor: BigInt(stored.original_principal_minor),
    credit_limit_minor: limit === null ? undefined : BigInt(limit),
    balance_minor: BigInt(stored.balance_minor),
    payment_days: stored.payment_days.map(([day, amount, days_past_due]) => ({
      day,
      amount_minor: BigInt(amount),
      days_past_due,
    })),
  };
}

function storedAmount(amount_minor: bigint): StoredAmount {
  const number = Number(amount_minor);
  return Number.isSafeInteger(number) ? number : String(amount_minor);
}

/** Numbers that follow each other by one, as the first and how many. */
function runsOf(numbers: readonly number[]): number[] {
  const runs: number[] = [];
  let next: number | undefined;
  for (const number of numbers) {
    if (number === next) runs.push((runs.pop() ?? 0) + 1);
    else runs.push(number, 1);
    next = number + 1;
  }
  return runs;
}

function numbersOf(runs: readonly number[]): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] ?? 0;
    const count = runs[at + 1] ?? 0;
    for (let step = 0; step < count; step += 1) numbers.push(first + step);
  }
  return numbers;
}
