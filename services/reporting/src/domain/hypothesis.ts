// Events that have not happened, applied to accounts that stay as they are.

import { conflict, type ErrorDetail, invalid, isAppError, notFound } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';
import { checkAgainstOpening, checkEvent, type EventRecord } from './event';
import { type Account, openLedger, withTimeline } from './ledger';
import { checkAccount } from './new-account';
import { append, replay, type Timeline } from './timeline';
import type { AccountType, DefaultSeverity, EventType, SubjectType } from './vocabulary';

export const MAX_HYPOTHETICAL_EVENTS = 20;
/** Beside what exists, so that an imagined account cannot crowd a subject's file. */
const NO_LEDGER_ID = 'hypothetical';

/** An event that somebody imagines. */
export interface HypotheticalEvent {
  /** Absent for a new account. */
  readonly account_id?: string | undefined;
  readonly event_type?: EventType | undefined;
  /** Now when absent. */
  readonly occurred_at_ms?: number | undefined;
  /** Of a new account: its principal. */
  readonly amount_minor?: bigint | undefined;
  readonly balance_after_minor?: bigint | undefined;
  readonly default_severity?: DefaultSeverity | undefined;
  /** Of a new account. */
  readonly account_type?: AccountType | undefined;
}

/** What the imagination starts from. */
export interface Ground {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  readonly institution_id: string;
  /** The institution's own accounts with the subject. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Records of those that the events name. */
  readonly histories: ReadonlyMap<string, readonly EventRecord[]>;
  readonly now_ms: number;
  readonly newId: () => string;
}

/** The accounts that would be changed or opened, as they would stand. */
export function imagine(ground: Ground, events: readonly HypotheticalEvent[]): Account[] {
  if (events.length < 1 || events.length > MAX_HYPOTHETICAL_EVENTS) {
    throw invalid('events', `must hold 1 to ${MAX_HYPOTHETICAL_EVENTS} items`);
  }
  const changed = new Map<string, Account>();
  const timelines = new Map<string, Timeline>();
  for (const [index, event] of events.entries()) {
    const path = `events[${index}]`;
    if (event.event_type === 'CORRECTION') {
      throw invalid(`${path}.event_type`, 'cannot be imagined');
    }
    if (event.event_type === 'ACCOUNT_OPENED') {
      const account = opened(ground, event, path);
      changed.set(account.facts.id, account);
      continue;
    }
    const account = named(ground, event, path);
    const { id } = account.facts;
    const before =
      timelines.get(id) ?? replay(ground.histories.get(id) ?? [], isOrganisation(ground));
    const after = happened(ground, account, before, event, path);
    timelines.set(id, after);
    changed.set(id, withTimeline(account, after));
  }
  return [...changed.values()];
}

function isOrganisation({ subject_type }: Ground): boolean {
  return subject_type === 'ORGANISATION';
}

function opened(ground: Ground, event: HypotheticalEvent, path: string): Account {
  const { subject_id, subject_type, institution_id, now_ms, newId } = ground;
  if (event.account_id !== undefined)
    throw invalid(`${path}.account_id`, 'is not for ACCOUNT_OPENED');
  if (event.amount_minor === undefined)
    throw invalid(`${path}.amount`, 'is required for ACCOUNT_OPENED');
  const checked = checkAccount(
    {
      subject_id,
      external_account_id: NO_LEDGER_ID,
      account_type: event.account_type,
      original_principal_minor: event.amount_minor,
      current_balance_minor: event.balance_after_minor,
      opened_at_ms: event.occurred_at_ms ?? now_ms,
    },
    now_ms,
  );
  if (Array.isArray(checked)) throw invalid(under(path, checked));
  const owner = { account_id: newId(), institution_id, subject_type };
  return openLedger(checked, owner, { id: newId(), now_ms }).account;
}

function named(ground: Ground, event: HypotheticalEvent, path: string): Account {
  const { account_id } = event;
  if (account_id === undefined || !isUuid(account_id)) {
    throw invalid(`${path}.account_id`, 'must be the UUID of an account of your own');
  }
  if (event.account_type !== undefined) {
    throw invalid(`${path}.account_type`, 'is for ACCOUNT_OPENED only');
  }
  const account = ground.accounts.get(account_id.toLowerCase());
  if (account === undefined) throw notFound(`${path}: the account does not exist.`);
  return account;
}

function happened(
  { now_ms, newId }: Ground,
  account: Account,
  timeline: Timeline,
  imagined: HypotheticalEvent,
  path: string,
): Timeline {
  const event = checkEvent(
    {
      event_type: imagined.event_type,
      occurred_at_ms: imagined.occurred_at_ms ?? now_ms,
      amount_minor: imagined.amount_minor,
      balance_after_minor: imagined.balance_after_minor,
      default_severity: imagined.default_severity,
      by_network: false,
    },
    now_ms,
  );
  if (Array.isArray(event)) throw invalid(under(path, event));
  const early = checkAgainstOpening(event, account.facts.opened_at_ms);
  if (early.length > 0) throw invalid(under(path, early));
  try {
    return append(timeline, event, { id: newId(), now_ms }).timeline;
  } catch (error) {
    if (!isAppError(error) || error.code !== 'INVALID_STATE_TRANSITION') throw error;
    const { allowed_event_types, existing_id, reason } = error;
    throw conflict(`${path}: ${error.message}`, { allowed_event_types, existing_id, reason });
  }
}

function under(path: string, details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.map((detail) => ({ path: `${path}.${detail.path}`, message: detail.message }));
}
