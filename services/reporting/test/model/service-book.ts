// The running service behind the model's questions: real encoding, real statements, a moved clock.

import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@credit/platform/context';
import { toTimestamp } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import { Event } from '@credit/proto/events/v1/events';
import type { NewEvent as ToldEvent } from '@credit/proto/reporting/v1/reporting';
import type { CorrectedAccount, CreditEvent } from '@credit/proto/reporting/v1/types';
import type { EventDraft } from '../../src/domain/event';
import type { CorrectedTerms } from '../../src/domain/terms';
import type { Bucket as BucketName, UnderlyingStatus } from '../../src/domain/vocabulary';
import { type Harness, institution, keyed, newAccount } from '../harness';
import { answerOf } from './domain-book';
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

const administrator = systemContext('live', { actor: { type: 'user', id: randomUUID() } });

/** A value of the protos as the model types it: what it could not be, the comparison would show. */
function nameOf<Name extends string>(value: string): Name {
  return value as Name;
}

function timestamp(at_ms: number | undefined): string | undefined {
  return at_ms === undefined ? undefined : toTimestamp(at_ms);
}

function millis(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}

/** One account at the service. */
export class ServiceBook implements Product {
  private readonly lender: CallContext = institution();
  private account_id = '';
  private subject_id = '';
  /** The last that anyone was told before the history began. */
  private begun_after = NIL_UUID;

  constructor(
    private readonly harness: Harness,
    private readonly agree: (is: unknown, was: unknown) => void,
  ) {}

  /** Its clock stands where the history has come to. */
  private at(now_ms: number): void {
    this.harness.clock.now_ms = () => now_ms;
  }

  async open(opening: ModelOpening, now_ms: number): Promise<string> {
    this.at(now_ms);
    const [last] = await this.harness.rows<{ id: string }>(
      'live',
      'SELECT id FROM outbox ORDER BY id DESC LIMIT 1',
    );
    this.begun_after = last?.id ?? NIL_UUID;
    const account = await newAccount(this.harness.reporting, this.lender, {
      original_principal_minor: opening.principal_minor,
      current_balance_minor: opening.balance_minor,
      opened_at: toTimestamp(opening.opened_at_ms),
      status: opening.status,
      first_delinquency_at: timestamp(opening.dates?.first_delinquency_at_ms),
      status_since: timestamp(opening.dates?.status_since_ms),
    });
    this.account_id = account.id;
    this.subject_id = account.subject_id;
    const [opened] = await this.harness.eventsOf(this.lender, account.id);
    return opened?.id ?? '';
  }

  async report(
    drafts: readonly EventDraft[],
    { batch, dry_run }: { readonly batch: boolean; readonly dry_run: boolean },
    now_ms: number,
  ): Promise<Reply> {
    this.at(now_ms);
    const events = drafts.map((draft) => this.toldEvent(draft));
    if (!dry_run) return this.send(events, batch, dry_run);
    const before = await this.rows();
    const reply = await this.send(events, batch, dry_run);
    this.agree(await this.rows(), before);
    return reply;
  }

  /** All that an event would leave. */
  private rows(): Promise<unknown> {
    return this.harness.rows(
      'live',
      `SELECT accounts::text AS account,
         (SELECT subject_heads::text FROM subject_heads WHERE subject_id = $1) AS head,
         (SELECT array_agg(credit_events::text ORDER BY sequence) FROM credit_events
          WHERE subject_id = $1 AND account_id = $2) AS events,
         (SELECT count(*)::int FROM outbox) AS told,
         (SELECT count(*)::int FROM told_notices) AS notices,
         (SELECT count(*)::int FROM idempotency_records) AS keys
       FROM accounts WHERE subject_id = $1 AND id = $2`,
      [this.subject_id, this.account_id],
    );
  }

  private async send(events: ToldEvent[], batch: boolean, dry_run: boolean): Promise<Reply> {
    const ctx = keyed(this.lender);
    try {
      let recorded: CreditEvent[];
      if (batch)
        ({ events: recorded } = await this.harness.reporting.reportEvents(ctx, {
          events,
          dry_run,
        }));
      else {
        const [event] = events;
        const answer = await this.harness.reporting.reportEvent(ctx, { event, dry_run });
        recorded = answer.event === undefined ? [] : [answer.event];
      }
      // What is rehearsed has no id: the model calls such events by their place.
      return {
        answer: 'ACCEPTED',
        ids: recorded.map(({ id }, index) => (id === NIL_UUID ? `rehearsed ${index}` : id)),
      };
    } catch (error) {
      return { answer: answerOf(error), ids: [] };
    }
  }

  private toldEvent(draft: EventDraft): ToldEvent {
    return {
      credit_account_id: this.account_id,
      event_type: draft.event_type ?? 'UNSPECIFIED',
      occurred_at: timestamp(draft.occurred_at_ms),
      amount_minor: draft.amount_minor ?? undefined,
      balance_after_minor: draft.balance_after_minor ?? undefined,
      source_reference: draft.source_reference ?? undefined,
      default_severity: draft.default_severity ?? undefined,
      supersedes_event_id: draft.supersedes_event_id ?? undefined,
      correction_reason: draft.correction_reason ?? undefined,
      corrected_event_type: draft.corrected_event_type ?? undefined,
      corrected_occurred_at: timestamp(draft.corrected_occurred_at_ms),
      corrected_account: toldTerms(draft.corrected_terms),
      certification: draft.certification ?? undefined,
    };
  }

  async settle({ replacement, ...wanted }: WantedOutcome, now_ms: number) {
    this.at(now_ms);
    try {
      const mended = await this.harness.reporting.correctForDispute(keyed(administrator), {
        dispute_id: wanted.dispute_id,
        credit_event_id: wanted.contested_id,
        filed_since: toTimestamp(wanted.filed_since_ms),
        correction_reason: 'the network’s desk says so',
        reason: wanted.reason ?? undefined,
        replacement:
          replacement === undefined
            ? undefined
            : {
                amount_minor: replacement.amount_minor ?? undefined,
                balance_after_minor: replacement.balance_after_minor ?? undefined,
                default_severity: replacement.default_severity ?? undefined,
                corrected_event_type: replacement.corrected_event_type ?? undefined,
                corrected_occurred_at: timestamp(replacement.corrected_occurred_at_ms),
                corrected_account: toldTerms(replacement.corrected_terms),
              },
      });
      return {
        answer: 'ACCEPTED' as Answer,
        correction_id: mended.correction_event_id,
        linked: mended.linked,
      };
    } catch (error) {
      return { answer: answerOf(error), correction_id: undefined, linked: false };
    }
  }

  async review(under_review: boolean, change_id: string, now_ms: number) {
    this.at(now_ms);
    try {
      const { credit_event_id } = await this.harness.reporting.setNetworkReview(
        keyed(administrator),
        { account_id: this.account_id, under_review, change_id },
      );
      return { answer: 'ACCEPTED' as Answer, id: credit_event_id };
    } catch (error) {
      return { answer: answerOf(error), id: undefined };
    }
  }

  /** The account as its furnisher reads it, and as the other services were last told of it. */
  async snapshot(now_ms: number): Promise<Snapshot> {
    this.at(now_ms);
    const { harness, lender } = this;
    const [account, events, file] = await Promise.all([
      harness.accountNow(lender, this.account_id),
      harness.eventsOf(lender, this.account_id),
      harness.reporting.getSubjectFile(administrator, { subject_id: this.subject_id }),
    ]);
    const told = file.accounts.find(({ account_id }) => account_id === this.account_id);
    if (told === undefined) throw new Error('The projections lack the account.');
    events.sort((a, b) => a.sequence - b.sequence);
    const later = [];
    for (const after_ms of LOOKS_AFTER_MS) {
      this.at(now_ms + after_ms);
      const { days_past_due: days, bucket } = await harness.accountNow(lender, this.account_id);
      later.push({ days, bucket: nameOf<BucketName>(bucket) });
    }
    this.at(now_ms);
    return {
      records: events.map((event) => ({
        effect: nameOf(event.effect),
        superseded_by: event.superseded_by_event_id,
        resulting_status:
          event.resulting_status === undefined ? undefined : nameOf(event.resulting_status),
      })),
      status: nameOf(account.status),
      underlying_status: nameOf(told.underlying_status),
      voided: account.voided,
      balance_minor: account.current_balance_minor,
      credit_limit_minor: told.credit_limit_minor,
      closed_at_ms: millis(account.closed_at),
      furnisher_disputed_since_ms: millis(told.furnisher_disputed_since),
      network_review: told.network_review ?? false,
      opened_at_ms: millis(account.opened_at) ?? 0,
      payments: told.payment_count ?? 0,
      first_delinquency_at_ms: millis(account.first_delinquency_at),
      past_due: later,
      spells: told.episodes
        .filter(({ ended_at }) => !isOver(millis(ended_at), now_ms))
        .map((episode) => [millis(episode.started_at) ?? 0, millis(episode.ended_at), -1]),
    };
  }

  async past({ as_of_ms, known_at_ms }: Moment, now_ms: number): Promise<PastSnapshot | undefined> {
    this.at(now_ms);
    const { accounts } = await this.harness.reporting.getSubjectFileAt(administrator, {
      subject_id: this.subject_id,
      as_of: toTimestamp(as_of_ms),
      known_at: toTimestamp(known_at_ms),
    });
    const [told] = accounts;
    if (told === undefined) return undefined;
    const underlying_status = nameOf<UnderlyingStatus>(told.underlying_status);
    const voided = told.voided ?? false;
    return {
      status: told.disputed && !voided ? 'DISPUTED' : underlying_status,
      underlying_status,
      voided,
      balance_minor: told.balance_minor,
      closed_at_ms: millis(told.closed_at),
      network_review: told.network_review ?? false,
      furnisher_disputed_since_ms: millis(told.furnisher_disputed_since),
      opened_at_ms: millis(told.opened_at) ?? 0,
      payments: told.payment_count ?? 0,
      spells: told.episodes
        .filter(({ ended_at }) => !isOver(millis(ended_at), as_of_ms))
        .map(({ started_at, ended_at }) => [millis(started_at) ?? 0, millis(ended_at)]),
    };
  }

  async reinserted(): Promise<readonly string[]> {
    return (await this.told()).flatMap((payload) =>
      payload?.$case === 'fact_reinserted' ? [payload.value.dispute_id] : [],
    );
  }

  /** The last that other services were told of the account, and what they would read now. */
  async projections() {
    const told = (await this.told()).flatMap((payload) =>
      payload?.$case === 'account_changed' ? [payload.value.account] : [],
    );
    const { accounts } = await this.harness.reporting.getSubjectFile(administrator, {
      subject_id: this.subject_id,
    });
    return { told: told.at(-1), read: accounts[0] };
  }

  private async told() {
    const rows = await this.harness.rows<{ payload: Buffer }>(
      'live',
      'SELECT payload FROM outbox WHERE id > $1 ORDER BY id',
      [this.begun_after],
    );
    return rows.map(({ payload }) => Event.decode(payload).payload);
  }
}

function toldTerms(terms: CorrectedTerms | undefined): CorrectedAccount | undefined {
  if (terms === undefined) return undefined;
  const { original_principal_minor, opened_at_ms } = terms;
  return { original_principal_minor, opened_at: timestamp(opened_at_ms) };
}
