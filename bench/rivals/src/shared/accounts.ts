import { Refused } from './refused.ts';

/** An account as its row is read. */
export interface Account {
  readonly id: string;
  readonly institution_id: string;
  readonly account_type: string;
  readonly status: Status;
  readonly original_principal_minor: number;
  readonly balance_minor: number;
  readonly payments: number;
  readonly late_reports: number;
  readonly version: number;
}

const STATUSES = ['CURRENT', 'DELINQUENT', 'DEFAULTED', 'PAID_OFF'] as const;
export type Status = (typeof STATUSES)[number];

/** From which statuses an event may come, and which follows; without one the status stays. */
const EVENTS = {
  PAYMENT_MADE: { from: ['CURRENT', 'DELINQUENT', 'DEFAULTED'], to: undefined },
  DELINQUENCY_REPORTED: { from: ['CURRENT', 'DELINQUENT'], to: 'DELINQUENT' },
  DELINQUENCY_CURED: { from: ['DELINQUENT'], to: 'CURRENT' },
  DEFAULT_REPORTED: { from: ['CURRENT', 'DELINQUENT'], to: 'DEFAULTED' },
  DEFAULT_CURED: { from: ['DEFAULTED'], to: 'CURRENT' },
  ACCOUNT_PAID_OFF: { from: ['CURRENT', 'DELINQUENT', 'DEFAULTED'], to: 'PAID_OFF' },
} as const satisfies Record<string, { from: readonly Status[]; to: Status | undefined }>;
export type EventType = keyof typeof EVENTS;

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);

/** What a member reports about one account. */
export interface EventCommand {
  readonly event_type: EventType;
  readonly occurred_at: string;
  readonly amount_minor: number | undefined;
  readonly balance_after_minor: number | undefined;
}

/** The account after an event; refuses one that its status does not allow. */
export function applyEvent(account: Account, command: EventCommand, now_ms: number): Account {
  const { event_type, balance_after_minor, occurred_at } = command;
  const { from, to } = EVENTS[event_type];
  if (!(from as readonly Status[]).includes(account.status)) {
    const sentence = `${event_type} cannot follow the status ${account.status}.`;
    throw new Refused(409, 'CONFLICT', sentence);
  }
  if (Date.parse(occurred_at) > now_ms) {
    throw new Refused(422, 'VALIDATION_FAILED', 'occurred_at is in the future.');
  }
  return {
    ...account,
    status: to ?? account.status,
    balance_minor: balance_after_minor ?? account.balance_minor,
    payments: account.payments + (event_type === 'PAYMENT_MADE' ? 1 : 0),
    late_reports: account.late_reports + (to === 'DELINQUENT' || to === 'DEFAULTED' ? 1 : 0),
    version: account.version + 1,
  };
}
