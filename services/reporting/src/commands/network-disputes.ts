// What the network itself puts on record about a contested account. Each of it is recorded under
// a source reference of its own, so that doing it again has no second effect however late it comes:
// longer than an idempotency key is kept.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound } from '@credit/platform/errors';
import { type EventDraft, isCorrectable, isUuid } from '../domain/event';
import type { Account } from '../domain/ledger';
import type { DefaultSeverity, EventType } from '../domain/vocabulary';
import { loadAccounts } from '../store/accounts';
import { type EventPlace, placeOfAccount, placesOfEvents } from '../store/contested-records';
import { type AccountKey, eventsByReference, historiesOf } from '../store/events';
import { lockHeadsOfAccounts } from '../store/heads';
import type { CommandDeps } from './batch';
import { recordEvents } from './record-events';

const NOTHING_ELSE: Omit<EventDraft, 'event_type' | 'occurred_at_ms' | 'source_reference'> = {
  amount_minor: null,
  balance_after_minor: null,
  default_severity: null,
  supersedes_event_id: null,
  correction_reason: null,
  corrected_event_type: null,
  corrected_occurred_at_ms: null,
  by_network: true,
};

/** How an account is to stand. */
export interface SetNetworkReview {
  readonly account_id: string;
  readonly under_review: boolean;
  readonly change_id: string;
}

/**
 * Begins or ends the network's review of an account. Returns the event that did it; null when the
 * account stood so already.
 */
export async function setNetworkReview(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: SetNetworkReview,
): Promise<string | null> {
  for (const path of ['account_id', 'change_id'] as const) {
    if (!isUuid(wanted[path])) throw invalid(path, 'must be a UUID');
  }
  const place = await placeOfAccount(tx, wanted.account_id);
  if (place === undefined) throw notFound('The account does not exist.');
  const key = { account_id: wanted.account_id, subject_id: place.subject_id };
  const account = await lockedAccount(tx, key, place.institution_id);
  const source_reference = `review:${wanted.change_id}`;
  const [known] = await eventsByReference(tx, [{ ...key, source_reference }]);
  if (known !== undefined) return known.record.id;
  if (account.state.network_review === wanted.under_review) return null;
  return append(tx, deps, ctx, account, {
    ...NOTHING_ELSE,
    event_type: wanted.under_review ? 'DISPUTE_OPENED' : 'DISPUTE_RESOLVED',
    source_reference,
  });
}

/** What a correction puts in the contested event's place. */
export interface Replacement {
  readonly corrected_event_type: EventType | null;
  readonly corrected_occurred_at_ms: number | null;
  readonly amount_minor: bigint | null;
  readonly balance_after_minor: bigint | null;
  readonly default_severity: DefaultSeverity | null;
}

/** Which event to mend, and for whom. */
export interface CorrectForDispute {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly filed_since_ms: number;
  readonly replacement: Replacement | null;
  readonly correction_reason: string;
}

/** The correction of a contested event; null when its type allows none. */
export interface Mending {
  readonly correction_event_id: string | null;
  /** Its furnisher had filed it. */
  readonly linked: boolean;
}

/** Appends a CORRECTION of a contested event, or finds the one filed since it was contested. */
export async function correctForDispute(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: CorrectForDispute,
): Promise<Mending> {
  for (const path of ['dispute_id', 'credit_event_id'] as const) {
    if (!isUuid(wanted[path])) throw invalid(path, 'must be a UUID');
  }
  const [place] = await placesOfEvents(tx, [wanted.credit_event_id]);
  if (place === undefined) throw notFound('The contested event is not on record.');
  const account = await lockedAccount(tx, place, place.institution_id);
  const source_reference = `dispute:${wanted.dispute_id}`;
  const filed = await correctionOnRecord(tx, place, source_reference, wanted);
  if (filed !== undefined) return filed;
  return {
    correction_event_id: await append(tx, deps, ctx, account, {
      ...NOTHING_ELSE,
      ...wanted.replacement,
      event_type: 'CORRECTION',
      source_reference,
      supersedes_event_id: wanted.credit_event_id,
      correction_reason: wanted.correction_reason,
    }),
    linked: false,
  };
}

/** What needs no new correction: it is filed already, or the event's type allows none. */
async function correctionOnRecord(
  tx: Transaction,
  place: EventPlace,
  source_reference: string,
  wanted: CorrectForDispute,
): Promise<Mending | undefined> {
  const records = (await historiesOf(tx, [place])).get(place.account_id) ?? [];
  const own = records.find((record) => record.source_reference === source_reference);
  if (own !== undefined) {
    if (own.by_network) return { correction_event_id: own.id, linked: false };
    throw conflict(`source_reference ${source_reference} was used for another event, ${own.id}.`);
  }
  const contested = records.find((record) => record.id === wanted.credit_event_id);
  if (contested === undefined) throw new Error(`Event ${wanted.credit_event_id} is on no record.`);
  if (!isCorrectable(contested.event_type)) {
    if (wanted.replacement === null) return { correction_event_id: null, linked: false };
    throw invalid('correction', `must be left out: ${contested.event_type} cannot be corrected`);
  }
  if (wanted.replacement !== null) return undefined;
  const by = records.find((record) => record.id === contested.superseded_by_event_id);
  return by !== undefined && by.reported_at_ms >= wanted.filed_since_ms
    ? { correction_event_id: by.id, linked: true }
    : undefined;
}

/** Locks the account's subject: nobody reports about it until the commit. */
async function lockedAccount(
  tx: Transaction,
  { account_id, subject_id }: AccountKey,
  institution_id: string,
): Promise<Account> {
  await lockHeadsOfAccounts(tx, [{ account_id, institution_id }]);
  const account = (await loadAccounts(tx, [{ account_id, subject_id }])).get(account_id);
  if (account === undefined) throw new Error(`Account ${account_id} has no row.`);
  return account;
}

/** Records an event as of now, in the name of the account's institution; returns its id. */
async function append(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  account: Account,
  draft: Omit<EventDraft, 'occurred_at_ms'>,
): Promise<string> {
  const { id: account_id, institution_id } = account.facts;
  // Clocks differ a little: at the head of the timeline nothing can be in the way.
  const occurred_at_ms = Math.max(deps.clock.now_ms(), account.state.head.occurred_at_ms);
  const [outcome] = await recordEvents(tx, deps, [
    {
      ctx: { ...ctx, institution_id },
      items: [{ account_id, draft: { ...draft, occurred_at_ms } }],
      list: null,
    },
  ]);
  if (outcome === undefined) throw new Error('A request was not decided.');
  if ('error' in outcome) throw outcome.error;
  const [recorded] = outcome.value;
  if (recorded === undefined) throw new Error('An event was not recorded.');
  return recorded.record.id;
}
