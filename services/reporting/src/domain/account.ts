// One account's standing as a fold over its timeline: `openAccount` begins it, `apply` takes it
// one entry further or says why that is impossible. Pure: entries carry their own times, and what
// depends on today (days past due, bucket) is a function of the state and a time.

import { DAY_MS, dayOf, monthOf, yearsBefore } from './calendar';
import {
  type AccountStatus,
  type Bucket,
  DEFAULT_SEVERITIES,
  type DefaultSeverity,
  EVENT_TYPES,
  type EventType,
  isAdverse,
  isSuppression,
  type UnderlyingStatus,
} from './vocabulary';

/** One spell of trouble, from its first adverse fact to its cure, pay-off or closing. */
export interface Episode {
  /**
   * The first adverse fact, whatever its type: days past due and the end of the item count from
   * here, and nothing later moves it.
   */
  readonly started_at_ms: number;
  /** Absent while the spell lasts. */
  readonly ended_at_ms: number | undefined;
  /** First PAYMENT_LATE or DELINQUENCY_STARTED. */
  readonly past_due_since_ms: number | undefined;
  /** The latest DELINQUENCY_STARTED. */
  readonly delinquency_started_at_ms: number | undefined;
  /** The latest ACCOUNT_RESTRUCTURED. */
  readonly restructured_at_ms: number | undefined;
  /** The latest DEFAULT_REPORTED. */
  readonly defaulted_at_ms: number | undefined;
  /** The worst one reported in the spell. */
  readonly default_severity: DefaultSeverity | undefined;
  readonly default_cured_at_ms: number | undefined;
  readonly written_off_at_ms: number | undefined;
}

/** Payments of one day at one number of days past due. */
export interface PaymentDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly amount_minor: bigint;
  readonly days_past_due: number;
}

/** The furnisher's own flag, which takes the account out of the score for a time. */
export interface FurnisherFlag {
  /** Its suspension counts from here: a flag that soon follows another one goes on with its time. */
  readonly since_ms: number;
  /** Absent while it is open. */
  readonly ended_at_ms: number | undefined;
}

/** A place in a timeline; the account's own sequence orders what happened at the same time. */
export interface Place {
  readonly occurred_at_ms: number;
  readonly sequence: number;
}

/** How much of an account is left out of the file for a time. */
export type Suppression = 'ACCOUNT' | 'EVENTS';

/** Everything that a timeline says about an account. Never changed in place. */
export interface AccountState {
  readonly organisation: boolean;
  /** Taken off the file by a correction of its opening: nothing but network flags counts. */
  readonly voided: boolean;
  /** What a dispute leaves out until it is decided: the account with all that it holds, or events. */
  readonly suppression: Suppression | undefined;
  readonly underlying_status: UnderlyingStatus;
  /** Since when the account has stood so. */
  readonly status_since_ms: number;
  /** When the trouble that it was created in began, if its furnisher said so. */
  readonly opened_in_trouble_ms: number | undefined;
  /** The furnisher's own dispute flag; undefined before its first. */
  readonly furnisher_flag: FurnisherFlag | undefined;
  /** A review of the network. */
  readonly network_review: boolean;
  readonly balance_minor: bigint;
  /** Last LIMIT_CHANGED. */
  readonly credit_limit_minor: bigint | undefined;
  readonly closed_at_ms: number | undefined;
  /** Payments over the account's life. */
  readonly payment_count: number;
  /** In order of time; only the last can be open. */
  readonly episodes: readonly Episode[];
  /** Months with a payment, ascending. */
  readonly payment_months: readonly number[];
  /** Months with a PAYMENT_LATE, ascending. */
  readonly late_months: readonly number[];
  /** Organisations only, ascending. */
  readonly payment_days: readonly PaymentDay[];
  /** The timeline's last place. */
  readonly head: Place;
}

/** What an account begins with. */
export interface Opening {
  readonly organisation: boolean;
  readonly voided: boolean;
  readonly suppression?: Suppression | undefined;
  readonly status: UnderlyingStatus;
  readonly balance_minor: bigint;
  readonly opened_at_ms: number;
  /** An adverse status at creation counts from here where the furnisher gives no date. */
  readonly reported_at_ms: number;
  /** The true start of the trouble. */
  readonly first_delinquency_at_ms: number | undefined;
  /** Since when the status at creation has held. */
  readonly status_since_ms: number | undefined;
}

/** One fact in a timeline after the opening. A CORRECTION stands for its own balance only. */
export interface Entry extends Place {
  readonly event_type: EventType;
  readonly amount_minor: bigint | undefined;
  readonly balance_after_minor: bigint | undefined;
  readonly default_severity: DefaultSeverity | undefined;
  /** Said by the network and not by the furnisher: only dispute flags differ. */
  readonly by_network: boolean;
}

/** Why an entry cannot follow a state. */
export interface Refusal {
  readonly refused: string;
}

export function isRefusal(result: AccountState | Refusal): result is Refusal {
  return 'refused' in result;
}

const MAX_EPISODES = 100;
/** Score and grids look back 24 months, plus the days that a month may overhang. */
const PAYMENT_DAYS_KEPT = 800;
const MONTHS_KEPT = 96;
/** No score looks at an episode that ended earlier than this; one year of margin. */
const EPISODE_YEARS_KEPT = 8;
const DELINQUENT_DAYS_AT_LEAST = 30;
const DEFAULTED_DAYS_AT_LEAST = 90;
/** A furnisher's flag suspends for this long; only as long without one begins the time anew. */
export const FLAG_SUSPENDS_MS = 60 * DAY_MS;

type Cell = UnderlyingStatus | 'UNCHANGED' | 'IMPOSSIBLE' | 'CANCELLED_AT_ZERO' | 'CLOSED_ONCE';

const CELLS: Readonly<Record<string, Cell>> = {
  '=': 'UNCHANGED',
  x: 'IMPOSSIBLE',
  CU: 'CURRENT',
  PD: 'PAST_DUE',
  DL: 'DELINQUENT',
  DF: 'DEFAULTED',
  RS: 'RESTRUCTURED',
  WO: 'WRITTEN_OFF',
  PA: 'PAID',
  CA: 'CANCELLED',
  CA0: 'CANCELLED_AT_ZERO',
  '=1': 'CLOSED_ONCE',
};

// The event type alone drives the status; amounts never do. `=` unchanged, `x` impossible,
// `CA0` cancelled if nothing is owed, `=1` unchanged, and closed unless it is already. The
// dispute overlay has rules of its own on top, see `disputeFlags`.
const TABLE_TEXT = `
                      CU   PD  DL  DF  RS   WO  PA  CA
ACCOUNT_OPENED        x    x   x   x   x    x   x   x
ACCOUNT_UPDATED       =    =   =   =   =    =   =   x
PAYMENT_DUE           =    =   =   =   =    x   x   x
PAYMENT_MADE          =    =   =   =   =    =   x   x
PARTIAL_PAYMENT       =    =   =   =   =    =   x   x
PAYMENT_LATE          PD   =   =   =   PD   x   x   x
ACCOUNT_CURRENT       =    CU  CU  x   CU   x   x   x
DELINQUENCY_STARTED   DL   DL  x   x   DL   x   x   x
DELINQUENCY_CURED     x    x   CU  x   x    x   x   x
DEFAULT_REPORTED      DF   DF  DF  x   DF   x   x   x
DEFAULT_CURED         x    x   x   CU  x    x   x   x
ACCOUNT_RESTRUCTURED  RS   RS  RS  RS  =    x   x   x
ACCOUNT_WRITTEN_OFF   WO   WO  WO  WO  WO   x   x   x
ACCOUNT_PAID          PA   PA  PA  PA  PA   PA  x   x
ACCOUNT_CLOSED        CA0  x   x   x   CA0  =1  =1  x
BALANCE_UPDATED       =    =   =   =   =    =   x   x
LIMIT_CHANGED         =    =   =   =   =    x   x   x
DISPUTE_OPENED        =    =   =   =   =    =   =   =
DISPUTE_RESOLVED      =    =   =   =   =    =   =   =
CORRECTION            =    =   =   =   =    =   =   =
EVENT_SUPPRESSED      =    =   =   =   =    =   =   =
EVENT_RESTORED        =    =   =   =   =    =   =   =
`;

type Table = Readonly<Record<EventType, Readonly<Record<UnderlyingStatus, Cell>>>>;

function parseTable(text: string): Table {
  const [columns = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/));
  const rows = EVENT_TYPES.map((event_type) => {
    const [, ...texts] = lines.find(([name]) => name === event_type) ?? [];
    const cells = texts.map((cell, column) => {
      const status = CELLS[columns[column] ?? ''];
      const meaning = CELLS[cell];
      if (status === undefined || meaning === undefined) throw new Error(`Cell of ${event_type}?`);
      return [status, meaning];
    });
    return [event_type, Object.fromEntries(cells)];
  });
  return Object.fromEntries(rows);
}

const TABLE = parseTable(TABLE_TEXT);

/** What the furnisher and everyone else sees. */
export function shownStatus(state: AccountState): AccountStatus {
  return isDisputed(state) && !state.voided ? 'DISPUTED' : state.underlying_status;
}

export function isDisputed(state: AccountState): boolean {
  return furnisherDisputedSince(state) !== undefined || state.network_review;
}

/** Since when the furnisher's own flag is open; undefined when it is not. */
export function furnisherDisputedSince({ furnisher_flag }: AccountState): number | undefined {
  if (furnisher_flag === undefined || furnisher_flag.ended_at_ms !== undefined) return undefined;
  return furnisher_flag.since_ms;
}

/** True when nobody but its furnisher and the person is to see the account. */
export function isOffFile({ suppression, voided }: AccountState): boolean {
  return voided || suppression === 'ACCOUNT';
}

/** Begins an account in its first status; an adverse one opens an episode. */
export function openAccount(opening: Opening): AccountState {
  const status = opening.voided ? 'CANCELLED' : opening.status;
  const since_ms = statusSince(opening);
  const episode = opening.voided ? undefined : openingEpisode(opening, since_ms);
  return {
    organisation: opening.organisation,
    voided: opening.voided,
    suppression: opening.suppression,
    underlying_status: status,
    status_since_ms: since_ms,
    opened_in_trouble_ms:
      episode === undefined
        ? undefined
        : (opening.first_delinquency_at_ms ?? opening.status_since_ms),
    furnisher_flag: undefined,
    network_review: false,
    balance_minor: opening.voided ? 0n : opening.balance_minor,
    credit_limit_minor: undefined,
    closed_at_ms: status === 'CANCELLED' && !opening.voided ? since_ms : undefined,
    payment_count: 0,
    episodes: episode === undefined ? [] : [episode],
    payment_months: [],
    late_months: [],
    payment_days: [],
    head: { occurred_at_ms: opening.opened_at_ms, sequence: 1 },
  };
}

function statusSince(opening: Opening): number {
  const said_ms = opening.status_since_ms ?? opening.first_delinquency_at_ms;
  if (said_ms !== undefined) return said_ms;
  return opening.status === 'CURRENT' ? opening.opened_at_ms : opening.reported_at_ms;
}

function openingEpisode(opening: Opening, at_ms: number): Episode | undefined {
  const started_at_ms = opening.first_delinquency_at_ms ?? at_ms;
  const begun = beginEpisode(started_at_ms);
  switch (opening.status) {
    case 'CURRENT':
    case 'PAID':
    case 'CANCELLED':
      return undefined;
    case 'PAST_DUE':
      return { ...begun, past_due_since_ms: started_at_ms };
    case 'DELINQUENT':
      return { ...begun, past_due_since_ms: started_at_ms, delinquency_started_at_ms: at_ms };
    case 'DEFAULTED':
      return {
        ...begun,
        past_due_since_ms: opening.first_delinquency_at_ms,
        defaulted_at_ms: at_ms,
        default_severity: 'MODERATE',
      };
    case 'RESTRUCTURED':
      return {
        ...begun,
        past_due_since_ms: opening.first_delinquency_at_ms,
        restructured_at_ms: at_ms,
      };
    case 'WRITTEN_OFF':
      return {
        ...begun,
        past_due_since_ms: opening.first_delinquency_at_ms,
        written_off_at_ms: at_ms,
      };
    default:
      return unknownValue(opening.status);
  }
}

/** The state after an entry, or why the entry is impossible there. */
export function apply(state: AccountState, entry: Entry): AccountState | Refusal {
  if (state.voided) return applyToVoided(state, entry);
  const cell = TABLE[entry.event_type][state.underlying_status];
  const status = nextStatus(state, entry, cell);
  if (typeof status !== 'string') return status;
  const flags = disputeFlags(state, entry);
  if ('refused' in flags) return flags;
  const balance_minor =
    status === 'PAID' && status !== state.underlying_status
      ? 0n
      : (entry.balance_after_minor ?? state.balance_minor);
  if ((status === 'PAID' || status === 'CANCELLED') && balance_minor !== 0n) {
    return { refused: `An account that is ${status} has no balance.` };
  }
  if (!isAdverse(status) && entry.occurred_at_ms < (state.opened_in_trouble_ms ?? -Infinity)) {
    return { refused: 'By your own dates, the trouble began later than that.' };
  }
  const closes = cell === 'CANCELLED_AT_ZERO' || cell === 'CLOSED_ONCE';
  return {
    organisation: state.organisation,
    voided: false,
    suppression: state.suppression,
    underlying_status: status,
    status_since_ms:
      status === state.underlying_status ? state.status_since_ms : entry.occurred_at_ms,
    opened_in_trouble_ms: state.opened_in_trouble_ms,
    furnisher_flag: flags.furnisher_flag,
    network_review: flags.network_review,
    balance_minor,
    credit_limit_minor:
      entry.event_type === 'LIMIT_CHANGED' ? entry.amount_minor : state.credit_limit_minor,
    closed_at_ms: closes ? entry.occurred_at_ms : state.closed_at_ms,
    payment_count: isPayment(entry) ? state.payment_count + 1 : state.payment_count,
    episodes: nextEpisodes(state.episodes, entry, state.underlying_status, status),
    payment_months: isPayment(entry)
      ? withMonth(state.payment_months, entry.occurred_at_ms)
      : state.payment_months,
    late_months:
      entry.event_type === 'PAYMENT_LATE'
        ? withMonth(state.late_months, entry.occurred_at_ms)
        : state.late_months,
    payment_days:
      state.organisation && isPayment(entry)
        ? withPayment(state.payment_days, entry, state.episodes)
        : state.payment_days,
    head: placeOf(entry),
  };
}

/** Corrections of what is void with the account change nothing; a review of the network may end. */
function applyToVoided(state: AccountState, entry: Entry): AccountState | Refusal {
  const isFlag = entry.event_type === 'DISPUTE_OPENED' || entry.event_type === 'DISPUTE_RESOLVED';
  const isMark = entry.event_type === 'CORRECTION' || isSuppression(entry.event_type);
  if (!isMark && !(isFlag && entry.by_network)) {
    return { refused: 'The account was taken off the file; only that can be corrected.' };
  }
  const flags = disputeFlags(state, entry);
  if ('refused' in flags) return flags;
  return { ...state, network_review: flags.network_review, head: placeOf(entry) };
}

/** The state with the timeline one impossible entry longer: it leaves nothing but its place. */
export function skip(state: AccountState, entry: Entry): AccountState {
  return { ...state, head: placeOf(entry) };
}

function placeOf(entry: Entry): Place {
  return { occurred_at_ms: entry.occurred_at_ms, sequence: entry.sequence };
}

function nextStatus(state: AccountState, entry: Entry, cell: Cell): UnderlyingStatus | Refusal {
  switch (cell) {
    case 'UNCHANGED':
      return state.underlying_status;
    case 'IMPOSSIBLE':
      return {
        refused: `${entry.event_type} is impossible on an account that is ${state.underlying_status}.`,
      };
    case 'CANCELLED_AT_ZERO':
      return (entry.balance_after_minor ?? state.balance_minor) === 0n
        ? 'CANCELLED'
        : { refused: 'An account with a balance cannot be closed.' };
    case 'CLOSED_ONCE':
      return state.closed_at_ms === undefined
        ? state.underlying_status
        : { refused: 'The account is closed already.' };
    default:
      return cell;
  }
}

type Flags = Pick<AccountState, 'furnisher_flag' | 'network_review'>;

function disputeFlags(state: AccountState, entry: Entry): Flags | Refusal {
  const { furnisher_flag, network_review } = state;
  switch (entry.event_type) {
    case 'DISPUTE_OPENED':
      // The network may review an account that its furnisher has flagged, not the reverse.
      if (entry.by_network ? network_review : isDisputed(state)) {
        return { refused: 'The account is disputed already.' };
      }
      return entry.by_network
        ? { furnisher_flag, network_review: true }
        : { furnisher_flag: flagged(furnisher_flag, entry.occurred_at_ms), network_review: false };
    case 'DISPUTE_RESOLVED':
      if (!isDisputed(state)) return { refused: 'The account is not disputed.' };
      if (entry.by_network) {
        return network_review
          ? { furnisher_flag, network_review: false }
          : { refused: 'The network does not review the account.' };
      }
      if (network_review || furnisher_flag === undefined) {
        return { refused: 'The network reviews the account; only it can end that.' };
      }
      return {
        furnisher_flag: { ...furnisher_flag, ended_at_ms: entry.occurred_at_ms },
        network_review: false,
      };
    default:
      return state;
  }
}

/** Flags in a row share one time: ending and renewing a flag must not hide an account for ever. */
function flagged(last: FurnisherFlag | undefined, at_ms: number): FurnisherFlag {
  const goesOn = last?.ended_at_ms !== undefined && at_ms - last.ended_at_ms < FLAG_SUSPENDS_MS;
  return { since_ms: goesOn ? last.since_ms : at_ms, ended_at_ms: undefined };
}

function isPayment(entry: Entry): boolean {
  return entry.event_type === 'PAYMENT_MADE' || entry.event_type === 'PARTIAL_PAYMENT';
}

function withMonth(months: readonly number[], at_ms: number): readonly number[] {
  const month = monthOf(at_ms);
  // Timelines run forward, so a known month is the last one.
  if (months.at(-1) === month) return months;
  return [...months.filter((known) => known > month - MONTHS_KEPT), month];
}

function withPayment(
  days: readonly PaymentDay[],
  entry: Entry,
  episodes: readonly Episode[],
): readonly PaymentDay[] {
  const day = dayOf(entry.occurred_at_ms);
  const amount_minor = entry.amount_minor ?? 0n;
  const days_past_due = openDaysPastDue(episodes, entry.occurred_at_ms);
  const last = days.at(-1);
  if (last?.day === day && last.days_past_due === days_past_due) {
    return [...days.slice(0, -1), { ...last, amount_minor: last.amount_minor + amount_minor }];
  }
  const first_kept = days.findIndex((known) => known.day > day - PAYMENT_DAYS_KEPT);
  const kept = first_kept <= 0 ? days : days.slice(first_kept);
  return [...kept, { day, amount_minor, days_past_due }];
}

// --- episodes

/** A spell of which nothing but its beginning is known. */
export function beginEpisode(at_ms: number): Episode {
  return {
    started_at_ms: at_ms,
    ended_at_ms: undefined,
    past_due_since_ms: undefined,
    delinquency_started_at_ms: undefined,
    restructured_at_ms: undefined,
    defaulted_at_ms: undefined,
    default_severity: undefined,
    default_cured_at_ms: undefined,
    written_off_at_ms: undefined,
  };
}

function openEpisode(episodes: readonly Episode[]): Episode | undefined {
  const last = episodes.at(-1);
  return last !== undefined && last.ended_at_ms === undefined ? last : undefined;
}

function nextEpisodes(
  episodes: readonly Episode[],
  entry: Entry,
  from: UnderlyingStatus,
  to: UnderlyingStatus,
): readonly Episode[] {
  const open = openEpisode(episodes);
  const adverse = adverseFacts(open, entry);
  if (adverse !== undefined) {
    if (open !== undefined)
      return [...episodes.slice(0, -1), worsened(open, adverse, entry.occurred_at_ms)];
    return [...bounded(episodes, entry), { ...beginEpisode(entry.occurred_at_ms), ...adverse }];
  }
  if (open === undefined || from === to || isAdverse(to)) return episodes;
  const cured = curedAt(open, entry.occurred_at_ms);
  const ofDefault = entry.event_type === 'DEFAULT_CURED';
  return [
    ...episodes.slice(0, -1),
    ofDefault ? { ...cured, default_cured_at_ms: cured.ended_at_ms } : cured,
  ];
}

// An account created in an adverse status counts from its report where nobody knows better. An
// event from before says better: the trouble was there by then, and none of it is later than its
// cure.

function earlier(known_ms: number | undefined, at_ms: number): number | undefined {
  return known_ms === undefined ? undefined : Math.min(known_ms, at_ms);
}

function worsened(episode: Episode, adverse: Partial<Episode>, at_ms: number): Episode {
  return { ...episode, ...adverse, started_at_ms: Math.min(episode.started_at_ms, at_ms) };
}

function curedAt(episode: Episode, at_ms: number): Episode {
  return {
    started_at_ms: Math.min(episode.started_at_ms, at_ms),
    ended_at_ms: at_ms,
    past_due_since_ms: earlier(episode.past_due_since_ms, at_ms),
    delinquency_started_at_ms: earlier(episode.delinquency_started_at_ms, at_ms),
    restructured_at_ms: earlier(episode.restructured_at_ms, at_ms),
    defaulted_at_ms: earlier(episode.defaulted_at_ms, at_ms),
    default_severity: episode.default_severity,
    default_cured_at_ms: undefined,
    written_off_at_ms: earlier(episode.written_off_at_ms, at_ms),
  };
}

/** What an adverse entry writes into its episode; undefined when the entry is not adverse. */
function adverseFacts(open: Episode | undefined, entry: Entry): Partial<Episode> | undefined {
  const at_ms = entry.occurred_at_ms;
  switch (entry.event_type) {
    case 'PAYMENT_LATE':
      return { past_due_since_ms: earlier(open?.past_due_since_ms ?? at_ms, at_ms) };
    case 'DELINQUENCY_STARTED':
      return {
        past_due_since_ms: earlier(open?.past_due_since_ms ?? at_ms, at_ms),
        delinquency_started_at_ms: at_ms,
      };
    case 'DEFAULT_REPORTED':
      return {
        defaulted_at_ms: at_ms,
        default_severity: worse(open?.default_severity, entry.default_severity),
      };
    case 'ACCOUNT_RESTRUCTURED':
      return { restructured_at_ms: at_ms };
    case 'ACCOUNT_WRITTEN_OFF':
      return { written_off_at_ms: at_ms };
    default:
      return undefined;
  }
}

function worse(
  known: DefaultSeverity | undefined,
  reported: DefaultSeverity | undefined,
): DefaultSeverity {
  const severity = reported ?? 'MODERATE';
  if (known === undefined) return severity;
  const rank = (value: DefaultSeverity) => DEFAULT_SEVERITIES.indexOf(value);
  return rank(known) > rank(severity) ? known : severity;
}

/** Makes room for one more episode: drops what no score reads, and beyond the bound the mildest. */
function bounded(episodes: readonly Episode[], entry: Entry): readonly Episode[] {
  if (episodes.length === 0) return episodes;
  const oldest_ms = yearsBefore(entry.occurred_at_ms, EPISODE_YEARS_KEPT);
  const kept = episodes.filter((episode) => (episode.ended_at_ms ?? oldest_ms) >= oldest_ms);
  while (kept.length >= MAX_EPISODES) {
    const mildest = Math.min(...kept.map(gravity));
    kept.splice(
      kept.findIndex((episode) => gravity(episode) === mildest),
      1,
    );
  }
  return kept;
}

function gravity(episode: Episode): number {
  if (episode.written_off_at_ms !== undefined) return 4;
  if (episode.defaulted_at_ms !== undefined) return 3;
  if (episode.restructured_at_ms !== undefined) return 2;
  return episode.delinquency_started_at_ms === undefined ? 0 : 1;
}

// --- what depends on today

/** Days past due of one episode; they stand still from its end on. */
export function episodeDaysPastDue(episode: Episode, now_ms: number): number {
  const until_ms = Math.min(now_ms, episode.ended_at_ms ?? now_ms);
  return Math.max(daysAtLeast(episode), dayOf(until_ms) - dayOf(episode.started_at_ms));
}

function daysAtLeast(episode: Episode): number {
  if (episode.defaulted_at_ms !== undefined || episode.written_off_at_ms !== undefined) {
    return DEFAULTED_DAYS_AT_LEAST;
  }
  return episode.delinquency_started_at_ms === undefined ? 0 : DELINQUENT_DAYS_AT_LEAST;
}

function openDaysPastDue(episodes: readonly Episode[], now_ms: number): number {
  const open = openEpisode(episodes);
  return open === undefined ? 0 : episodeDaysPastDue(open, now_ms);
}

/** Days past due of the account: 0 outside an episode. */
export function daysPastDue(state: AccountState, now_ms: number): number {
  return openDaysPastDue(state.episodes, now_ms);
}

export function bucketOf(days_past_due: number): Bucket {
  if (days_past_due >= 120) return 'DPD_120_PLUS';
  if (days_past_due >= 90) return 'DPD_90';
  if (days_past_due >= 60) return 'DPD_60';
  if (days_past_due >= 30) return 'DPD_30';
  return days_past_due > 0 ? 'EARLY' : 'CURRENT';
}

/** Where the latest spell of trouble began; kept after its cure. */
export function firstDelinquencyAt(state: AccountState): number | undefined {
  return state.episodes.at(-1)?.started_at_ms;
}

function unknownValue(value: never): never {
  throw new Error(`Unknown value ${String(value)}.`);
}
