// What the network itself puts on record about a contested account. Each of it is recorded under
// a source reference of its own, so that doing it again has no second effect however late it comes:
// longer than an idempotency key is kept.

import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { type EventDraft, type EventRecord, isCorrectable } from '../domain/event';
import type { Account } from '../domain/ledger';
import { fileCorrection } from '../domain/network-event';
import { answeringCorrection, disputedFact, settlementOf } from '../domain/network-outcome';
import type { Settlement } from '../domain/reinsertion';
import type { CorrectedTerms } from '../domain/terms';
import type { DefaultSeverity, EventType, SuppressionType } from '../domain/vocabulary';
import { loadAccounts } from '../store/accounts';
import { writeOpenings } from '../store/changes';
import { placeOfAccount, placesOfEvents } from '../store/contested-records';
import { type AccountKey, eventsByReference, historiesOf } from '../store/events';
import { lockHeadsOfAccounts } from '../store/heads';
import type { CommandDeps } from './batch';
import { recordEvents } from './record-events';
import { type ToldEnds, tellCorrections } from './tell-notices';

const NOBODY_TOLD: ToldEnds = { voided: new Map(), corrected: new Map() };

/** How an account is to stand. */
export interface SetNetworkReview {
  readonly account_id: string;
  readonly under_review: boolean;
  readonly change_id: string;
}

/**
 * Begins or ends the network's review of an account. Returns the event that did it; undefined when the
 * account stood so already.
 */
export async function setNetworkReview(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: SetNetworkReview,
): Promise<string | undefined> {
  const account_id = uuidFrom('account_id', wanted.account_id);
  const change_id = uuidFrom('change_id', wanted.change_id);
  const place = await placeOfAccount(tx, account_id);
  if (place === undefined) throw notFound('The account does not exist.');
  const key = { account_id, subject_id: place.subject_id };
  const account = await lockedAccount(tx, key, place.institution_id);
  const source_reference = `review:${change_id}`;
  const [known] = await eventsByReference(tx, [{ ...key, source_reference }]);
  if (known !== undefined) return known.record.id;
  if (account.state.network_review === wanted.under_review) return undefined;
  return append(tx, deps, ctx, account, {
    event_type: wanted.under_review ? 'DISPUTE_OPENED' : 'DISPUTE_RESOLVED',
    source_reference,
  });
}

/** What is to be left out of the file for a dispute, or to be back. */
export interface SetSuppression {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly suppressed: boolean;
}

/**
 * Leaves the fact behind an event out of the file, or ends that for good: what comes late then finds
 * that it has been. Returns the event that did it; undefined for an event that is no such fact.
 */
export async function setSuppression(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  wanted: SetSuppression,
): Promise<string | undefined> {
  const dispute_id = uuidFrom('dispute_id', wanted.dispute_id);
  const credit_event_id = uuidFrom('credit_event_id', wanted.credit_event_id);
  const [place] = await placesOfEvents(tx, [credit_event_id]);
  if (place === undefined) throw notFound('The contested event is not on record.');
  const account = await lockedAccount(tx, place, place.institution_id);
  if (!isCorrectable(place.event_type)) return undefined;
  const mark = async (
    event_type: SuppressionType,
    source_reference: string,
    supersedes_event_id: string,
  ) => {
    const [known] = await eventsByReference(tx, [{ ...place, source_reference }]);
    if (known !== undefined) return known.record.id;
    return append(tx, deps, ctx, account, { event_type, source_reference, supersedes_event_id });
  };
  const begun = `dispute:${dispute_id}:suppressed`;
  const suppression_id = await mark('EVENT_SUPPRESSED', begun, credit_event_id);
  return wanted.suppressed
    ? suppression_id
    : mark('EVENT_RESTORED', `dispute:${dispute_id}:restored`, suppression_id);
}

/** What a correction puts in the contested event's place. */
export interface Replacement {
  readonly corrected_event_type?: EventType | undefined;
  readonly corrected_occurred_at_ms?: number | undefined;
  readonly amount_minor?: bigint | undefined;
  readonly balance_after_minor?: bigint | undefined;
  readonly default_severity?: DefaultSeverity | undefined;
  readonly corrected_terms?: CorrectedTerms | undefined;
}

/** Which event to mend, and for whom. */
export interface CorrectForDispute {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly filed_since_ms: number;
  readonly replacement?: Replacement | undefined;
  readonly correction_reason: string;
  /** What the dispute says is wrong. */
  readonly reason?: string | undefined;
}

/** The correction of a contested event; undefined when its type allows none. */
export interface Mending {
  readonly correction_event_id?: string | undefined;
  /** Its furnisher had filed it. */
  readonly linked: boolean;
  readonly account_voided: boolean;
}

/**
 * Mends the fact behind a contested event, whatever its furnisher has made of it since: finds the
 * correction that puts right what was disputed, or appends one to what stands now. From then on the
 * fact is settled.
 */
export async function correctForDispute(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  request: CorrectForDispute,
): Promise<Mending> {
  const wanted = {
    ...request,
    dispute_id: uuidFrom('dispute_id', request.dispute_id),
    credit_event_id: uuidFrom('credit_event_id', request.credit_event_id),
  };
  const [place] = await placesOfEvents(tx, [wanted.credit_event_id]);
  if (place === undefined) throw notFound('The contested event is not on record.');
  const account = await lockedAccount(tx, place, place.institution_id);
  const records = (await historiesOf(tx, [place])).get(place.account_id) ?? [];
  const contested = records.find((record) => record.id === wanted.credit_event_id);
  if (contested === undefined) throw new Error(`Event ${wanted.credit_event_id} is on no record.`);
  const done = mendedAlready(account, records, wanted);
  if (done !== undefined) return done;
  if (!isCorrectable(contested.event_type)) {
    if (wanted.replacement === undefined) {
      return { linked: false, account_voided: false };
    }
    throw invalid('correction', `must be left out: ${contested.event_type} cannot be corrected`);
  }
  const fact = disputedFact(records, contested);
  // Without facts it would take the account off the file, and nobody who gives any means that.
  if (
    fact.root.event_type === 'ACCOUNT_OPENED' &&
    wanted.replacement !== undefined &&
    wanted.replacement.corrected_terms === undefined
  ) {
    throw invalid('correction', 'must have corrected_account for an ACCOUNT_OPENED');
  }
  const linked = answeringCorrection(fact, wanted);
  // What its furnisher had corrected for itself counts from now on as corrected for the dispute.
  const correction =
    linked === undefined ? undefined : fileCorrection(linked, records, account.state, true);
  if (correction !== undefined) {
    const now_ms = deps.clock.now_ms();
    await tellCorrections(tx, [{ ctx, account, correction }], NOBODY_TOLD, now_ms);
  }
  const correction_event_id =
    linked?.id ??
    (await append(tx, deps, ctx, account, {
      ...wanted.replacement,
      event_type: 'CORRECTION',
      source_reference: sourceReferenceOf(wanted),
      supersedes_event_id: fact.correctable.id,
      correction_reason: wanted.correction_reason,
    }));
  await settle(tx, account, settlementOf(fact, wanted, deps.clock.now_ms(), linked));
  return {
    correction_event_id,
    linked: linked?.by_network === false,
    account_voided:
      fact.root.event_type === 'ACCOUNT_OPENED' &&
      (linked === undefined ? wanted.replacement === undefined : fact.standing === undefined),
  };
}

function sourceReferenceOf({ dispute_id }: CorrectForDispute): string {
  return `dispute:${dispute_id}`;
}

/** What this very dispute has done before. */
function mendedAlready(
  { settlements, state }: Account,
  records: readonly EventRecord[],
  wanted: CorrectForDispute,
): Mending | undefined {
  const settlement = settlements.find(({ dispute_id }) => dispute_id === wanted.dispute_id);
  const source_reference = sourceReferenceOf(wanted);
  const own = records.find((record) => record.source_reference === source_reference);
  const account_voided =
    state.voided && settlement?.event_types.includes('ACCOUNT_OPENED') === true;
  if (own !== undefined) {
    if (own.by_network) return { correction_event_id: own.id, linked: false, account_voided };
    throw conflict(`source_reference ${source_reference} was used for another event, ${own.id}.`, {
      reason: 'SOURCE_REFERENCE_TAKEN',
      existing_id: own.id,
    });
  }
  if (settlement === undefined) return undefined;
  const known = records.find(({ id }) => id === settlement.linked_event_id);
  return {
    correction_event_id: settlement.linked_event_id,
    linked: known?.by_network === false,
    account_voided,
  };
}

/** Keeps what is settled with the account: what goes against it is refused from then on. */
async function settle(tx: Transaction, { facts }: Account, settlement: Settlement): Promise<void> {
  const key = { account_id: facts.id, subject_id: facts.subject_id };
  // As the correction has left it.
  const account = (await loadAccounts(tx, [key])).get(facts.id);
  if (account === undefined) throw new Error(`Account ${facts.id} has no row.`);
  writeOpenings(tx, [{ ...account, settlements: [...account.settlements, settlement] }]);
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
  draft: Omit<EventDraft, 'occurred_at_ms' | 'by_network'>,
): Promise<string> {
  const { id: account_id, institution_id } = account.facts;
  // Clocks differ a little: at the head of the timeline nothing can be in the way.
  const occurred_at_ms = Math.max(deps.clock.now_ms(), account.state.head.occurred_at_ms);
  const [outcome] = await recordEvents(tx, deps, [
    {
      ctx: { ...ctx, institution_id },
      items: [{ account_id, draft: { ...draft, occurred_at_ms, by_network: true } }],
    },
  ]);
  if (outcome === undefined) throw new Error('A request was not decided.');
  if ('error' in outcome) throw outcome.error;
  const [recorded] = outcome.value;
  if (recorded === undefined) throw new Error('An event was not recorded.');
  return recorded.record.id;
}
