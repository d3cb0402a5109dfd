// Random histories of one account, and how the model and a product are led through the same one.

import * as fc from 'fast-check';
import type { EventDraft, NewEvent } from '../../src/domain/event';
import type { OpeningDates } from '../../src/domain/terms';
import {
  type AccountStatus,
  type Bucket,
  EVENT_TYPES,
  type EventType,
  isAdverse,
  isSuppression,
  UNDERLYING_STATUSES,
  type UnderlyingStatus,
} from '../../src/domain/vocabulary';
import {
  type Answer,
  begin,
  bucketOfDays,
  daysOf,
  decideAll,
  type Folded,
  fold,
  foldAt,
  type ModelOpening,
  possibleFrom,
  review,
  settle,
  type Told,
  type WantedOutcome,
} from './record-model';

export const DAY_MS = 86_400_000;
/** When every history begins to be told. */
export const BEGUN_AT_MS = Date.UTC(2026, 10, 28, 12);

// --- what is drawn

/** When something happened, before or about now. */
type DrawnTime =
  | { readonly days_ago: number; readonly minutes: number }
  /** In per mille of the time since the opening, in whole days. */
  | { readonly share: number }
  /** At the very time of a record. */
  | { readonly with_record: number };

/** A record, counted from the last one or from the first after the opening. */
type DrawnTarget = 'OPENING' | { readonly from_last: number } | { readonly from_first: number };

interface DrawnEvent {
  readonly kind: 'event';
  /** As it is, or one of those that the account's status allows. */
  readonly event_type: EventType | { readonly possible: number };
  readonly at: DrawnTime;
  readonly amount_minor: bigint | undefined;
  readonly balance_after_minor: bigint | undefined;
  readonly default_severity: NewEvent['default_severity'];
  readonly has_reference: boolean;
  readonly certified: boolean;
}

interface DrawnCorrection {
  readonly kind: 'correction';
  readonly target: DrawnTarget;
  readonly at: DrawnTime;
  readonly change:
    | { readonly to: 'VOID' }
    | { readonly to: 'EVENT'; readonly event: DrawnEvent; readonly moves: boolean }
    | { readonly to: 'TERMS'; readonly opened_days_later: number | undefined };
  readonly balance_after_minor: bigint | undefined;
  readonly has_reference: boolean;
  readonly certified: boolean;
}

interface DrawnRepeat {
  readonly kind: 'repeat';
  readonly target: number;
  /** Not quite the same is another event under the reference of the first. */
  readonly alters: 'nothing' | 'certification' | 'balance' | 'time';
}

type DrawnItem = DrawnEvent | DrawnCorrection | DrawnRepeat;

interface DrawnReport {
  readonly kind: 'report';
  readonly items: readonly DrawnItem[];
  readonly dry_run: boolean;
}

interface DrawnOutcome {
  readonly kind: 'outcome';
  readonly target: DrawnTarget;
  readonly filed_since_days_ago: number;
  readonly reason: string | undefined;
  readonly replacement: DrawnEvent | 'TERMS' | undefined;
  /** The same dispute is decided once more: nothing happens. */
  readonly again: boolean;
}

type DrawnStep =
  | DrawnReport
  | DrawnOutcome
  | { readonly kind: 'review'; readonly under_review: boolean }
  | { readonly kind: 'wait'; readonly days: number };

export interface DrawnHistory {
  readonly status: UnderlyingStatus;
  readonly balance_minor: bigint;
  readonly opened_days_ago: number;
  /** Parts of the time since the opening, in per mille. */
  readonly trouble_since: number | undefined;
  readonly status_since: number | undefined;
  readonly steps: readonly DrawnStep[];
  /** Moments in the past: in per mille of the account's time, and of the time of telling. */
  readonly looks_back: readonly (readonly [number, number])[];
}

const COMMON: readonly EventType[] = [
  'PAYMENT_MADE',
  'PAYMENT_LATE',
  'PAYMENT_LATE',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'ACCOUNT_CURRENT',
  'DEFAULT_REPORTED',
  'DEFAULT_CURED',
  'BALANCE_UPDATED',
  'DISPUTE_OPENED',
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'DISPUTE_RESOLVED',
];
const minutes = fc.constantFrom(0, 0, 0, -1, 1, 5, 6);
const drawnTime: fc.Arbitrary<DrawnTime> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ days_ago: fc.integer({ min: 0, max: 3 }), minutes }) },
  { weight: 6, arbitrary: fc.record({ share: fc.integer({ min: 0, max: 1_000 }) }) },
  { weight: 1, arbitrary: fc.record({ days_ago: fc.integer({ min: 0, max: 450 }), minutes }) },
  {
    weight: 1,
    arbitrary: fc.record({ days_ago: fc.integer({ min: 2_545, max: 2_560 }), minutes }),
  },
  { weight: 2, arbitrary: fc.record({ with_record: fc.nat(30) }) },
);
const drawnTarget: fc.Arbitrary<DrawnTarget> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ from_last: fc.nat(5) }) },
  { weight: 6, arbitrary: fc.record({ from_first: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant('OPENING' as const) },
);
const balance = fc.option(fc.bigInt({ min: 0n, max: 2n }), { freq: 2, nil: undefined });
const drawnEvent: fc.Arbitrary<DrawnEvent> = fc.record({
  kind: fc.constant('event'),
  event_type: fc.oneof(
    { weight: 6, arbitrary: fc.record({ possible: fc.nat(60) }) },
    { weight: 3, arbitrary: fc.constantFrom(...COMMON) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...EVENT_TYPES.filter(
          (type) => type !== 'CORRECTION' && type !== 'ACCOUNT_OPENED' && !isSuppression(type),
        ),
      ),
    },
  ),
  at: drawnTime,
  amount_minor: fc.option(fc.bigInt({ min: 1n, max: 3n }), { freq: 15, nil: undefined }),
  balance_after_minor: balance,
  default_severity: fc.option(fc.constantFrom('MINOR', 'SEVERE', 'CRITICAL' as const), {
    freq: 2,
    nil: undefined,
  }),
  has_reference: fc.boolean(),
  certified: fc.constantFrom(false, false, false, true),
});
const drawnCorrection: fc.Arbitrary<DrawnCorrection> = fc.record({
  kind: fc.constant('correction'),
  target: drawnTarget,
  at: fc.oneof({ weight: 3, arbitrary: fc.constant({ days_ago: 0, minutes: 0 }) }, drawnTime),
  change: fc.oneof(
    { weight: 4, arbitrary: fc.record({ to: fc.constant('VOID' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        to: fc.constant('EVENT' as const),
        event: drawnEvent,
        moves: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        to: fc.constant('TERMS' as const),
        opened_days_later: fc.option(fc.integer({ min: -40, max: 200 }), {
          freq: 3,
          nil: undefined,
        }),
      }),
    },
  ),
  balance_after_minor: fc.option(fc.bigInt({ min: 0n, max: 2n }), { freq: 2, nil: undefined }),
  has_reference: fc.constantFrom(false, false, true),
  certified: fc.constantFrom(false, false, true),
});
/** The furnisher takes its account off the file, or back, or changes its terms. */
const drawnOpeningChange: fc.Arbitrary<DrawnCorrection> = fc
  .record({ correction: drawnCorrection, voids: fc.boolean(), last: fc.boolean() })
  .map(({ correction, voids, last }) => ({
    ...correction,
    target: last ? { from_last: 0 } : 'OPENING',
    change: voids ? { to: 'VOID' } : { to: 'TERMS', opened_days_later: undefined },
    balance_after_minor: voids ? undefined : correction.balance_after_minor,
  }));
const drawnItem: fc.Arbitrary<DrawnItem> = fc.oneof(
  { weight: 12, arbitrary: drawnEvent },
  { weight: 5, arbitrary: drawnCorrection },
  { weight: 1, arbitrary: drawnOpeningChange },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('repeat' as const),
      target: fc.nat(12),
      alters: fc.constantFrom('nothing', 'nothing', 'certification', 'balance', 'time'),
    }),
  },
);
const dry_run = fc.constantFrom(false, false, false, false, true);
const drawnStep: fc.Arbitrary<DrawnStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      items: fc.array(drawnItem, { minLength: 1, maxLength: 1 }),
      dry_run,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      items: fc.array(drawnItem, { minLength: 2, maxLength: 4 }),
      dry_run,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('outcome' as const),
      target: drawnTarget,
      filed_since_days_ago: fc.constantFrom(0, 30, 1_000),
      reason: fc.option(
        fc.constantFrom(
          'INCORRECT_STATUS',
          'INCORRECT_DATES',
          'INCORRECT_BALANCE',
          'PAYMENT_REPORTED_LATE',
          'NOT_MY_ACCOUNT',
        ),
        { freq: 3, nil: undefined },
      ),
      replacement: fc.option(fc.oneof(drawnEvent, drawnEvent, fc.constant('TERMS' as const)), {
        freq: 2,
        nil: undefined,
      }),
      again: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('review' as const), under_review: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      days: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(59, 60, 365, 1_000)),
    }),
  },
);

export function drawnHistory(maxSteps: number): fc.Arbitrary<DrawnHistory> {
  const perMille = fc.option(fc.integer({ min: 0, max: 1_000 }), { freq: 2, nil: undefined });
  const back = fc.integer({ min: 0, max: 1_100 });
  return fc.record({
    status: fc.oneof(fc.constant('CURRENT' as const), fc.constantFrom(...UNDERLYING_STATUSES)),
    balance_minor: fc.bigInt({ min: 0n, max: 2n }),
    opened_days_ago: fc.oneof(fc.integer({ min: 200, max: 500 }), fc.constantFrom(20, 2_600)),
    trouble_since: perMille,
    status_since: perMille,
    steps: fc.array(drawnStep, { maxLength: maxSteps, size: 'max' }),
    looks_back: fc.array(fc.tuple(back, fc.oneof(fc.constant(0), back)), { maxLength: 3 }),
  });
}

// --- what is compared

export interface Snapshot {
  readonly records: readonly {
    readonly effect: string;
    readonly superseded_by: string | undefined;
    readonly resulting_status: AccountStatus | undefined;
  }[];
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
  readonly first_delinquency_at_ms: number | undefined;
  /** Days past due and bucket, now and 45 days later. */
  readonly past_due: readonly { readonly days: number; readonly bucket: Bucket }[];
  /** Those that have not left the file: start, end, and days past due at the latest. */
  readonly spells: readonly (readonly [number, number | undefined, number])[];
}

/** An account as of a past moment. */
export type PastSnapshot = Pick<
  Snapshot,
  | 'status'
  | 'underlying_status'
  | 'voided'
  | 'balance_minor'
  | 'closed_at_ms'
  | 'network_review'
  | 'furnisher_disputed_since_ms'
  | 'opened_at_ms'
  | 'payments'
> & { readonly spells: readonly (readonly [number, number | undefined])[] };

export interface Moment {
  readonly as_of_ms: number;
  readonly known_at_ms: number;
}

function pastOf(told: Told, moment: Moment): PastSnapshot | undefined {
  const is = foldAt(told, moment);
  return (
    is && {
      status: is.status,
      underlying_status: is.underlying_status,
      voided: is.voided,
      balance_minor: is.balance_minor,
      closed_at_ms: is.closed_at_ms,
      network_review: is.network_review,
      furnisher_disputed_since_ms: is.furnisher_disputed_since_ms,
      opened_at_ms: is.opened_at_ms,
      payments: is.payments,
      spells: is.spells
        .filter(({ ended_at_ms }) => !isOver(ended_at_ms, moment.as_of_ms))
        .map(({ started_at_ms, ended_at_ms }) => [started_at_ms, ended_at_ms]),
    }
  );
}

export const LOOKS_AFTER_MS = [0, 45 * DAY_MS] as const;

/** True for a spell that ended too long ago for anyone to ask. */
export function isOver(ended_at_ms: number | undefined, now_ms: number): boolean {
  return ended_at_ms !== undefined && ended_at_ms < now_ms - 7 * 365 * DAY_MS;
}

export function snapshotOf(told: Told, now_ms: number): Snapshot {
  const { head_ms: _head, records, spells, ...account }: Folded = fold(told);
  const last = spells.at(-1);
  return {
    ...account,
    records: records.map(({ effect, superseded_by, resulting_status }) => ({
      effect,
      superseded_by,
      resulting_status,
    })),
    first_delinquency_at_ms: last?.started_at_ms,
    past_due: LOOKS_AFTER_MS.map((after_ms) => {
      const days =
        last !== undefined && last.ended_at_ms === undefined ? daysOf(last, now_ms + after_ms) : 0;
      return { days, bucket: bucketOfDays(days) };
    }),
    spells: spells
      .filter(({ ended_at_ms }) => !isOver(ended_at_ms, now_ms))
      .map((spell) => [spell.started_at_ms, spell.ended_at_ms, daysOf(spell, now_ms)]),
  };
}

// --- how both are led

/** What was answered; the ids of what is on record since, in the order of the request. */
export interface Reply {
  readonly answer: Answer;
  readonly ids: readonly string[];
}

/** The record as it is told to someone who keeps it. */
export interface Product {
  open(opening: ModelOpening, now_ms: number): Promise<string>;
  report(
    events: readonly EventDraft[],
    how: { readonly batch: boolean; readonly dry_run: boolean },
    now_ms: number,
  ): Promise<Reply>;
  settle(
    wanted: WantedOutcome,
    now_ms: number,
  ): Promise<{ answer: Answer; correction_id: string | undefined; linked: boolean }>;
  /** The event that did it; undefined when nothing was to be done. */
  review(
    under_review: boolean,
    change_id: string,
    now_ms: number,
  ): Promise<{ answer: Answer; id: string | undefined }>;
  snapshot(now_ms: number): Promise<Snapshot>;
  /** Null when it was not open or not known then. */
  past(moment: Moment, now_ms: number): Promise<PastSnapshot | undefined>;
  /** Disputes whose outcome was put to an end, in the order of the certified events. */
  reinserted(): Promise<readonly string[]>;
}

/** What became of the histories, to tell that they came by everything. */
export type Tally = Map<string, number>;

/** Leads both through the history; `expect` compares after every step. */
export async function follow(
  history: DrawnHistory,
  product: Product,
  tools: {
    readonly uuid: (number: number) => string;
    readonly agree: (product: unknown, model: unknown, step: string) => void;
    readonly tally: Tally;
    /** After every step or at the end only. */
    readonly everyStep: boolean;
  },
): Promise<Told> {
  let now_ms = BEGUN_AT_MS;
  let numbered = 0;
  const nextUuid = () => {
    numbered += 1;
    return tools.uuid(numbered);
  };
  const opening = openingOf(history, now_ms);
  let told = begin(opening, await product.open(opening, now_ms), now_ms);
  const reinserted: string[] = [];
  const compare = async (step: string) => {
    tools.agree(await product.snapshot(now_ms), snapshotOf(told, now_ms), step);
  };
  await compare('open');
  const count = (what: string) => tools.tally.set(what, (tools.tally.get(what) ?? 0) + 1);
  const asked: WantedOutcome[] = [];
  for (const [number, step] of history.steps.entries()) {
    const name = `${number} ${step.kind}`;
    // A little time passes between any two things that are said.
    now_ms += step.kind === 'wait' ? step.days * DAY_MS : 1_000;
    switch (step.kind) {
      case 'wait':
        break;
      case 'report': {
        const events = step.items.map((item, index) =>
          eventOf(item, told, now_ms, `ref ${number}.${index}`),
        );
        const { dry_run } = step;
        const batch = step.items.length > 1;
        const reply = await product.report(events, { batch, dry_run }, now_ms);
        const decided = decideAll(told, events, now_ms, reply.ids);
        tools.agree(reply.answer, decided.answer, name);
        count(`${dry_run ? 'dry ' : ''}${batch ? 'batch' : 'event'} ${decided.answer}`);
        if (dry_run) break;
        if (decided.told !== told) {
          for (const { corrected_terms, event_type } of events) {
            if (corrected_terms !== undefined) count('terms corrected');
            else if (event_type === 'CORRECTION') count('corrected');
          }
        }
        reinserted.push(...decided.reinserted);
        for (const _ of decided.reinserted) count('reinserted');
        const wasVoid = fold(told).voided;
        told = decided.told;
        if (wasVoid !== fold(told).voided) count(wasVoid ? 'account revived' : 'account void');
        break;
      }
      case 'outcome': {
        if (step.target !== 'OPENING' && told.said.length === 1) break;
        const last = asked.at(-1);
        const wanted: WantedOutcome =
          step.again && last !== undefined ? last : outcomeOf(step, told, now_ms, nextUuid());
        asked.push(wanted);
        const reply = await product.settle(wanted, now_ms);
        const decided = settle(told, wanted, now_ms, reply.correction_id ?? 'none');
        const { answer, correction_id, linked } = decided;
        const isSettled = answer === 'ACCEPTED' || answer === 'REPEATED';
        tools.agree(
          reply,
          {
            answer: isSettled ? 'ACCEPTED' : answer,
            correction_id: isSettled ? correction_id : undefined,
            linked,
          },
          name,
        );
        const how = linked
          ? ' linked'
          : wanted.replacement === undefined
            ? ''
            : ' with a replacement';
        count(`outcome ${answer}${how}`);
        // Nor of an outcome that only takes a fact away.
        tools.agree(isSettled || wanted.replacement !== undefined, true, `${name} is possible`);
        told = decided.told;
        break;
      }
      case 'review': {
        const change_id = nextUuid();
        const reply = await product.review(step.under_review, change_id, now_ms);
        const { under_review } = step;
        const decided = review(told, under_review, now_ms, change_id, reply.id ?? 'none');
        tools.agree(
          reply.id === undefined && reply.answer === 'ACCEPTED' ? 'REPEATED' : reply.answer,
          decided.answer,
          name,
        );
        count(`review ${decided.answer}`);
        // Nothing that a furnisher has reported stands in the way of the network.
        tools.agree(['ACCEPTED', 'REPEATED'].includes(decided.answer), true, `${name} is possible`);
        told = decided.told;
        break;
      }
    }
    if (tools.everyStep) await compare(name);
  }
  await compare('end');
  for (const share of history.looks_back) {
    const moment = {
      as_of_ms: now_ms - Math.floor(((now_ms - told.opening.opened_at_ms) * share[0]) / 1_000),
      known_at_ms: now_ms - Math.floor(((now_ms - BEGUN_AT_MS) * share[1]) / 1_000),
    };
    tools.agree(
      await product.past(moment, now_ms),
      pastOf(told, moment),
      `as of ${moment.as_of_ms}, known at ${moment.known_at_ms}`,
    );
  }
  tools.agree(await product.reinserted(), reinserted, 'reinserted');
  return told;
}

function openingOf(drawn: DrawnHistory, now_ms: number): ModelOpening {
  const opened_at_ms = now_ms - drawn.opened_days_ago * DAY_MS;
  const since = (perMille: number | undefined) =>
    perMille === undefined
      ? undefined
      : opened_at_ms + Math.floor((drawn.opened_days_ago * perMille) / 1_000) * DAY_MS;
  const [trouble, status_since_ms] = [since(drawn.trouble_since), since(drawn.status_since)];
  const first_delinquency_at_ms =
    !isAdverse(drawn.status) || (trouble ?? 0) > (status_since_ms ?? Infinity)
      ? undefined
      : trouble;
  const dates: OpeningDates | undefined =
    first_delinquency_at_ms === undefined && status_since_ms === undefined
      ? undefined
      : { first_delinquency_at_ms, status_since_ms };
  const settled = drawn.status === 'PAID' || drawn.status === 'CANCELLED';
  return {
    status: drawn.status,
    principal_minor: 3n,
    balance_minor: settled ? 0n : drawn.balance_minor,
    opened_at_ms,
    dates,
  };
}

function timeOf(at: DrawnTime, told: Told, now_ms: number): number {
  if ('share' in at) {
    const days = Math.floor((now_ms - told.opening.opened_at_ms) / DAY_MS);
    return now_ms - Math.floor((days * at.share) / 1_000) * DAY_MS;
  }
  if ('with_record' in at) {
    return told.said[at.with_record % told.said.length]?.event.occurred_at_ms ?? now_ms;
  }
  return now_ms - at.days_ago * DAY_MS + at.minutes * 60_000;
}

function recordOf({ said }: Told, target: DrawnTarget) {
  const [opening, ...later] = said;
  if (opening === undefined) throw new Error('A history without records.');
  if (target === 'OPENING') return opening;
  const index = 'from_last' in target ? -1 - target.from_last : target.from_first;
  return later.at(index % Math.max(later.length, 1)) ?? opening;
}

const PLAIN = {
  amount_minor: undefined,
  balance_after_minor: undefined,
  source_reference: undefined,
  default_severity: undefined,
  supersedes_event_id: undefined,
  correction_reason: undefined,
  corrected_event_type: undefined,
  corrected_occurred_at_ms: undefined,
  corrected_terms: undefined,
  certification: undefined,
  by_network: false,
} as const;

const NEEDS_AMOUNT: readonly EventType[] = ['PAYMENT_MADE', 'PARTIAL_PAYMENT', 'LIMIT_CHANGED'];

/** The values of a fact of a type; what is required is seldom missing. */
function valuesOf(drawn: DrawnEvent, event_type: EventType) {
  return {
    amount_minor: NEEDS_AMOUNT.includes(event_type) ? drawn.amount_minor : undefined,
    balance_after_minor:
      event_type === 'BALANCE_UPDATED'
        ? (drawn.balance_after_minor ?? 1n)
        : drawn.balance_after_minor,
    default_severity: event_type === 'DEFAULT_REPORTED' ? drawn.default_severity : undefined,
  };
}

function typeOf({ event_type }: DrawnEvent, told: Told): EventType {
  if (typeof event_type === 'string') return event_type;
  const possible = possibleFrom(fold(told).underlying_status);
  return possible[event_type.possible % possible.length] ?? 'ACCOUNT_UPDATED';
}

function replacementType(drawn: DrawnEvent, told: Told): EventType {
  const event_type = typeOf(drawn, told);
  return event_type.startsWith('DISPUTE_') ? 'DELINQUENCY_STARTED' : event_type;
}

function eventOf(item: DrawnItem, told: Told, now_ms: number, reference: string): NewEvent {
  if (item.kind === 'repeat') {
    const known = told.said.filter(
      ({ event }) => event.source_reference !== undefined && !event.by_network,
    );
    const said = known[item.target % Math.max(known.length, 1)];
    if (said !== undefined) return altered(said.event, item.alters);
    const occurred_at_ms = now_ms;
    return { ...PLAIN, event_type: 'ACCOUNT_UPDATED', occurred_at_ms, source_reference: reference };
  }
  const said = {
    ...PLAIN,
    source_reference: item.has_reference ? reference : undefined,
    certification: item.certified ? 'the contract was looked at again' : undefined,
    occurred_at_ms: timeOf(item.at, told, now_ms),
  };
  if (item.kind === 'event') {
    const event_type = typeOf(item, told);
    return { ...said, event_type, ...valuesOf(item, event_type) };
  }
  const target = recordOf(told, item.target);
  const correction: NewEvent = {
    ...said,
    event_type: 'CORRECTION',
    supersedes_event_id: target.id,
    correction_reason: 'entered wrongly',
    balance_after_minor: item.balance_after_minor,
  };
  switch (item.change.to) {
    case 'VOID':
      return correction;
    case 'TERMS':
      return {
        ...correction,
        corrected_terms: termsOf(told, item.change.opened_days_later),
      };
    case 'EVENT': {
      const corrected_event_type = replacementType(item.change.event, told);
      return {
        ...correction,
        ...valuesOf(item.change.event, corrected_event_type),
        corrected_event_type,
        corrected_occurred_at_ms: item.change.moves
          ? timeOf(item.change.event.at, told, now_ms)
          : undefined,
      };
    }
  }
}

function altered(event: NewEvent, alters: DrawnRepeat['alters']): NewEvent {
  switch (alters) {
    case 'nothing':
      return event;
    case 'certification':
      return {
        ...event,
        certification: event.certification === undefined ? 'looked at again' : undefined,
      };
    case 'balance':
      return {
        ...event,
        balance_after_minor: event.balance_after_minor === undefined ? 0n : undefined,
      };
    case 'time':
      return { ...event, occurred_at_ms: event.occurred_at_ms + 1 };
  }
}

function termsOf(told: Told, opened_days_later: number | undefined): NewEvent['corrected_terms'] {
  return opened_days_later === undefined
    ? { original_principal_minor: 4n }
    : { opened_at_ms: told.opening.opened_at_ms + opened_days_later * DAY_MS };
}

function outcomeOf(
  step: DrawnOutcome,
  told: Told,
  now_ms: number,
  dispute_id: string,
): WantedOutcome {
  const { replacement } = step;
  const nothing = {
    corrected_event_type: undefined,
    corrected_occurred_at_ms: undefined,
    amount_minor: undefined,
    balance_after_minor: undefined,
    default_severity: undefined,
    corrected_terms: undefined,
  };
  const corrected_event_type =
    replacement === undefined || replacement === 'TERMS'
      ? undefined
      : replacementType(replacement, told);
  return {
    dispute_id,
    contested_id: recordOf(told, step.target).id,
    filed_since_ms: now_ms - step.filed_since_days_ago * DAY_MS,
    reason: step.reason,
    replacement:
      replacement === undefined
        ? undefined
        : replacement === 'TERMS'
          ? { ...nothing, corrected_terms: { original_principal_minor: 4n } }
          : {
              ...nothing,
              ...valuesOf(replacement, corrected_event_type ?? 'PAYMENT_LATE'),
              corrected_event_type,
              corrected_occurred_at_ms: replacement.has_reference
                ? timeOf(replacement.at, told, now_ms)
                : undefined,
            },
  };
}
