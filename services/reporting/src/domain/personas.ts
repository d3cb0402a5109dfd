// Fictional borrowers for the sandbox, as a table: what each has behind it, told from the day on which
// it is made. Where a date is a day of a calendar month, and where a number of days, is chosen so that
// the score is the same whenever the persona is made; a test holds that on every day of a year.

import type { ErrorDetail } from '@credit/platform/errors';
import { DAY_MS, dayOf } from './calendar';
import type { EventDraft } from './event';
import type { AccountDraft } from './new-account';
import type { SubjectDraft } from './subject';
import type { AccountStatus, AccountType, DefaultSeverity, EventType, Purpose } from './vocabulary';

/**
 * Who reports about personas. They are of the test environment alone: no institution has these ids,
 * which no clock gives, so that nobody signs in for them, holds a key of theirs or reads their name.
 */
export const FURNISHERS = {
  BANK: '00000000-0000-7000-8000-0000000000a1',
  CARDS: '00000000-0000-7000-8000-0000000000a2',
  MOTORS: '00000000-0000-7000-8000-0000000000a3',
  SUPPLIER: '00000000-0000-7000-8000-0000000000a4',
  SERVICER: '00000000-0000-7000-8000-0000000000a5',
} as const;

/** A fictional furnisher, or the institution that has the persona made. */
type Whose = keyof typeof FURNISHERS | 'CALLER';

/** A day at 00:00 UTC: of the calendar month so many months before, or so many days before. */
type When = { readonly months: number; readonly day: number } | { readonly days: number };

const month = (months: number, day = 1): When => ({ months, day });
const ago = (days: number): When => ({ days });

/** Amounts are in whole units of the account's currency. */
interface PersonaEvent {
  readonly type: EventType;
  readonly at: When;
  readonly amount?: number;
  readonly balance?: number;
  readonly severity?: DefaultSeverity;
}

interface PersonaAccount {
  readonly whose: Whose;
  readonly type: AccountType;
  /** The amount lent, or a line's limit. */
  readonly principal: number;
  readonly opened: When;
  readonly events: readonly PersonaEvent[];
  readonly currency?: string;
  /** When it is first reported; what was lent unless given. */
  readonly balance?: number;
  /** Of debt that is taken over in trouble. */
  readonly status?: AccountStatus;
  readonly first_delinquency?: When;
  readonly status_since?: When;
}

interface PersonaInquiry {
  readonly whose: Whose;
  readonly purpose: Purpose;
  readonly at: When;
}

interface PersonaRecord {
  readonly accounts: readonly PersonaAccount[];
  readonly inquiries?: readonly PersonaInquiry[];
  readonly organisation?: true;
}

/** What a caller may ask of a persona that has it. */
export interface PersonaOptions {
  readonly days_past_due?: number | undefined;
  readonly entry_age_days?: number | undefined;
}

interface OptionRule {
  readonly min: number;
  readonly max: number;
}

interface Persona {
  /** The options that it has, with their bounds. */
  readonly options?: Readonly<Partial<Record<keyof PersonaOptions, OptionRule>>>;
  readonly record: (options: PersonaOptions) => PersonaRecord;
}

// --- what recurs

/** A payment on the first of each month from one to another, the balance falling to what is left. */
function monthly(from: number, to: number, amount: number, left: number): PersonaEvent[] {
  return Array.from({ length: from - to + 1 }, (_, index) => ({
    type: 'PAYMENT_MADE',
    at: month(from - index),
    amount,
    balance: left + amount * (from - to - index),
  }));
}

/** The same on a line of which as much is used again. */
function revolving(from: number, to: number, amount: number, balance: number): PersonaEvent[] {
  return monthly(from, to, amount, balance).map((event) => ({ ...event, balance }));
}

const event = (type: EventType, at: When, more: Partial<PersonaEvent> = {}): PersonaEvent => ({
  type,
  at,
  ...more,
});

const card = (more: Partial<PersonaAccount> = {}): PersonaAccount => ({
  whose: 'CARDS',
  type: 'CREDIT_CARD',
  principal: 5_000,
  opened: month(72),
  events: revolving(23, 0, 100, 400),
  ...more,
});

const loan = (more: Partial<PersonaAccount> = {}): PersonaAccount => ({
  whose: 'BANK',
  type: 'TERM_LOAN',
  principal: 12_000,
  opened: month(30),
  events: monthly(29, 0, 300, 3_000),
  ...more,
});

const car = (more: Partial<PersonaAccount> = {}): PersonaAccount => ({
  whose: 'MOTORS',
  type: 'AUTO_LOAN',
  principal: 18_000,
  opened: month(48),
  events: monthly(23, 0, 400, 1_200),
  ...more,
});

/** A loan that went into default months ago and has stayed there since. */
const defaulted = (reported: When): PersonaAccount =>
  loan({
    opened: month(40),
    events: [
      ...monthly(39, 6, 300, 1_800),
      event('PAYMENT_LATE', month(5, 5)),
      event('DELINQUENCY_STARTED', month(4, 5)),
      event('DEFAULT_REPORTED', reported),
    ],
  });

/** A loan that has been delinquent since months. */
const delinquent = (more: readonly PersonaEvent[]): PersonaAccount =>
  loan({
    opened: month(40),
    events: [
      ...monthly(39, 6, 300, 1_800),
      event('PAYMENT_LATE', month(5, 5)),
      event('DELINQUENCY_STARTED', month(4, 5)),
      ...more,
    ],
  });

const HARD_LOOKS: readonly (readonly [Whose, Purpose, number])[] = [
  ['BANK', 'NEW_CREDIT_APPLICATION', 4],
  ['MOTORS', 'NEW_CREDIT_APPLICATION', 9],
  ['CARDS', 'NEW_CREDIT_APPLICATION', 25],
  ['SUPPLIER', 'NEW_CREDIT_APPLICATION', 50],
  ['CARDS', 'CREDIT_LIMIT_INCREASE', 70],
  ['BANK', 'REFINANCING', 110],
  ['SERVICER', 'REFINANCING', 200],
  ['BANK', 'GUARANTOR_ASSESSMENT', 300],
];

/** Days past due, without an option: delinquent since the 5th of last month, which is 30 and not 60. */
function recentDelinquency({ days_past_due }: PersonaOptions): PersonaRecord {
  if (days_past_due === undefined) {
    const trouble = [event('PAYMENT_LATE', month(1, 5)), event('DELINQUENCY_STARTED', month(0))];
    return { accounts: [card(), loan({ events: [...monthly(29, 1, 300, 3_300), ...trouble] })] };
  }
  const trouble = [event('PAYMENT_LATE', ago(days_past_due))];
  if (days_past_due >= 30) trouble.push(event('DELINQUENCY_STARTED', ago(days_past_due - 30)));
  const last = Math.floor(days_past_due / 28) + 1;
  const paid = monthly(29, last, 300, 3_000 + 300 * last);
  return { accounts: [card(), loan({ events: [...paid, ...trouble] })] };
}

/** A default of some age that was cured three months after it was reported. */
function curedDefault({ entry_age_days = 1_100 }: PersonaOptions): PersonaRecord {
  const trouble = [
    event('PAYMENT_LATE', ago(entry_age_days)),
    event('DELINQUENCY_STARTED', ago(entry_age_days - 30)),
    event('DEFAULT_REPORTED', ago(entry_age_days - 90), { severity: 'SEVERE' }),
    event('DEFAULT_CURED', ago(entry_age_days - 180)),
  ];
  return {
    accounts: [
      card(),
      loan({ opened: month(100), events: [...monthly(23, 0, 300, 900), ...trouble] }),
    ],
  };
}

const PERSONAS = {
  NO_FILE: { record: () => ({ accounts: [] }) },
  THIN_FILE: {
    record: () => ({ accounts: [card({ opened: month(3), events: revolving(2, 0, 100, 400) })] }),
  },
  LONG_CLEAN: {
    record: () => ({
      accounts: [
        card({ opened: month(130), events: revolving(47, 0, 150, 300) }),
        {
          whose: 'BANK',
          type: 'MORTGAGE',
          principal: 180_000,
          opened: month(120),
          events: monthly(47, 0, 1_000, 62_000),
        },
        car({
          opened: month(66),
          events: [...monthly(60, 19, 400, 400), event('ACCOUNT_PAID', month(18), { amount: 400 })],
        }),
      ],
    }),
  },
  ALL_CLOSED: {
    record: () => ({
      accounts: [
        car({
          events: [...monthly(47, 9, 400, 400), event('ACCOUNT_PAID', month(8), { amount: 400 })],
        }),
        card({
          events: [
            ...revolving(47, 9, 100, 100),
            event('BALANCE_UPDATED', month(8), { balance: 0 }),
            event('ACCOUNT_CLOSED', month(7)),
          ],
        }),
      ],
    }),
  },
  HIGH_USE: {
    record: () => ({
      accounts: [
        card({ events: revolving(23, 0, 100, 4_800) }),
        card({ whose: 'BANK', principal: 2_000, events: revolving(23, 0, 50, 1_950) }),
        card({
          whose: 'BANK',
          type: 'OVERDRAFT',
          principal: 1_000,
          events: revolving(23, 0, 20, 990),
        }),
      ],
    }),
  },
  MANY_INQUIRIES: {
    record: () => ({
      accounts: [card(), loan()],
      inquiries: HARD_LOOKS.map(([whose, purpose, days]) => ({ whose, purpose, at: ago(days) })),
    }),
  },
  LATE_PAYER: {
    record: () => ({
      accounts: [
        card(),
        loan({
          events: [
            ...monthly(29, 0, 300, 3_000),
            ...[5, 3, 1].flatMap((months) => [
              event('PAYMENT_LATE', month(months, 5)),
              event('ACCOUNT_CURRENT', month(months, 15)),
            ]),
          ],
        }),
      ],
    }),
  },
  RECENT_DELINQUENCY: {
    options: { days_past_due: { min: 1, max: 180 } },
    record: recentDelinquency,
  },
  CURED_DEFAULT: {
    options: { entry_age_days: { min: 181, max: 2_555 } },
    record: curedDefault,
  },
  ACTIVE_DEFAULT: { record: () => ({ accounts: [card(), defaulted(month(2, 3))] }) },
  DEFAULT_DURING_APPLICATION: {
    record: () => ({
      accounts: [card(), defaulted(ago(0))],
      inquiries: [{ whose: 'CALLER', purpose: 'NEW_CREDIT_APPLICATION', at: ago(3) }],
    }),
  },
  RESTRUCTURED: {
    record: () => ({
      accounts: [
        card(),
        loan({
          events: [...monthly(29, 0, 300, 3_000), event('ACCOUNT_RESTRUCTURED', month(1, 5))],
        }),
      ],
    }),
  },
  WRITE_OFF: {
    record: () => ({
      accounts: [
        card(),
        loan({
          opened: month(40),
          events: [
            ...monthly(39, 15, 300, 4_500),
            event('PAYMENT_LATE', month(14, 5)),
            event('DELINQUENCY_STARTED', month(13, 5)),
            event('DEFAULT_REPORTED', month(11, 5)),
            event('ACCOUNT_WRITTEN_OFF', month(4, 10)),
          ],
        }),
      ],
    }),
  },
  SETTLED: {
    record: () => ({
      accounts: [
        card(),
        loan({
          opened: month(80),
          events: [
            ...monthly(79, 50, 50, 10_500),
            event('PAYMENT_LATE', ago(1_400)),
            event('DELINQUENCY_STARTED', ago(1_370)),
            event('ACCOUNT_WRITTEN_OFF', ago(1_100)),
            event('PARTIAL_PAYMENT', ago(950), { amount: 4_000, balance: 8_000 }),
            event('ACCOUNT_PAID', ago(900), { amount: 2_000 }),
          ],
        }),
      ],
    }),
  },
  TRANSFERRED: {
    record: () => ({
      accounts: [
        loan({
          principal: 24_000,
          opened: month(60),
          events: [
            ...monthly(59, 25, 300, 13_500),
            event('BALANCE_UPDATED', month(24, 2), { balance: 0 }),
            event('ACCOUNT_CLOSED', month(24, 2)),
          ],
        }),
        loan({
          whose: 'SERVICER',
          principal: 24_000,
          balance: 13_500,
          opened: month(60),
          events: monthly(23, 0, 300, 6_300),
        }),
        card(),
      ],
    }),
  },
  SEVERAL_CURRENCIES: {
    record: () => ({
      accounts: [card({ currency: 'EUR' }), loan({ currency: 'USD' }), car()],
    }),
  },
  ALL_DISPUTED: {
    record: () => ({
      accounts: [
        card({ events: [...revolving(23, 0, 100, 400), event('DISPUTE_OPENED', ago(10))] }),
        delinquent([event('DISPUTE_OPENED', ago(10))]),
      ],
    }),
  },
  DISPUTE_FLAG_ENDS_TOMORROW: {
    record: () => ({
      accounts: [card(), loan({ whose: 'MOTORS' }), delinquent([event('DISPUTE_OPENED', ago(59))])],
    }),
  },
  ENTRY_EXPIRES_TOMORROW: {
    record: () => ({
      accounts: [
        card(),
        car(),
        loan({
          opened: month(100),
          events: [
            event('PAYMENT_LATE', ago(2_555)),
            event('DELINQUENCY_STARTED', ago(2_520)),
            event('DEFAULT_REPORTED', ago(2_400)),
            event('ACCOUNT_WRITTEN_OFF', ago(2_000)),
          ],
        }),
      ],
    }),
  },
  ENTRY_EXPIRED: {
    record: () => ({
      accounts: [
        card(),
        car(),
        loan({
          opened: month(100),
          status: 'WRITTEN_OFF',
          first_delinquency: ago(2_556),
          status_since: ago(2_000),
          events: [],
        }),
      ],
    }),
  },
  YOUR_ACCOUNT: {
    record: () => ({
      accounts: [
        card(),
        loan({
          whose: 'CALLER',
          opened: month(30),
          events: [
            ...monthly(29, 6, 300, 4_800),
            event('PAYMENT_LATE', month(5, 5)),
            event('DELINQUENCY_STARTED', month(4, 5)),
          ],
        }),
      ],
    }),
  },
  ORGANISATION: {
    record: () => ({
      organisation: true,
      accounts: [
        {
          whose: 'SUPPLIER',
          type: 'TRADE_CREDIT',
          principal: 20_000,
          opened: month(60),
          events: monthly(23, 0, 500, 2_000),
        },
        {
          whose: 'BANK',
          type: 'CREDIT_LINE',
          principal: 50_000,
          opened: month(48),
          events: revolving(23, 0, 1_000, 9_000),
        },
        {
          whose: 'MOTORS',
          type: 'LEASE',
          principal: 30_000,
          opened: month(36),
          events: monthly(23, 0, 700, 4_900),
        },
      ],
    }),
  },
} as const satisfies Readonly<Record<string, Persona>>;

export type PersonaName = keyof typeof PERSONAS;

export const PERSONA_NAMES = Object.keys(PERSONAS) as readonly PersonaName[];

/** No persona is larger. */
export const MAX_PERSONA_ACCOUNTS = 5;
export const MAX_PERSONA_EVENTS = 200;
export const MAX_PERSONA_INQUIRIES = 10;

/** Everything that is wrong with what is asked of a persona. */
export function checkOptions(name: PersonaName, options: PersonaOptions): ErrorDetail[] {
  const rules: Persona['options'] = (PERSONAS[name] as Persona).options ?? {};
  return Object.entries(options).flatMap(([path, value]: [string, number | undefined]) => {
    if (value === undefined) return [];
    const rule = rules[path as keyof PersonaOptions];
    if (rule === undefined) return [{ path, message: `is not for ${name}` }];
    const fits = Number.isInteger(value) && value >= rule.min && value <= rule.max;
    return fits ? [] : [{ path, message: `must be between ${rule.min} and ${rule.max}` }];
  });
}

/** What a persona is made of: whose each record is, and what they would have sent. */
export interface PersonaDrafts {
  readonly subject: SubjectDraft;
  readonly accounts: readonly {
    readonly institution_id: string;
    readonly account: Omit<AccountDraft, 'subject_id'>;
    readonly events: readonly EventDraft[];
  }[];
  /** In order of time. */
  readonly inquiries: readonly {
    readonly institution_id: string;
    readonly purpose: Purpose;
    readonly at_ms: number;
  }[];
}

/** For whom, when, and with which ids of its own a persona is made. */
export interface Making {
  readonly institution_id: string;
  readonly now_ms: number;
  readonly game_uuid: string;
  /** Tells this one's names and numbers from all others'. */
  readonly tag: string;
}

/** Lays a persona's record out from a day on. */
export function draftPersona(
  name: PersonaName,
  options: PersonaOptions,
  making: Making,
): PersonaDrafts {
  const record = (PERSONAS[name] as Persona).record(options);
  const at = (when: When) => timeOf(when, making.now_ms);
  const idOf = (whose: Whose) => (whose === 'CALLER' ? making.institution_id : FURNISHERS[whose]);
  return {
    subject: subjectDraft(name, record, making),
    accounts: record.accounts.map((account, index) => ({
      institution_id: idOf(account.whose),
      account: {
        external_account_id: `persona-${making.tag}-${index + 1}`,
        account_type: account.type,
        currency: account.currency,
        original_principal_minor: minorOf(account.principal),
        current_balance_minor: account.balance === undefined ? undefined : minorOf(account.balance),
        opened_at_ms: at(account.opened),
        payment_frequency: 'MONTHLY',
        status: account.status,
        first_delinquency_at_ms: account.first_delinquency && at(account.first_delinquency),
        status_since_ms: account.status_since && at(account.status_since),
      },
      events: account.events.map((said, place) => ({
        event_type: said.type,
        occurred_at_ms: at(said.at),
        amount_minor: said.amount === undefined ? undefined : minorOf(said.amount),
        balance_after_minor: said.balance === undefined ? undefined : minorOf(said.balance),
        default_severity: said.severity,
        source_reference: `persona-${place + 1}`,
        by_network: false,
      })),
    })),
    inquiries: (record.inquiries ?? [])
      .map(({ whose, purpose, at: when }) => ({
        institution_id: idOf(whose),
        purpose,
        at_ms: at(when),
      }))
      .sort((a, b) => a.at_ms - b.at_ms),
  };
}

function subjectDraft(
  name: PersonaName,
  record: PersonaRecord,
  { game_uuid, tag }: Making,
): SubjectDraft {
  const slug = name.toLowerCase().replaceAll('_', '-');
  return record.organisation === true
    ? {
        type: 'ORGANISATION',
        legal_name: `Persona ${tag} Limited`,
        registration_number: `PERSONA-${tag}`,
        trading_name: `${slug}-${tag}`,
        organisation_kind: 'COMPANY',
        confirm_distinct: false,
      }
    : {
        type: 'INDIVIDUAL',
        game_uuid,
        current_username: `${slug}-${tag}`,
        confirm_distinct: false,
      };
}

function timeOf(when: When, now_ms: number): number {
  if ('days' in when) return (dayOf(now_ms) - when.days) * DAY_MS;
  const today = new Date(now_ms);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - when.months, when.day);
}

function minorOf(amount: number): bigint {
  return BigInt(amount) * 100n;
}
