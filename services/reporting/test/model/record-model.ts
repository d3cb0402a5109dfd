// The record as its rules say it, without regard to cost: whatever is asked, everything that was
// accepted is folded again from the first word. It shares types with the product and no decision,
// so that the two can be wrong in the same way only if the rules were read wrongly twice.

import type { NewEvent } from '../../src/domain/event';
import type { CorrectedTerms, OpeningDates } from '../../src/domain/terms';
import type {
  AccountStatus,
  Bucket,
  EventType,
  UnderlyingStatus,
} from '../../src/domain/vocabulary';

const DAY_MS = 86_400_000;

/** What is said of an account, in the order in which it was accepted. The opening comes first. */
export interface Said {
  readonly id: string;
  readonly reported_at_ms: number;
  readonly event: NewEvent;
}

export interface ModelOpening {
  readonly status: UnderlyingStatus;
  readonly principal_minor: bigint;
  readonly balance_minor: bigint;
  readonly opened_at_ms: number;
  readonly dates: OpeningDates | undefined;
}

/** What the outcome of a dispute has settled. */
export interface Settled {
  readonly dispute_id: string;
  readonly root_id: string;
  readonly types: readonly EventType[];
  readonly occurred_at_ms: number;
  readonly amount_minor: bigint | undefined;
  readonly balance_after_minor: bigint | undefined;
  /** What is left of the fact; undefined when it is gone. */
  readonly left: EventType | undefined;
  readonly settled_at_ms: number;
  readonly correction_id: string;
  /** Its furnisher had filed that correction. */
  readonly linked: boolean;
}

/** Everything that was accepted of one account. */
export interface Told {
  readonly opening: ModelOpening;
  readonly said: readonly Said[];
  /** Open ones only: what was certified since is settled no more. */
  readonly settled: readonly Settled[];
  /** Every outcome, by the dispute that it was of. */
  readonly outcomes: ReadonlyMap<string, { correction_id: string | undefined; linked: boolean }>;
}

export type Answer =
  | 'ACCEPTED'
  | 'REPEATED'
  | 'NOT_FOUND'
  | 'INVALID_STATE_TRANSITION'
  | 'REINSERTION'
  | 'VALIDATION_ERROR';

export interface Spell {
  readonly started_at_ms: number;
  readonly ended_at_ms: number | undefined;
  readonly days_at_least: number;
}

export interface FoldedRecord {
  readonly id: string;
  readonly effect: 'EFFECTIVE' | 'SUPERSEDED' | 'IGNORED';
  readonly superseded_by: string | undefined;
  readonly resulting_status: AccountStatus | undefined;
}

export interface Folded {
  readonly records: readonly FoldedRecord[];
  readonly status: AccountStatus;
  readonly underlying_status: UnderlyingStatus;
  readonly voided: boolean;
  readonly balance_minor: bigint;
  readonly credit_limit_minor: bigint | undefined;
  readonly closed_at_ms: number | undefined;
  readonly furnisher_disputed_since_ms: number | undefined;
  readonly network_review: boolean;
  readonly opened_at_ms: number;
  readonly payments: number;
  readonly spells: readonly Spell[];
  /** The last time of the timeline. */
  readonly head_ms: number;
}

export function begin(opening: ModelOpening, id: string, reported_at_ms: number): Told {
  const event: NewEvent = {
    event_type: 'ACCOUNT_OPENED',
    occurred_at_ms: opening.opened_at_ms,
    amount_minor: opening.principal_minor,
    balance_after_minor: opening.balance_minor,
    source_reference: undefined,
    default_severity: undefined,
    supersedes_event_id: undefined,
    correction_reason: undefined,
    corrected_event_type: undefined,
    corrected_occurred_at_ms: undefined,
    corrected_terms: undefined,
    certification: undefined,
    by_network: false,
  };
  return { opening, said: [{ id, reported_at_ms, event }], settled: [], outcomes: new Map() };
}

// --- corrections

/** How the chain of one event's corrections stands after its last. */
interface Stage {
  readonly root: Said;
  readonly standing: Said | undefined;
  /** What a further correction may name, beside what stands. */
  readonly tips: readonly Said[];
  readonly occurred_at_ms: number;
  readonly terms: CorrectedTerms;
  readonly balance_minor: bigint;
}

function replaces({ event }: Said): boolean {
  return event.corrected_event_type !== undefined || event.corrected_terms !== undefined;
}

function isVoiding(said: Said): boolean {
  return said.event.event_type === 'CORRECTION' && !replaces(said);
}

function typeOf({ event }: Said): EventType {
  return event.corrected_event_type ?? event.event_type;
}

/** The event and all corrections of it and of each other. */
function chainOf(told: Told, id: string): Said[] {
  let root = find(told, id);
  while (root?.event.supersedes_event_id !== undefined)
    root = find(told, root.event.supersedes_event_id);
  if (root === undefined) return [];
  const chain = [root];
  for (const said of told.said) {
    if (chain.some((known) => known.id === said.event.supersedes_event_id)) chain.push(said);
  }
  return chain;
}

function find(told: Told, id: string): Said | undefined {
  return told.said.find((said) => said.id === id);
}

/** A correction that undoes another one, which only a furnisher's can. */
function undoes(correction: Said, chain: readonly Said[]): boolean {
  return (
    isVoiding(correction) &&
    !correction.event.by_network &&
    correction.event.supersedes_event_id !== chain[0]?.id
  );
}

function stageOf(chain: readonly Said[]): Stage {
  const [root] = chain;
  const last = chain.at(-1);
  if (root === undefined || last === undefined) throw new Error('An empty chain.');
  if (last === root) {
    return {
      root,
      standing: root,
      tips: [],
      occurred_at_ms: root.event.occurred_at_ms,
      terms: {},
      balance_minor: root.event.balance_after_minor ?? 0n,
    };
  }
  if (undoes(last, chain)) {
    const at = chain.findIndex(({ id }) => id === last.event.supersedes_event_id);
    const was = stageOf(chain.slice(0, at));
    return { ...was, tips: [...was.tips, last] };
  }
  const was = stageOf(chain.slice(0, -1));
  if (isVoiding(last)) return { ...was, standing: undefined, tips: [last] };
  return {
    root,
    standing: last,
    tips: [last],
    occurred_at_ms: last.event.corrected_occurred_at_ms ?? was.occurred_at_ms,
    terms: { ...was.terms, ...last.event.corrected_terms },
    balance_minor: last.event.balance_after_minor ?? was.balance_minor,
  };
}

/** Which correction superseded a record of the chain, if one that is not undone itself did. */
function supersederOf(chain: readonly Said[], record: Said): Said | undefined {
  const isUndone = (correction: Said): boolean =>
    chain.some(
      (later) =>
        later.event.supersedes_event_id === correction.id &&
        undoes(later, chain) &&
        !isUndone(later),
    );
  const supersedes = (correction: Said, index: number): boolean => {
    if (index === 0 || isUndone(correction)) return false;
    if (correction.event.supersedes_event_id === record.id) return true;
    return !undoes(correction, chain) && stageOf(chain.slice(0, index)).standing === record;
  };
  return chain.findLast(supersedes);
}

// --- folding

interface Fact {
  readonly said: Said;
  readonly type: EventType;
  readonly occurred_at_ms: number;
  /** Decides between equal times. */
  readonly rank: number;
}

interface Layout {
  readonly opening: Stage;
  readonly facts: readonly Fact[];
  readonly superseders: ReadonlyMap<string, string>;
}

function layOut(told: Told): Layout {
  const facts: Fact[] = [];
  const superseders = new Map<string, string>();
  let opening: Stage | undefined;
  for (const root of told.said.filter(({ event }) => event.event_type !== 'CORRECTION')) {
    const chain = chainOf(told, root.id);
    for (const record of chain) {
      const by = supersederOf(chain, record);
      if (by !== undefined) superseders.set(record.id, by.id);
      else if (isVoiding(record)) {
        const { occurred_at_ms } = record.event;
        const rank = told.said.indexOf(record);
        facts.push({ said: record, type: 'CORRECTION', occurred_at_ms, rank });
      }
    }
    const stage = stageOf(chain);
    if (root === told.said[0]) opening = stage;
    else if (stage.standing !== undefined) {
      const { standing: said, occurred_at_ms } = stage;
      facts.push({ said, type: typeOf(said), occurred_at_ms, rank: told.said.indexOf(root) });
    }
  }
  if (opening === undefined) throw new Error('An account without an opening.');
  facts.sort((a, b) => a.occurred_at_ms - b.occurred_at_ms || a.rank - b.rank);
  return { opening, facts, superseders };
}

// From which status to which; what is not there is impossible.
const MOVES: Readonly<Record<string, string>> = {
  ACCOUNT_UPDATED: 'CU= PD= DL= DF= RS= WO= PA=',
  PAYMENT_DUE: 'CU= PD= DL= DF= RS=',
  PAYMENT_MADE: 'CU= PD= DL= DF= RS= WO=',
  PARTIAL_PAYMENT: 'CU= PD= DL= DF= RS= WO=',
  PAYMENT_LATE: 'CU>PD PD= DL= DF= RS>PD',
  ACCOUNT_CURRENT: 'CU= PD>CU DL>CU RS>CU',
  DELINQUENCY_STARTED: 'CU>DL PD>DL RS>DL',
  DELINQUENCY_CURED: 'DL>CU',
  DEFAULT_REPORTED: 'CU>DF PD>DF DL>DF RS>DF',
  DEFAULT_CURED: 'DF>CU',
  ACCOUNT_RESTRUCTURED: 'CU>RS PD>RS DL>RS DF>RS RS=',
  ACCOUNT_WRITTEN_OFF: 'CU>WO PD>WO DL>WO DF>WO RS>WO',
  ACCOUNT_PAID: 'CU>PA PD>PA DL>PA DF>PA RS>PA WO>PA',
  ACCOUNT_CLOSED: 'CU>CA RS>CA WO= PA=',
  BALANCE_UPDATED: 'CU= PD= DL= DF= RS= WO=',
  LIMIT_CHANGED: 'CU= PD= DL= DF= RS=',
  DISPUTE_OPENED: 'CU= PD= DL= DF= RS= WO= PA= CA=',
  DISPUTE_RESOLVED: 'CU= PD= DL= DF= RS= WO= PA= CA=',
  CORRECTION: 'CU= PD= DL= DF= RS= WO= PA= CA=',
};
const SHORT: Readonly<Record<UnderlyingStatus, string>> = {
  CURRENT: 'CU',
  PAST_DUE: 'PD',
  DELINQUENT: 'DL',
  DEFAULTED: 'DF',
  RESTRUCTURED: 'RS',
  WRITTEN_OFF: 'WO',
  PAID: 'PA',
  CANCELLED: 'CA',
};
const LONG = Object.fromEntries(
  Object.entries(SHORT).map(([long, short]) => [short, long as UnderlyingStatus]),
);
const BAD: readonly AccountStatus[] = [
  'PAST_DUE',
  'DELINQUENT',
  'DEFAULTED',
  'RESTRUCTURED',
  'WRITTEN_OFF',
];
const BAD_NEWS: readonly EventType[] = [
  'PAYMENT_LATE',
  'DELINQUENCY_STARTED',
  'ACCOUNT_RESTRUCTURED',
  'DEFAULT_REPORTED',
  'ACCOUNT_WRITTEN_OFF',
];

/** The status that a move leads to; undefined when there is none. */
function moved(type: EventType, from: UnderlyingStatus): UnderlyingStatus | undefined {
  const move = MOVES[type]?.split(' ').find((text) => text.startsWith(SHORT[from]));
  if (move === undefined) return undefined;
  return move.endsWith('=') ? from : LONG[move.slice(-2)];
}

/** What a furnisher may report of an account that stands so. */
export function possibleFrom(status: UnderlyingStatus): EventType[] {
  return (Object.keys(MOVES) as EventType[]).filter(
    (type) => type !== 'CORRECTION' && moved(type, status) !== undefined,
  );
}

/** A fact that happened, and between which statuses. */
interface Happened extends Fact {
  readonly from: UnderlyingStatus;
  readonly to: UnderlyingStatus;
}

interface Standing {
  underlying: UnderlyingStatus;
  balance_minor: bigint;
  closed_at_ms: number | undefined;
  flags: { from_ms: number; to_ms: number | undefined }[];
  review: boolean;
  limit_minor: bigint | undefined;
}

/** What was told by then, of what had happened by then; undefined when there was no account yet. */
export function foldAt(
  told: Told,
  { as_of_ms, known_at_ms }: { readonly as_of_ms: number; readonly known_at_ms: number },
): Folded | undefined {
  const said = told.said.filter(({ reported_at_ms }) => reported_at_ms <= known_at_ms);
  const [first] = said;
  if (first === undefined) return undefined;
  const known = { ...told, said };
  const opened_at_ms = layOut(known).opening.terms.opened_at_ms ?? told.opening.opened_at_ms;
  if (Math.min(opened_at_ms, first.reported_at_ms) > as_of_ms) return undefined;
  // The status that it was created in counts from its time; its trouble may be older.
  const { status, dates } = told.opening;
  const trouble_ms = dates?.first_delinquency_at_ms;
  const since_ms = dates?.status_since_ms ?? trouble_ms ?? first.reported_at_ms;
  if (status === 'CURRENT' || since_ms <= as_of_ms) return fold(known, as_of_ms);
  const opening: ModelOpening =
    isBad(status) && trouble_ms !== undefined && trouble_ms <= as_of_ms
      ? {
          ...told.opening,
          status: 'PAST_DUE',
          dates: { first_delinquency_at_ms: trouble_ms, status_since_ms: undefined },
        }
      : { ...told.opening, status: 'CURRENT', dates: undefined };
  return fold({ ...known, opening }, as_of_ms);
}

/** Everything that follows from what was accepted. */
export function fold(told: Told, as_of_ms = Infinity): Folded {
  const { opening, facts: all, superseders } = layOut(told);
  const facts = all.filter(
    ({ said, occurred_at_ms }) => Math.min(occurred_at_ms, said.reported_at_ms) <= as_of_ms,
  );
  const { dates } = told.opening;
  const reported_at_ms = told.said[0]?.reported_at_ms ?? 0;
  const voided = opening.standing === undefined;
  const opened_at_ms = opening.terms.opened_at_ms ?? told.opening.opened_at_ms;
  const said_ms = dates?.first_delinquency_at_ms ?? dates?.status_since_ms;
  const begun: UnderlyingStatus = voided ? 'CANCELLED' : told.opening.status;
  const now: Standing = {
    underlying: begun,
    balance_minor: voided ? 0n : opening.balance_minor,
    closed_at_ms:
      begun === 'CANCELLED' && !voided ? (dates?.status_since_ms ?? reported_at_ms) : undefined,
    flags: [],
    review: false,
    limit_minor: undefined,
  };
  const shown = (): AccountStatus =>
    !voided && (now.review || isOpen(now.flags.at(-1))) ? 'DISPUTED' : now.underlying;
  const happened: Happened[] = [];
  const results = new Map<string, AccountStatus>();
  for (const fact of facts) {
    const from = now.underlying;
    if (!takes(now, fact, { voided, trouble_from_ms: isBad(begun) ? said_ms : undefined }))
      continue;
    happened.push({ ...fact, from, to: now.underlying });
    results.set(fact.said.id, shown());
  }
  const openingId = opening.standing?.id;
  const records = told.said.map(({ id }): FoldedRecord => {
    const superseded_by = superseders.get(id);
    const counts = id === openingId || results.has(id);
    return {
      id,
      superseded_by,
      effect: counts ? 'EFFECTIVE' : superseded_by === undefined ? 'IGNORED' : 'SUPERSEDED',
      resulting_status: id === openingId ? told.opening.status : results.get(id),
    };
  });
  const counted = happened.filter(() => !voided);
  return {
    records,
    status: shown(),
    underlying_status: now.underlying,
    voided,
    balance_minor: now.balance_minor,
    credit_limit_minor: now.limit_minor,
    closed_at_ms: now.closed_at_ms,
    furnisher_disputed_since_ms: flaggedSince(now),
    network_review: now.review,
    opened_at_ms,
    payments: counted.filter(({ type }) => ['PAYMENT_MADE', 'PARTIAL_PAYMENT'].includes(type))
      .length,
    spells: voided ? [] : spellsOf(told, said_ms ?? reported_at_ms, happened),
    head_ms: Math.max(opened_at_ms, ...facts.map(({ occurred_at_ms }) => occurred_at_ms)),
  };
}

function isBad(status: AccountStatus): boolean {
  return BAD.includes(status);
}

/** Moves the account on; false when the fact is impossible there, and then nothing moves. */
function takes(
  now: Standing,
  { said, type, occurred_at_ms }: Fact,
  account: { voided: boolean; trouble_from_ms: number | undefined },
): boolean {
  const { event } = said;
  const to = moved(type, now.underlying);
  if (to === undefined) return false;
  const flag = now.flags.at(-1);
  const isFlagged = isOpen(flag);
  const isFlag = type === 'DISPUTE_OPENED' || type === 'DISPUTE_RESOLVED';
  if (account.voided && type !== 'CORRECTION' && !(isFlag && event.by_network)) return false;
  if (type === 'DISPUTE_OPENED' && (now.review || (isFlagged && !event.by_network))) return false;
  if (type === 'DISPUTE_RESOLVED' && now.review !== event.by_network) return false;
  if (type === 'DISPUTE_RESOLVED' && !event.by_network && !isFlagged) return false;
  if (!account.voided) {
    const becomesPaid = to === 'PAID' && now.underlying !== 'PAID';
    const balance_minor = becomesPaid ? 0n : (event.balance_after_minor ?? now.balance_minor);
    if (['PAID', 'CANCELLED'].includes(to) && balance_minor !== 0n) return false;
    // A cure from before the trouble, by the furnisher's own dates.
    if (!isBad(to) && occurred_at_ms < (account.trouble_from_ms ?? -Infinity)) return false;
    if (type === 'ACCOUNT_CLOSED') {
      if (now.closed_at_ms !== undefined) return false;
      now.closed_at_ms = occurred_at_ms;
    }
    now.balance_minor = balance_minor;
    if (type === 'LIMIT_CHANGED') now.limit_minor = event.amount_minor;
  }
  if (isFlag && event.by_network) now.review = type === 'DISPUTE_OPENED';
  else if (type === 'DISPUTE_OPENED') now.flags.push({ from_ms: occurred_at_ms, to_ms: undefined });
  else if (type === 'DISPUTE_RESOLVED' && flag !== undefined) flag.to_ms = occurred_at_ms;
  now.underlying = to;
  return true;
}

function isOpen(flag: Standing['flags'][number] | undefined): boolean {
  return flag !== undefined && flag.to_ms === undefined;
}

/** The open flag's time, with that of all which it followed within 60 days. */
function flaggedSince({ flags }: Standing): number | undefined {
  if (!isOpen(flags.at(-1))) return undefined;
  const starts = flags.filter(({ from_ms }, index) => {
    const ended_ms = flags[index - 1]?.to_ms ?? -Infinity;
    return from_ms - ended_ms >= 60 * DAY_MS;
  });
  return starts.at(-1)?.from_ms;
}

/** Spells of trouble: from the first bad news to what ends all of it. */
function spellsOf(told: Told, opened_bad_ms: number, happened: readonly Happened[]): Spell[] {
  const groups: { times: number[]; types: EventType[]; ended_at_ms: number | undefined }[] = [];
  const asOpened: Partial<Record<UnderlyingStatus, EventType>> = {
    PAST_DUE: 'PAYMENT_LATE',
    DELINQUENT: 'DELINQUENCY_STARTED',
    DEFAULTED: 'DEFAULT_REPORTED',
    RESTRUCTURED: 'ACCOUNT_RESTRUCTURED',
    WRITTEN_OFF: 'ACCOUNT_WRITTEN_OFF',
  };
  const first = asOpened[told.opening.status];
  if (first !== undefined) {
    groups.push({ times: [opened_bad_ms], types: [first], ended_at_ms: undefined });
  }
  for (const { type, from, to, occurred_at_ms } of happened) {
    let open = groups.findLast(({ ended_at_ms }) => ended_at_ms === undefined);
    if (BAD_NEWS.includes(type)) {
      if (open === undefined) {
        open = { times: [], types: [], ended_at_ms: undefined };
        groups.push(open);
      }
      open.times.push(occurred_at_ms);
      open.types.push(type);
    } else if (open !== undefined && isBad(from) && !isBad(to)) {
      // It was over by then, so it had begun by then.
      open.times.push(occurred_at_ms);
      open.ended_at_ms = occurred_at_ms;
    }
  }
  return groups.map(({ times, types, ended_at_ms }) => ({
    started_at_ms: Math.min(...times),
    ended_at_ms,
    days_at_least:
      types.includes('DEFAULT_REPORTED') || types.includes('ACCOUNT_WRITTEN_OFF')
        ? 90
        : types.includes('DELINQUENCY_STARTED')
          ? 30
          : 0,
  }));
}

/** Days past due of a spell at a time; they stand still once it is over. */
export function daysOf({ started_at_ms, ended_at_ms, days_at_least }: Spell, at_ms: number) {
  const until_ms = Math.min(at_ms, ended_at_ms ?? Infinity);
  const days = Math.floor(until_ms / DAY_MS) - Math.floor(started_at_ms / DAY_MS);
  return Math.max(days, days_at_least);
}

export function bucketOfDays(days: number): Bucket {
  if (days <= 0) return 'CURRENT';
  if (days < 30) return 'EARLY';
  if (days < 60) return 'DPD_30';
  if (days < 90) return 'DPD_60';
  return days < 120 ? 'DPD_90' : 'DPD_120_PLUS';
}

// --- accepting

export interface Decided {
  readonly answer: Answer;
  /** As it was when nothing was accepted. */
  readonly told: Told;
  /** Of what was said or is repeated. */
  readonly id?: string;
  /** Disputes whose outcome a certified event has put an end to. */
  readonly reinserted?: readonly string[];
}

/** What is wrong with an event as such, at this time. */
export function isMisshapen(event: NewEvent, now_ms: number): boolean {
  const type = event.corrected_event_type ?? event.event_type;
  const oldest = new Date(now_ms);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - 7);
  const isOut = (at_ms: number | undefined) =>
    at_ms !== undefined && (at_ms > now_ms + 300_000 || at_ms < oldest.getTime());
  return (
    isOut(event.occurred_at_ms) ||
    isOut(event.corrected_occurred_at_ms) ||
    (['PAYMENT_MADE', 'PARTIAL_PAYMENT', 'LIMIT_CHANGED'].includes(type) &&
      event.amount_minor === undefined) ||
    (type === 'BALANCE_UPDATED' && event.balance_after_minor === undefined) ||
    (type === 'ACCOUNT_PAID' && (event.balance_after_minor ?? 0n) !== 0n) ||
    (type !== 'DEFAULT_REPORTED' && event.default_severity !== undefined) ||
    (event.corrected_event_type !== undefined && event.corrected_terms !== undefined) ||
    (event.corrected_occurred_at_ms !== undefined && event.corrected_event_type === undefined) ||
    (event.corrected_terms?.opened_at_ms ?? -Infinity) > now_ms + 300_000
  );
}

/** Answers one event upon everything that was accepted before; `id` is what it will be called. */
export function decide(told: Told, event: NewEvent, now_ms: number, id: string): Decided {
  const refuse = (answer: Answer): Decided => ({ answer, told });
  if (isMisshapen(event, now_ms)) return refuse('VALIDATION_ERROR');
  const was = fold(told);
  if (
    event.occurred_at_ms < was.opened_at_ms ||
    (event.corrected_occurred_at_ms ?? Infinity) < was.opened_at_ms
  ) {
    return refuse('VALIDATION_ERROR');
  }
  const repeated = told.said.find(
    (said) =>
      event.source_reference !== undefined &&
      said.event.source_reference === event.source_reference,
  );
  if (repeated !== undefined) {
    const same = canonical(repeated.event) === canonical(event);
    return same
      ? { answer: 'REPEATED', told, id: repeated.id }
      : refuse('INVALID_STATE_TRANSITION');
  }
  const isCorrection = event.event_type === 'CORRECTION';
  if (isCorrection) {
    const wrong = wrongTarget(told, was, event);
    if (wrong !== undefined) return refuse(wrong);
  }
  const said: Said = { id, reported_at_ms: now_ms, event };
  const after: Told = { ...told, said: [...told.said, said] };
  const is = fold(after);
  if (is.records.at(-1)?.effect !== 'EFFECTIVE') return refuse('INVALID_STATE_TRANSITION');
  if (isCorrection) {
    const { facts } = layOut(after);
    const { first_delinquency_at_ms, status_since_ms } = told.opening.dates ?? {
      first_delinquency_at_ms: undefined,
      status_since_ms: undefined,
    };
    const times = [...facts.map(({ occurred_at_ms }) => occurred_at_ms)];
    times.push(first_delinquency_at_ms ?? Infinity, status_since_ms ?? Infinity);
    if (Math.min(...times) < is.opened_at_ms) return refuse('INVALID_STATE_TRANSITION');
    if (is.voided && (event.balance_after_minor ?? 0n) !== 0n) return refuse('VALIDATION_ERROR');
    // What was paid or cancelled when it was opened owed nothing then, however it is corrected.
    const owed = layOut(after).opening.balance_minor;
    if (!is.voided && ['PAID', 'CANCELLED'].includes(told.opening.status) && owed !== 0n) {
      return refuse('VALIDATION_ERROR');
    }
  } else {
    // Only a correction may make a later event impossible.
    const lost = was.records.some(
      ({ effect }, index) => effect === 'EFFECTIVE' && is.records[index]?.effect !== 'EFFECTIVE',
    );
    if (lost) return refuse('INVALID_STATE_TRANSITION');
  }
  const against = event.by_network ? [] : goesAgainst(told, after, said);
  if (against.length === 0) return { answer: 'ACCEPTED', told: after, id };
  if (event.certification === undefined) return refuse('REINSERTION');
  return {
    answer: 'ACCEPTED',
    told: { ...after, settled: told.settled.filter((known) => !against.includes(known)) },
    id,
    reinserted: against.map(({ dispute_id }) => dispute_id),
  };
}

function canonical(event: NewEvent): string {
  const terms = event.corrected_terms && Object.entries(event.corrected_terms).sort();
  const type = event.corrected_event_type ?? event.event_type;
  const severity = type === 'DEFAULT_REPORTED' ? (event.default_severity ?? 'MODERATE') : undefined;
  return JSON.stringify(
    [
      Object.entries({ ...event, corrected_terms: undefined, default_severity: severity })
        .filter(([, value]) => value !== undefined)
        .sort(),
      terms,
    ],
    (_key, value) => (typeof value === 'bigint' ? `${value}n` : value),
  );
}

function wrongTarget(told: Told, was: Folded, event: NewEvent): Answer | undefined {
  const chain = chainOf(told, event.supersedes_event_id ?? '');
  const target = chain.find(({ id }) => id === event.supersedes_event_id);
  const [root] = chain;
  if (target === undefined || root === undefined) return 'NOT_FOUND';
  if (target.event.event_type.startsWith('DISPUTE_')) return 'INVALID_STATE_TRANSITION';
  const ofOpening = root === told.said[0];
  if (was.voided && !ofOpening && !event.by_network) return 'INVALID_STATE_TRANSITION';
  if (supersederOf(chain, target) !== undefined) return 'INVALID_STATE_TRANSITION';
  const stage = stageOf(chain);
  if (target !== stage.standing && !stage.tips.includes(target)) return 'INVALID_STATE_TRANSITION';
  if (ofOpening && event.corrected_event_type !== undefined) return 'VALIDATION_ERROR';
  if (!ofOpening && event.corrected_terms !== undefined) return 'VALIDATION_ERROR';
  return undefined;
}

/** Tells several at once: in the order in which they happened, all or none. */
export function decideAll(
  told: Told,
  events: readonly NewEvent[],
  now_ms: number,
  ids: readonly string[],
): { answer: Answer; told: Told; reinserted: string[] } {
  const refuse = (answer: Answer) => ({ answer, told, reinserted: [] });
  if (events.some((event) => isMisshapen(event, now_ms))) return refuse('VALIDATION_ERROR');
  const order = [...events.keys()].sort(
    (a, b) => (events[a]?.occurred_at_ms ?? 0) - (events[b]?.occurred_at_ms ?? 0) || a - b,
  );
  let after = told;
  const reinserted: string[] = [];
  for (const index of order) {
    const event = events[index];
    if (event === undefined) continue;
    const decided = decide(after, event, now_ms, ids[index] ?? `refused ${index}`);
    if (decided.answer !== 'ACCEPTED' && decided.answer !== 'REPEATED') {
      return refuse(decided.answer);
    }
    after = decided.told;
    reinserted.push(...(decided.reinserted ?? []));
  }
  return { answer: 'ACCEPTED', told: after, reinserted };
}

// --- outcomes of disputes

const GRAVITY: Partial<Record<EventType, number>> = Object.fromEntries(
  BAD_NEWS.map((type, index) => [type, index + 1]),
);

function gravity(type: EventType | undefined): number {
  return type === undefined ? 0 : (GRAVITY[type] ?? 0);
}

/** What counts, each with where it stands. */
function effectiveFacts(told: Told): Fact[] {
  const { opening, facts } = layOut(told);
  if (opening.standing === undefined) return [];
  const counts = new Set(
    fold(told).records.flatMap(({ id, effect }) => (effect === 'EFFECTIVE' ? [id] : [])),
  );
  const first: Fact = {
    said: opening.standing,
    type: 'ACCOUNT_OPENED',
    occurred_at_ms: opening.occurred_at_ms,
    rank: 0,
  };
  return [first, ...facts.filter(({ said }) => !isVoiding(said) && counts.has(said.id))];
}

function goesAgainst(before: Told, after: Told, said: Said): Settled[] {
  if (before.settled.length === 0) return [];
  const root = chainOf(after, said.id)[0];
  const is = effectiveFacts(after);
  const was = effectiveFacts(before);
  const fresh = is.filter((fact) => !was.some((known) => known.said.id === fact.said.id));
  return before.settled.filter(
    (settled) =>
      (root !== undefined && root !== said && settled.root_id === root.id) ||
      fresh.some((fact) => says(fact, settled, is)),
  );
}

/** True when a fact says again what was settled. */
function says(fact: Fact, settled: Settled, all: readonly Fact[]): boolean {
  const sameKind = settled.types.includes(fact.type);
  const gone = Math.max(...settled.types.map(gravity));
  if (gone === 0) {
    const day = (at_ms: number) => Math.floor(at_ms / DAY_MS);
    return (
      sameKind &&
      day(fact.occurred_at_ms) === day(settled.occurred_at_ms) &&
      fact.said.event.amount_minor === settled.amount_minor &&
      fact.said.event.balance_after_minor === settled.balance_after_minor
    );
  }
  if (gravity(fact.type) === 0) return false;
  if (sameKind && fact.occurred_at_ms <= settled.settled_at_ms) return true;
  const left = gravity(settled.left);
  // The trouble stands on as something else: it is no news unless it is as grave as what is gone.
  if (left >= gone || (left > 0 && gravity(fact.type) < gone)) return false;
  const [from_ms, until_ms] = [settled.occurred_at_ms, fact.occurred_at_ms].sort((a, b) => a - b);
  const wasWell = all.some(
    ({ type, occurred_at_ms }) =>
      [
        'PAYMENT_MADE',
        'ACCOUNT_CURRENT',
        'DELINQUENCY_CURED',
        'DEFAULT_CURED',
        'ACCOUNT_PAID',
      ].includes(type) &&
      occurred_at_ms > (from_ms ?? 0) &&
      occurred_at_ms <= (until_ms ?? 0),
  );
  return !wasWell;
}

export interface WantedOutcome {
  readonly dispute_id: string;
  readonly contested_id: string;
  readonly filed_since_ms: number;
  readonly reason: string | undefined;
  readonly replacement:
    | Pick<
        NewEvent,
        | 'corrected_event_type'
        | 'corrected_occurred_at_ms'
        | 'amount_minor'
        | 'balance_after_minor'
        | 'default_severity'
        | 'corrected_terms'
      >
    | undefined;
}

/** Decides a dispute about a fact as corrected. */
export function settle(told: Told, wanted: WantedOutcome, now_ms: number, id: string) {
  const refuse = (answer: Answer) => ({ answer, told, correction_id: undefined, linked: false });
  const known = told.outcomes.get(wanted.dispute_id);
  if (known !== undefined) return { answer: 'REPEATED' as Answer, told, ...known };
  const chain = chainOf(told, wanted.contested_id);
  const contested = find(told, wanted.contested_id);
  const [root] = chain;
  if (contested === undefined || root === undefined) return refuse('NOT_FOUND');
  const { replacement } = wanted;
  if (contested.event.event_type.startsWith('DISPUTE_')) {
    return refuse(replacement === undefined ? 'ACCEPTED' : 'VALIDATION_ERROR');
  }
  const ofOpening = root === told.said[0];
  if (ofOpening && replacement !== undefined && replacement.corrected_terms === undefined) {
    return refuse('VALIDATION_ERROR');
  }
  const stage = stageOf(chain);
  const newest = stage.standing ?? stage.tips.at(-1) ?? root;
  const linked =
    replacement === undefined && answers(told, wanted, stage, newest) ? newest : undefined;
  let after = told;
  if (linked === undefined) {
    const decided = decide(
      told,
      {
        event_type: 'CORRECTION',
        occurred_at_ms: Math.max(now_ms, fold(told).head_ms),
        amount_minor: undefined,
        balance_after_minor: undefined,
        default_severity: undefined,
        corrected_event_type: undefined,
        corrected_occurred_at_ms: undefined,
        corrected_terms: undefined,
        ...replacement,
        source_reference: `dispute:${wanted.dispute_id}`,
        supersedes_event_id: newest.id,
        correction_reason: 'the network’s desk says so',
        certification: undefined,
        by_network: true,
      },
      now_ms,
      id,
    );
    if (decided.answer !== 'ACCEPTED') return refuse(decided.answer);
    after = decided.told;
  }
  const outcome = { correction_id: linked?.id ?? id, linked: linked?.event.by_network === false };
  const kind = (said: Said) => (ofOpening ? 'ACCOUNT_OPENED' : typeOf(said));
  const called = [
    root,
    contested,
    ...(linked === undefined && stage.standing ? [stage.standing] : []),
  ];
  const putInPlace = ofOpening
    ? replacement && ('ACCOUNT_OPENED' as const)
    : replacement?.corrected_event_type;
  const settled: Settled = {
    dispute_id: wanted.dispute_id,
    root_id: root.id,
    types: called.map(kind).filter((type) => type !== 'CORRECTION'),
    occurred_at_ms: stage.occurred_at_ms,
    amount_minor: contested.event.amount_minor,
    balance_after_minor: contested.event.balance_after_minor,
    left: linked && stage.standing ? kind(stage.standing) : putInPlace,
    settled_at_ms: now_ms,
    ...outcome,
  };
  return {
    answer: 'ACCEPTED' as Answer,
    told: {
      ...after,
      settled: [...after.settled, settled],
      outcomes: new Map(after.outcomes).set(wanted.dispute_id, outcome),
    },
    ...outcome,
  };
}

/** True when what is on record has put right already what the dispute is about. */
function answers(told: Told, wanted: WantedOutcome, stage: Stage, filed: Said): boolean {
  const contested = find(told, wanted.contested_id);
  if (contested === undefined || filed.event.event_type !== 'CORRECTION') return false;
  if (filed === contested) return false;
  if (filed.event.by_network) return stage.standing === undefined;
  if (filed.reported_at_ms < wanted.filed_since_ms) return false;
  if (stage.standing === undefined) return true;
  if (stage.root === told.said[0]) {
    const { corrected_terms, balance_after_minor } = filed.event;
    if (wanted.reason === 'INCORRECT_DATES') return corrected_terms?.opened_at_ms !== undefined;
    return wanted.reason === 'INCORRECT_BALANCE' && balance_after_minor !== undefined;
  }
  const stood = chainOf(told, contested.id);
  const was_at_ms = isVoiding(contested)
    ? contested.event.occurred_at_ms
    : stageOf(stood.slice(0, stood.indexOf(contested) + 1)).occurred_at_ms;
  const severity = ({ event }: Said) =>
    ['MINOR', 'MODERATE', 'SEVERE', 'CRITICAL'].indexOf(
      event.default_severity ??
        (typeOf({ ...contested, event }) === 'DEFAULT_REPORTED' ? 'MODERATE' : ''),
    );
  const was = gravity(typeOf(contested));
  const is = gravity(typeOf(filed));
  const isMilder = is < was || (is === was && severity(filed) < severity(contested));
  const isGraver = is > was || (is === was && severity(filed) > severity(contested));
  if (isGraver || (is > 0 && stage.occurred_at_ms > was_at_ms)) return false;
  switch (wanted.reason) {
    case 'PAYMENT_REPORTED_LATE':
    case 'ALREADY_PAID':
      return is === 0;
    case 'INCORRECT_STATUS':
      return isMilder;
    case 'INCORRECT_BALANCE':
      return (
        filed.event.balance_after_minor !== contested.event.balance_after_minor ||
        filed.event.amount_minor !== contested.event.amount_minor
      );
    case 'INCORRECT_DATES':
      return stage.occurred_at_ms !== was_at_ms;
    default:
      return false;
  }
}

/** Begins or ends a review; undefined when the account stands so already. */
export function review(
  told: Told,
  under_review: boolean,
  now_ms: number,
  change_id: string,
  id: string,
) {
  const is = fold(told);
  if (is.network_review === under_review) return { answer: 'REPEATED' as Answer, told };
  const { answer, told: after } = decide(
    told,
    {
      event_type: under_review ? 'DISPUTE_OPENED' : 'DISPUTE_RESOLVED',
      occurred_at_ms: Math.max(now_ms, is.head_ms),
      amount_minor: undefined,
      balance_after_minor: undefined,
      source_reference: `review:${change_id}`,
      default_severity: undefined,
      supersedes_event_id: undefined,
      correction_reason: undefined,
      corrected_event_type: undefined,
      corrected_occurred_at_ms: undefined,
      corrected_terms: undefined,
      certification: undefined,
      by_network: true,
    },
    now_ms,
    id,
  );
  return { answer, told: after };
}
