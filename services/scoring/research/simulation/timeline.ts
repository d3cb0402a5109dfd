// An account's life as a list of dated events, folded into what the model reads: what the
// simulation lives by, and what the laws are tried on. The system of record has its own fold,
// with everything that a real timeline needs; this one knows days only.

import { monthOfDay } from '@credit/scoring/domain/model/calendar';
import type {
  AccountFacts,
  AccountType,
  DefaultSeverity,
  EpisodeFacts,
  PaymentDayFacts,
  UnderlyingStatus,
} from '@credit/scoring/domain/model/facts';

export const LIFE_EVENTS = [
  'PAYMENT_MADE',
  'PAYMENT_LATE',
  'ACCOUNT_CURRENT',
  'DELINQUENCY_STARTED',
  'DELINQUENCY_CURED',
  'DEFAULT_REPORTED',
  'DEFAULT_CURED',
  'ACCOUNT_RESTRUCTURED',
  'ACCOUNT_WRITTEN_OFF',
  'ACCOUNT_PAID',
  'ACCOUNT_CLOSED',
  'BALANCE_UPDATED',
  'LIMIT_CHANGED',
  'DISPUTE_OPENED',
] as const;
export type LifeEventType = (typeof LIFE_EVENTS)[number];

export interface LifeEvent {
  readonly type: LifeEventType;
  readonly day: number;
  /** Of a payment, a new balance or a new limit. */
  readonly amount_minor?: bigint;
  readonly severity?: DefaultSeverity;
}

export interface Life {
  readonly account_id: string;
  readonly institution_id: string;
  readonly account_type: AccountType;
  readonly currency: string;
  readonly original_principal_minor: bigint;
  readonly opened_day: number;
  readonly organisation: boolean;
  /** Ascending by day. */
  readonly events: readonly LifeEvent[];
}

type Moves = Partial<Record<UnderlyingStatus, UnderlyingStatus>>;
type Standing = UnderlyingStatus;

const stay = (...statuses: Standing[]): Moves =>
  Object.fromEntries(statuses.map((status) => [status, status]));
const to = (target: Standing, ...statuses: Standing[]): Moves =>
  Object.fromEntries(statuses.map((status) => [status, target]));

const MOVES: Record<Exclude<LifeEventType, 'DISPUTE_OPENED'>, Moves> = {
  PAYMENT_MADE: stay(
    'CURRENT',
    'PAST_DUE',
    'DELINQUENT',
    'DEFAULTED',
    'RESTRUCTURED',
    'WRITTEN_OFF',
  ),
  PAYMENT_LATE: {
    ...to('PAST_DUE', 'CURRENT', 'RESTRUCTURED'),
    ...stay('PAST_DUE', 'DELINQUENT', 'DEFAULTED'),
  },
  ACCOUNT_CURRENT: to('CURRENT', 'CURRENT', 'PAST_DUE', 'DELINQUENT', 'RESTRUCTURED'),
  DELINQUENCY_STARTED: to('DELINQUENT', 'CURRENT', 'PAST_DUE', 'RESTRUCTURED'),
  DELINQUENCY_CURED: to('CURRENT', 'DELINQUENT'),
  DEFAULT_REPORTED: to('DEFAULTED', 'CURRENT', 'PAST_DUE', 'DELINQUENT', 'RESTRUCTURED'),
  DEFAULT_CURED: to('CURRENT', 'DEFAULTED'),
  ACCOUNT_RESTRUCTURED: to(
    'RESTRUCTURED',
    'CURRENT',
    'PAST_DUE',
    'DELINQUENT',
    'DEFAULTED',
    'RESTRUCTURED',
  ),
  ACCOUNT_WRITTEN_OFF: to(
    'WRITTEN_OFF',
    'CURRENT',
    'PAST_DUE',
    'DELINQUENT',
    'DEFAULTED',
    'RESTRUCTURED',
  ),
  ACCOUNT_PAID: to(
    'PAID',
    'CURRENT',
    'PAST_DUE',
    'DELINQUENT',
    'DEFAULTED',
    'RESTRUCTURED',
    'WRITTEN_OFF',
  ),
  // Of what was paid off or written off it is a formality that changes no standing.
  ACCOUNT_CLOSED: to('CANCELLED', 'CURRENT', 'RESTRUCTURED'),
  BALANCE_UPDATED: stay(
    'CURRENT',
    'PAST_DUE',
    'DELINQUENT',
    'DEFAULTED',
    'RESTRUCTURED',
    'WRITTEN_OFF',
  ),
  LIMIT_CHANGED: stay('CURRENT', 'PAST_DUE', 'DELINQUENT', 'DEFAULTED', 'RESTRUCTURED'),
};

type OpenEpisode = { -readonly [Field in keyof EpisodeFacts]: EpisodeFacts[Field] };

function newEpisode(started_day: number): OpenEpisode {
  return {
    started_day,
    ended_day: undefined,
    past_due_since_day: undefined,
    delinquency_started_day: undefined,
    restructured_day: undefined,
    defaulted_day: undefined,
    default_severity: undefined,
    default_cured_day: undefined,
    written_off_day: undefined,
  };
}

/** The account after its events; undefined when one of them is impossible at its place. */
export function live(life: Life): AccountFacts | undefined {
  let status: UnderlyingStatus = 'CURRENT';
  let balance_minor = life.original_principal_minor;
  let credit_limit_minor: bigint | undefined;
  let disputed = false;
  const episodes: OpenEpisode[] = [];
  const payment_months = new Set<number>();
  const late_months = new Set<number>();
  const payment_days: PaymentDayFacts[] = [];
  let payment_count = 0;
  let settled_day: number | undefined;
  let closed_day: number | undefined;

  const open = (): OpenEpisode | undefined => {
    const last = episodes.at(-1);
    return last?.ended_day === undefined ? last : undefined;
  };
  const inEpisode = (day: number): OpenEpisode => {
    const episode = open() ?? newEpisode(day);
    if (episode !== episodes.at(-1)) episodes.push(episode);
    return episode;
  };
  const endEpisode = (day: number): void => {
    const episode = open();
    if (episode !== undefined) episode.ended_day = day;
  };

  for (const { type, day, amount_minor, severity } of life.events) {
    if (type === 'DISPUTE_OPENED') {
      if (disputed) return undefined;
      disputed = true;
      continue;
    }
    const next: UnderlyingStatus | undefined = MOVES[type][status];
    if (next === undefined) return undefined;
    status = next;
    switch (type) {
      case 'PAYMENT_MADE': {
        payment_count += 1;
        payment_months.add(monthOfDay(day));
        if (life.organisation) {
          const since = open()?.past_due_since_day ?? day;
          payment_days.push({ day, amount_minor: amount_minor ?? 0n, days_past_due: day - since });
        }
        break;
      }
      case 'PAYMENT_LATE':
        late_months.add(monthOfDay(day));
        inEpisode(day).past_due_since_day ??= day;
        break;
      case 'DELINQUENCY_STARTED':
        // Of a step taken twice the later date counts, as for the age of the episode.
        inEpisode(day).delinquency_started_day = day;
        inEpisode(day).past_due_since_day ??= day;
        break;
      case 'DEFAULT_REPORTED':
        inEpisode(day).defaulted_day = day;
        inEpisode(day).default_severity = worse(inEpisode(day).default_severity, severity);
        break;
      case 'ACCOUNT_RESTRUCTURED':
        inEpisode(day).restructured_day = day;
        break;
      case 'ACCOUNT_WRITTEN_OFF':
        inEpisode(day).written_off_day = day;
        break;
      case 'DEFAULT_CURED':
        inEpisode(day).default_cured_day = day;
        endEpisode(day);
        break;
      case 'ACCOUNT_CURRENT':
      case 'DELINQUENCY_CURED':
        endEpisode(day);
        break;
      case 'ACCOUNT_PAID':
        endEpisode(day);
        balance_minor = 0n;
        settled_day = day;
        break;
      case 'ACCOUNT_CLOSED':
        if (balance_minor !== 0n) return undefined;
        endEpisode(day);
        settled_day = day;
        closed_day = day;
        break;
      case 'BALANCE_UPDATED':
        balance_minor = amount_minor ?? balance_minor;
        break;
      case 'LIMIT_CHANGED':
        credit_limit_minor = amount_minor ?? credit_limit_minor;
        break;
      default:
        return impossible(type);
    }
  }
  const { events: _events, organisation: _organisation, ...account } = life;
  return {
    ...account,
    credit_limit_minor,
    balance_minor,
    status,
    disputed,
    furnisher_disputed_since_day: undefined,
    network_review: disputed,
    closed_day,
    settled_day,
    episodes,
    payment_months: [...payment_months],
    payment_count,
    late_months: [...late_months],
    payment_days,
    voided: false,
  };
}

const SEVERITIES: readonly DefaultSeverity[] = ['MINOR', 'MODERATE', 'SEVERE', 'CRITICAL'];

function worse(
  before: DefaultSeverity | undefined,
  now: DefaultSeverity = 'MODERATE',
): DefaultSeverity {
  if (before === undefined) return now;
  return SEVERITIES.indexOf(before) > SEVERITIES.indexOf(now) ? before : now;
}

function impossible(type: never): never {
  throw new TypeError(`unknown event ${String(type)}`);
}
