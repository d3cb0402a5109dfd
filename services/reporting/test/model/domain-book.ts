// The pure domain behind the model's questions: what the commands do, without a database.

import { conflict, invalid, isAppError } from '@credit/platform/errors';
import {
  bucketOf,
  daysPastDue,
  episodeDaysPastDue,
  firstDelinquencyAt,
  furnisherDisputedSince,
  shownStatus,
} from '../../src/domain/account';
import {
  checkAgainstOpening,
  checkEvent,
  type EventDraft,
  type EventRecord,
  isCorrectable,
  saysTheSame,
} from '../../src/domain/event';
import { type Account, openLedger, withTimeline } from '../../src/domain/ledger';
import { answeringCorrection, disputedFact, settlementOf } from '../../src/domain/network-outcome';
import { accountKnownAt, stateAt } from '../../src/domain/past';
import { certifiedBy, openAmong, reinsertion, violated } from '../../src/domain/reinsertion';
import { append, isAtHead, replay } from '../../src/domain/timeline';
import {
  isOver,
  LOOKS_AFTER_MS,
  type Moment,
  type PastSnapshot,
  type Product,
  type Reply,
  type Snapshot,
} from './histories';
import type { Answer, ModelOpening, WantedOutcome } from './record-model';

const NETWORK: Omit<EventDraft, 'event_type' | 'occurred_at_ms' | 'source_reference'> = {
  amount_minor: undefined,
  balance_after_minor: undefined,
  default_severity: undefined,
  supersedes_event_id: undefined,
  correction_reason: undefined,
  corrected_event_type: undefined,
  corrected_occurred_at_ms: undefined,
  corrected_terms: undefined,
  certification: undefined,
  by_network: true,
};

export function answerOf(error: unknown): Answer {
  if (!isAppError(error)) throw error;
  return error.reason === 'REINSERTION' ? error.reason : (error.code as Answer);
}

interface Kept {
  readonly account: Account;
  readonly records: readonly EventRecord[];
  readonly reinserted: readonly string[];
}

export class DomainBook implements Product {
  private kept: Kept | undefined;
  private ids = 0;

  private get now(): Kept {
    if (this.kept === undefined) throw new Error('The account is not opened.');
    return this.kept;
  }

  async open(opening: ModelOpening, now_ms: number): Promise<string> {
    const { account, record } = openLedger(
      {
        subject_id: '',
        external_account_id: '',
        account_type: 'TERM_LOAN',
        currency: 'DCR',
        original_principal_minor: opening.principal_minor,
        current_balance_minor: opening.balance_minor,
        interest_rate_bps: undefined,
        interest_type: undefined,
        opened_at_ms: opening.opened_at_ms,
        maturity_at_ms: undefined,
        payment_frequency: undefined,
        status: opening.status,
        metadata_json: '',
        dates: opening.dates,
        certification: undefined,
      },
      { account_id: '', institution_id: '', subject_type: 'INDIVIDUAL' },
      { id: this.nextId(), now_ms },
    );
    this.kept = { account, records: [record], reinserted: [] };
    return record.id;
  }

  async report(
    events: readonly EventDraft[],
    { dry_run }: { readonly dry_run: boolean },
    now_ms: number,
  ): Promise<Reply> {
    try {
      const checked = events.map((draft, index) => {
        const event = checkEvent(draft, now_ms);
        if (Array.isArray(event)) throw invalid(event);
        return { event, index };
      });
      checked.sort((a, b) => a.event.occurred_at_ms - b.event.occurred_at_ms);
      let kept = this.now;
      const ids: string[] = [];
      for (const { event, index } of checked) {
        const taken = this.take(kept, event, now_ms);
        kept = taken.kept;
        ids[index] = taken.id;
      }
      if (!dry_run) this.kept = kept;
      return { answer: 'ACCEPTED', ids };
    } catch (error) {
      return { answer: answerOf(error), ids: [] };
    }
  }

  private take(kept: Kept, draft: EventDraft, now_ms: number): { kept: Kept; id: string } {
    const event = checkEvent(draft, now_ms);
    if (Array.isArray(event)) throw invalid(event);
    const { account, records } = kept;
    const details = checkAgainstOpening(event, account.facts.opened_at_ms);
    if (details.length > 0) throw invalid(details);
    const known = records.find(
      ({ source_reference }) =>
        source_reference !== undefined && source_reference === event.source_reference,
    );
    if (known !== undefined) {
      if (saysTheSame(event, known)) return { kept, id: known.id };
      throw conflict('source_reference was used for another event.', {
        reason: 'CHANGED_MEANWHILE',
      });
    }
    const needsHistory =
      !isAtHead(account.state, event) || openAmong(account.settlements).length > 0;
    const before = needsHistory
      ? replay(records, false)
      : { state: account.state, version: account.version, history: undefined };
    const appended = append(before, event, { id: this.nextId(), now_ms });
    const { timeline, record } = appended;
    const all = [...records, record];
    for (const changed of appended.amended) all[changed.sequence - 1] = changed;
    let changed = withTimeline(account, timeline);
    let { reinserted } = kept;
    if (timeline.history !== undefined) {
      const against = violated(
        account.settlements,
        before.history?.records ?? [],
        timeline.history.records,
        record,
      );
      if (against.length > 0) {
        if (event.certification === undefined) throw reinsertion();
        reinserted = [...reinserted, ...against.map(({ dispute_id }) => dispute_id)];
        const settlements = certifiedBy(record, against, account.settlements);
        changed = { ...changed, settlements };
      }
    }
    return { kept: { account: changed, records: all, reinserted }, id: record.id };
  }

  async settle(wanted: WantedOutcome, now_ms: number) {
    try {
      return this.settled(wanted, now_ms);
    } catch (error) {
      return { answer: answerOf(error), correction_id: undefined, linked: false };
    }
  }

  private settled(wanted: WantedOutcome, now_ms: number) {
    const { account, records } = this.now;
    const done = (correction_id: string | undefined, linked: boolean) => ({
      answer: 'ACCEPTED' as Answer,
      correction_id,
      linked,
    });
    const source_reference = `dispute:${wanted.dispute_id}`;
    const own = records.find((record) => record.source_reference === source_reference);
    if (own !== undefined) return done(own.id, false);
    const known = account.settlements.find(({ dispute_id }) => dispute_id === wanted.dispute_id);
    if (known !== undefined) {
      const linked = records.find(({ id }) => id === known.linked_event_id);
      return done(known.linked_event_id, linked?.by_network === false);
    }
    const contested = records.find(({ id }) => id === wanted.contested_id);
    if (contested === undefined) throw new Error('An unknown event is contested.');
    if (!isCorrectable(contested.event_type)) {
      if (wanted.replacement === undefined) return done(undefined, false);
      throw invalid('correction', 'must be left out');
    }
    const fact = disputedFact(records, contested);
    const ofOpening = fact.root.event_type === 'ACCOUNT_OPENED';
    const { replacement } = wanted;
    if (ofOpening && replacement !== undefined && replacement.corrected_terms === undefined) {
      throw invalid('correction', 'must have corrected_account');
    }
    const linked = answeringCorrection(fact, wanted);
    let correction_id = linked?.id;
    if (correction_id === undefined) {
      const taken = this.take(
        this.now,
        {
          ...NETWORK,
          ...wanted.replacement,
          event_type: 'CORRECTION',
          occurred_at_ms: Math.max(now_ms, account.state.head.occurred_at_ms),
          source_reference,
          supersedes_event_id: fact.correctable.id,
          correction_reason: 'the network’s desk says so',
        },
        now_ms,
      );
      this.kept = taken.kept;
      correction_id = taken.id;
    }
    const settlement = settlementOf(fact, wanted, now_ms, linked);
    const kept = this.now;
    const settlements = [...kept.account.settlements, settlement];
    this.kept = { ...kept, account: { ...kept.account, settlements } };
    return done(correction_id, linked?.by_network === false);
  }

  async review(under_review: boolean, change_id: string, now_ms: number) {
    const { account } = this.now;
    if (account.state.network_review === under_review) {
      return { answer: 'ACCEPTED' as Answer, id: undefined };
    }
    try {
      const { kept, id } = this.take(
        this.now,
        {
          ...NETWORK,
          event_type: under_review ? 'DISPUTE_OPENED' : 'DISPUTE_RESOLVED',
          occurred_at_ms: Math.max(now_ms, account.state.head.occurred_at_ms),
          source_reference: `review:${change_id}`,
        },
        now_ms,
      );
      this.kept = kept;
      return { answer: 'ACCEPTED' as Answer, id };
    } catch (error) {
      return { answer: answerOf(error), id: undefined };
    }
  }

  async snapshot(now_ms: number): Promise<Snapshot> {
    const { account, records } = this.now;
    const { state, facts } = account;
    return {
      records: records.map(({ effect, superseded_by_event_id, resulting_status }) => ({
        effect,
        superseded_by: superseded_by_event_id,
        // An opening keeps its own inside; nobody is shown it while it does not count.
        resulting_status: effect === 'EFFECTIVE' ? resulting_status : undefined,
      })),
      status: shownStatus(state),
      underlying_status: state.underlying_status,
      voided: state.voided,
      balance_minor: state.balance_minor,
      credit_limit_minor: state.credit_limit_minor,
      closed_at_ms: state.closed_at_ms,
      furnisher_disputed_since_ms: furnisherDisputedSince(state),
      network_review: state.network_review,
      opened_at_ms: facts.opened_at_ms,
      payments: state.payment_count,
      first_delinquency_at_ms: firstDelinquencyAt(state),
      past_due: LOOKS_AFTER_MS.map((after_ms) => {
        const days = daysPastDue(state, now_ms + after_ms);
        return { days, bucket: bucketOf(days) };
      }),
      spells: state.episodes
        .filter(({ ended_at_ms }) => !isOver(ended_at_ms, now_ms))
        .map((episode) => [
          episode.started_at_ms,
          episode.ended_at_ms,
          episodeDaysPastDue(episode, now_ms),
        ]),
    };
  }

  async past(moment: Moment): Promise<PastSnapshot | undefined> {
    const { account, records } = this.now;
    const state = stateAt(records, false, moment);
    if (state === undefined) return undefined;
    return {
      status: shownStatus(state),
      underlying_status: state.underlying_status,
      voided: state.voided,
      balance_minor: state.balance_minor,
      closed_at_ms: state.closed_at_ms,
      network_review: state.network_review,
      furnisher_disputed_since_ms: furnisherDisputedSince(state),
      opened_at_ms: accountKnownAt(account, records, moment).facts.opened_at_ms,
      payments: state.payment_count,
      spells: state.episodes
        .filter(({ ended_at_ms }) => !isOver(ended_at_ms, moment.as_of_ms))
        .map(({ started_at_ms, ended_at_ms }) => [started_at_ms, ended_at_ms]),
    };
  }

  async reinserted(): Promise<readonly string[]> {
    return this.now.reinserted;
  }

  /** The same account out of its records alone. */
  replayed() {
    return { replayed: replay(this.now.records, false), kept: this.now };
  }

  private nextId(): string {
    this.ids += 1;
    return uuidOf(this.ids);
  }
}

export function uuidOf(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
