// The one way credit events get on record: single requests that committed together and batches
// alike. However many items there are, the number of statements is the same.

import type { CallContext } from '@credit/platform/context';
import { type Outcome, Overtaken, type Transaction } from '@credit/platform/db';
import { conflict, invalid, notFound } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { isUuid } from '@credit/platform/values';
import { rootOf } from '../domain/correction';
import {
  checkAgainstOpening,
  checkEvent,
  type EventDraft,
  type EventRecord,
  type NewEvent,
  saysTheSame,
} from '../domain/event';
import { type Account, withTimeline } from '../domain/ledger';
import {
  type FileCorrection,
  fileCorrection,
  type Notice,
  type NoticeEnd,
  noticeFor,
} from '../domain/network-event';
import {
  broughtBack,
  certifiedBy,
  isSameDebt,
  reinsertion,
  type Settlement,
  saysWhatIsSuppressed,
  suppressed,
  violated,
} from '../domain/reinsertion';
import { isBackfill, TIMELY_MS } from '../domain/reporting-health';
import { amendedAmong, append, isAtHead, replay, type Timeline } from '../domain/timeline';
import { accountChanged, type EventOfAccount, factsReinserted } from '../messages';
import {
  accountsWithoutId,
  loadOwnAccounts,
  type OwnAccount,
  settledAccounts,
} from '../store/accounts';
import { type Reported, writeEvents, writeOpenings } from '../store/changes';
import {
  eventsByReference,
  historiesOf,
  institutionsOfEvents,
  type OwnedRecord,
} from '../store/events';
import { lockHeadsOfAccounts } from '../store/heads';
import {
  attempt,
  type BatchRequest,
  type Candidate,
  type CommandDeps,
  checkAll,
  decideItem,
} from './batch';
import {
  type FiledCorrection,
  type ToldNotice,
  tellCorrections,
  tellNotices,
} from './tell-notices';

/** One event for one account. */
export interface EventItem {
  readonly account_id: string;
  readonly draft: EventDraft;
}

interface CheckedItem {
  /** Its place in the request. */
  readonly index: number;
  readonly account_id: string;
  readonly event: NewEvent;
}

/**
 * Records the events of several requests. A request's refusal is its own and leaves nothing; the
 * events of an accepted one come back in its order, a repeated source reference as the first event.
 */
export async function recordEvents(
  tx: Transaction,
  deps: CommandDeps,
  requests: readonly BatchRequest<EventItem>[],
): Promise<Outcome<EventOfAccount[]>[]> {
  const now_ms = deps.clock.now_ms();
  const outcomes = new Map<number, Outcome<EventOfAccount[]>>();
  const candidates: Candidate<CheckedItem>[] = [];
  for (const [index, request] of requests.entries()) {
    const checked = attempt(() => checkRequest(request, now_ms));
    if ('error' in checked) outcomes.set(index, checked);
    else candidates.push({ index, request: { ...request, items: checked.value } });
  }
  if (candidates.length > 0) {
    const facts = await loadFacts(tx, candidates);
    const batch = new EventBatch(facts, deps, now_ms);
    for (const { index, request } of candidates) {
      outcomes.set(
        index,
        attempt(() => batch.take(request)),
      );
    }
    await batch.write(tx);
  }
  return requests.map(
    (_request, index) => outcomes.get(index) ?? { error: new Error('A request was not decided.') },
  );
}

function checkRequest(request: BatchRequest<EventItem>, now_ms: number): CheckedItem[] {
  institutionOf(request.ctx);
  const items = checkAll(request.items, request.list, ({ account_id, draft }, index) => {
    const event = checkEvent(draft, now_ms);
    const details = Array.isArray(event) ? event : [];
    if (!isUuid(account_id)) {
      return [{ path: 'credit_account_id', message: 'must be a UUID' }, ...details];
    }
    return Array.isArray(event) ? details : { index, account_id, event };
  });
  // They take effect as they happened; what happened at the same time, in the order given.
  return items.sort((a, b) => a.event.occurred_at_ms - b.event.occurred_at_ms);
}

// --- reading

/** Everything that the decisions of a batch look at. */
interface Facts {
  /** By id; another institution's are left out. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Subjects' versions, locked. */
  readonly heads: ReadonlyMap<string, number>;
  /** By account id; of those accounts only that take events elsewhere than at their head. */
  readonly histories: ReadonlyMap<string, readonly EventRecord[]>;
  /** Events on record under a source reference, by {@link referenceKey}. */
  readonly references: ReadonlyMap<string, EventRecord>;
  /** Institutions of superseded events that are not on the account they were named for. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Accounts off the file whose external id is another's by now. */
  readonly without_id: ReadonlySet<string>;
  /** Accounts about which disputes have settled something, where terms are to be corrected. */
  readonly settled: readonly Account[];
}

async function loadFacts(
  tx: Transaction,
  candidates: readonly Candidate<CheckedItem>[],
): Promise<Facts> {
  // Sent together, the lock first: what the server reads after it cannot change until the commit.
  const wanted = ownAccounts(candidates);
  const [heads, loaded] = await Promise.all([
    lockHeadsOfAccounts(tx, wanted),
    loadOwnAccounts(tx, wanted),
  ]);
  const accounts = withLockedSubject(loaded, heads);
  const references = await loadReferences(tx, candidates, accounts);
  const histories = await loadHistories(tx, candidates, accounts);
  const elsewhere = await loadElsewhere(tx, candidates, histories);
  const openings = await loadOpeningFacts(tx, candidates, accounts);
  return { accounts, heads, histories, references, elsewhere, ...openings };
}

/** What only corrections of openings ask for. */
async function loadOpeningFacts(
  tx: Transaction,
  candidates: readonly Candidate<CheckedItem>[],
  accounts: ReadonlyMap<string, Account>,
): Promise<Pick<Facts, 'without_id' | 'settled'>> {
  const corrections = itemsOf(candidates).filter(({ event }) => event.event_type === 'CORRECTION');
  const corrected = corrections.flatMap(({ account_id, event }) => {
    const account = accounts.get(account_id);
    return account === undefined ? [] : [{ account, event }];
  });
  const voided = corrected.filter(({ account }) => account.state.voided);
  const changed = corrected.filter(({ event }) => event.corrected_terms !== undefined);
  return {
    without_id:
      voided.length === 0
        ? new Set()
        : await accountsWithoutId(
            tx,
            voided.map(({ account }) => account),
          ),
    settled:
      changed.length === 0
        ? []
        : await settledAccounts(
            tx,
            changed.map(({ account }) => account.facts.subject_id),
            changed.map(({ account }) => account.facts.institution_id),
          ),
  };
}

/** An account that was moved or opened while the lock was waited for is of a subject that is not locked. */
function withLockedSubject(
  accounts: ReadonlyMap<string, Account>,
  heads: ReadonlyMap<string, number>,
): ReadonlyMap<string, Account> {
  for (const { facts } of accounts.values()) {
    if (!heads.has(facts.subject_id)) throw new Overtaken();
  }
  return accounts;
}

function itemsOf(candidates: readonly Candidate<CheckedItem>[]): CheckedItem[] {
  return candidates.flatMap(({ request }) => request.items);
}

function ownAccounts(candidates: readonly Candidate<CheckedItem>[]): OwnAccount[] {
  const wanted = new Map<string, OwnAccount>();
  for (const { request } of candidates) {
    const institution_id = institutionOf(request.ctx);
    for (const { account_id } of request.items) {
      wanted.set(`${account_id}:${institution_id}`, { account_id, institution_id });
    }
  }
  return [...wanted.values()];
}

function referenceKey(account_id: string, source_reference: string): string {
  return `${account_id}:${source_reference}`;
}

async function loadReferences(
  tx: Transaction,
  candidates: readonly Candidate<CheckedItem>[],
  accounts: ReadonlyMap<string, Account>,
): Promise<Map<string, EventRecord>> {
  const wanted = itemsOf(candidates).flatMap(({ account_id, event }) => {
    const account = accounts.get(account_id);
    if (account === undefined || event.source_reference === undefined) return [];
    const { subject_id } = account.facts;
    return [{ subject_id, account_id, source_reference: event.source_reference }];
  });
  const known = new Map<string, EventRecord>();
  if (wanted.length === 0) return known;
  for (const { account_id, record } of await eventsByReference(tx, wanted)) {
    known.set(referenceKey(account_id, record.source_reference ?? ''), record);
  }
  return known;
}

async function loadHistories(
  tx: Transaction,
  candidates: readonly Candidate<CheckedItem>[],
  accounts: ReadonlyMap<string, Account>,
): Promise<Map<string, EventRecord[]>> {
  const needed = new Map<string, { subject_id: string; account_id: string }>();
  // Where each head will be after the items before.
  const heads = new Map<string, Pick<Account['state'], 'head'>>();
  for (const { account_id, event } of itemsOf(candidates)) {
    const account = accounts.get(account_id);
    if (account === undefined) continue;
    const state = heads.get(account_id) ?? account.state;
    if (isAtHead(state, event) && !needsHistory(account)) {
      const { sequence } = state.head;
      heads.set(account_id, { head: { occurred_at_ms: event.occurred_at_ms, sequence } });
    } else {
      needed.set(account_id, { subject_id: account.facts.subject_id, account_id });
    }
  }
  return needed.size === 0 ? new Map() : historiesOf(tx, [...needed.values()]);
}

/** Beside events that are not at the head: what earlier rules folded, and what must not return. */
function needsHistory({ is_stale, settlements, state }: Account): boolean {
  return (
    is_stale ||
    state.suppression === 'EVENTS' ||
    settlements.some(({ reinserted_event_id }) => reinserted_event_id === undefined)
  );
}

async function loadElsewhere(
  tx: Transaction,
  candidates: readonly Candidate<CheckedItem>[],
  histories: ReadonlyMap<string, readonly EventRecord[]>,
): Promise<Map<string, string>> {
  const missing = itemsOf(candidates).flatMap(({ account_id, event }) => {
    const { supersedes_event_id } = event;
    const records = histories.get(account_id) ?? [];
    const isHere = records.some((record) => record.id === supersedes_event_id);
    return supersedes_event_id === undefined || isHere ? [] : [supersedes_event_id];
  });
  return missing.length === 0 ? new Map() : institutionsOfEvents(tx, missing);
}

// --- deciding and writing

interface Change {
  readonly request: BatchRequest<unknown>;
  readonly account: Account;
  /** The account's last event of the request. */
  readonly credit_event_id: string;
}

/** A certified event that reports again what disputes had taken away. */
interface Reinserted {
  readonly account: Account;
  readonly ended: readonly Settlement[];
  readonly record: EventRecord;
}

/** One request's changes, thrown away when one of its items is refused. */
class Draft {
  readonly timelines = new Map<string, Timeline>();
  readonly accounts = new Map<string, Account>();
  readonly references = new Map<string, EventRecord>();
  readonly recorded = new Map<string, OwnedRecord>();
  readonly amended = new Map<string, OwnedRecord>();
  readonly lastEvent = new Map<string, string>();
  readonly notices: { account_id: string; notice: Notice | NoticeEnd }[] = [];
  readonly corrections: { account_id: string; correction: FileCorrection }[] = [];
  readonly reinserted: Reinserted[] = [];
  /** Of these and the corrections among them the institution's health speaks. */
  measured_events = 0;
  timely_events = 0;
  correction_halves = 0;
}

/** Decides requests one after another, each upon what the ones before left. */
class EventBatch {
  private readonly timelines = new Map<string, Timeline>();
  private readonly references: Map<string, EventRecord>;
  private readonly heads: Map<string, number>;
  private readonly accounts: Map<string, Account>;
  private readonly changedHeads = new Map<string, number>();
  private readonly changedAccounts = new Map<string, Account>();
  private readonly recorded = new Map<string, OwnedRecord>();
  private readonly amended = new Map<string, OwnedRecord>();
  private readonly changes: Change[] = [];
  private readonly notices: ToldNotice[] = [];
  private readonly corrections: FiledCorrection[] = [];
  private readonly reinserted: (Reinserted & { ctx: CallContext })[] = [];
  private readonly changedOpenings = new Map<string, Account>();
  private readonly reported = new Map<string, Reported>();

  constructor(
    private readonly facts: Facts,
    private readonly deps: CommandDeps,
    private readonly now_ms: number,
  ) {
    this.accounts = new Map(facts.accounts);
    this.references = new Map(facts.references);
    this.heads = new Map(facts.heads);
  }

  take(request: BatchRequest<CheckedItem>): EventOfAccount[] {
    const draft = new Draft();
    const institution_id = institutionOf(request.ctx);
    const events = new Map(
      request.items.map((item) => [
        item.index,
        decideItem(request.list, item.index, () => this.decide(draft, item, institution_id)),
      ]),
    );
    this.keep(draft, request);
    return [...events.keys()].sort((a, b) => a - b).flatMap((index) => events.get(index) ?? []);
  }

  private decide(draft: Draft, item: CheckedItem, institution_id: string): EventOfAccount {
    const { account_id, event } = item;
    const account = draft.accounts.get(account_id) ?? this.accounts.get(account_id);
    if (account?.facts.institution_id !== institution_id) {
      throw notFound('The account does not exist.');
    }
    const { subject_id, opened_at_ms } = account.facts;
    const details = checkAgainstOpening(event, opened_at_ms);
    if (details.length > 0) throw invalid(details);
    const reference =
      event.source_reference === undefined
        ? undefined
        : referenceKey(account_id, event.source_reference);
    const known =
      reference === undefined
        ? undefined
        : (draft.references.get(reference) ?? this.references.get(reference));
    if (known !== undefined) {
      if (saysTheSame(event, known)) return { subject_id, account_id, record: known };
      throw conflict(`source_reference was used for another event, ${known.id}.`, {
        reason: 'SOURCE_REFERENCE_TAKEN',
        existing_id: known.id,
      });
    }
    const before = draft.timelines.get(account_id) ?? this.timelineOf(account);
    this.checkSuperseded(event, before, institution_id);
    const stamp = { id: this.deps.newId(), now_ms: this.now_ms };
    const { timeline, record, amended, ends } = append(before, event, stamp);
    const changed = this.checkOutcomes(draft, withTimeline(account, timeline), before, timeline);
    draft.timelines.set(account_id, timeline);
    draft.accounts.set(account_id, changed);
    draft.lastEvent.set(account_id, record.id);
    if (reference !== undefined) draft.references.set(reference, record);
    draft.recorded.set(record.id, { subject_id, account_id, record });
    for (const derived of amended) {
      draft.amended.set(derived.id, { subject_id, account_id, record: derived });
    }
    measure(draft, record, before, account.facts.created_at_ms);
    const notice = noticeFor(record, timeline.history?.records, timeline.state);
    for (const told of notice === undefined ? ends : [...ends, notice]) {
      draft.notices.push({ account_id, notice: told });
    }
    const correction = fileCorrection(
      record,
      timeline.history?.records ?? [],
      timeline.state,
      record.by_network,
    );
    if (correction !== undefined) draft.corrections.push({ account_id, correction });
    return { subject_id, account_id, record };
  }

  private timelineOf(account: Account): Timeline {
    const known = this.timelines.get(account.facts.id);
    if (known !== undefined) return known;
    const records = this.facts.histories.get(account.facts.id);
    if (records === undefined) {
      return { state: account.state, version: account.version, history: undefined };
    }
    const replayed = replay(records, account.state.organisation);
    if (replayed.version !== account.version) {
      throw new Error(`Account ${account.facts.id} has ${replayed.version} events on record.`);
    }
    if (account.is_stale) this.amendStale(account, records, replayed);
    return replayed;
  }

  /** The account is folded anew by the way, and what follows from it is written with the rest. */
  private amendStale(account: Account, records: readonly EventRecord[], replayed: Timeline): void {
    const { subject_id, id: account_id } = account.facts;
    for (const record of amendedAmong(records, replayed)) {
      if (!this.amended.has(record.id)) {
        this.amended.set(record.id, { subject_id, account_id, record });
      }
    }
  }

  /** 409 for what an outcome has settled, unless it is certified: then nothing is settled any more. */
  private checkOutcomes(
    draft: Draft,
    account: Account,
    before: Timeline,
    { history }: Timeline,
  ): Account {
    const record = history?.records.at(-1);
    if (history === undefined || record === undefined || record.by_network) return account;
    const { id } = account.facts;
    if (before.state.voided && !account.state.voided && this.facts.without_id.has(id)) {
      throw conflict(`external_account_id ${account.facts.external_account_id} is taken.`, {
        reason: 'EXTERNAL_ID_TAKEN',
      });
    }
    // Without anything left out nothing can say it, however long the record is.
    const { suppression } = account.state;
    const known = before.history?.records ?? [];
    if (suppression !== undefined && saysWhatIsSuppressed(known, history.records, record)) {
      throw suppressed();
    }
    const ended = [
      ...violated(account.settlements, known, history.records, record),
      ...this.broughtBackBy(record, account),
    ];
    if (ended.length === 0) return account;
    if (record.certification === undefined) throw reinsertion();
    draft.reinserted.push({ account, ended, record });
    return { ...account, settlements: certifiedBy(record, ended, account.settlements) };
  }

  /** An event of another account of one's own is a wrong field, not an unknown event. */
  private checkSuperseded(event: NewEvent, timeline: Timeline, institution_id: string): void {
    const { supersedes_event_id } = event;
    if (supersedes_event_id === undefined) return;
    const isHere = timeline.history?.records.some((record) => record.id === supersedes_event_id);
    if (!isHere && this.facts.elsewhere.get(supersedes_event_id) === institution_id) {
      throw invalid('supersedes_event_id', 'must be an event of the same account');
    }
  }

  /** Terms that are corrected into those of a debt that a dispute took off the file. */
  private broughtBackBy(record: EventRecord, account: Account): readonly Settlement[] {
    if (record.corrected_terms === undefined) return [];
    const { id, subject_id, institution_id } = account.facts;
    const same = this.facts.settled.filter(
      ({ facts }) =>
        facts.id !== id &&
        facts.subject_id === subject_id &&
        facts.institution_id === institution_id &&
        isSameDebt(facts, account.facts),
    );
    return broughtBack(
      same.flatMap(({ settlements }) => settlements),
      account.state.episodes.length > 0,
    );
  }

  private keep(draft: Draft, request: BatchRequest<CheckedItem>): void {
    for (const [account_id, timeline] of draft.timelines) {
      const before = this.accounts.get(account_id);
      const after = draft.accounts.get(account_id);
      const credit_event_id = draft.lastEvent.get(account_id);
      if (before === undefined || after === undefined || credit_event_id === undefined) continue;
      this.timelines.set(account_id, timeline);
      const account: Account = {
        ...after,
        subject_version: this.nextVersion(before.facts.subject_id),
        updated_at_ms: this.now_ms,
      };
      this.accounts.set(account_id, account);
      this.changedAccounts.set(account_id, account);
      if (isOpeningChanged(before, account) || this.changedOpenings.has(account_id)) {
        this.changedOpenings.set(account_id, account);
      }
      this.changes.push({ request, account, credit_event_id });
    }
    this.countReported(institutionOf(request.ctx), draft);
    for (const [key, record] of draft.references) this.references.set(key, record);
    for (const [id, owned] of draft.recorded) this.recorded.set(id, owned);
    for (const [id, owned] of draft.amended) {
      // What this batch has yet to insert is not on record to be amended.
      if (this.recorded.has(id)) this.recorded.set(id, owned);
      else this.amended.set(id, owned);
    }
    for (const { account_id, notice } of draft.notices) {
      const account = this.accounts.get(account_id);
      if (account !== undefined) this.notices.push({ ctx: request.ctx, account, notice });
    }
    for (const { account_id, correction } of draft.corrections) {
      const account = this.accounts.get(account_id);
      if (account !== undefined) this.corrections.push({ ctx: request.ctx, account, correction });
    }
    for (const reinserted of draft.reinserted) {
      this.reinserted.push({ ...reinserted, ctx: request.ctx });
    }
  }

  private countReported(institution_id: string, draft: Draft): void {
    if (draft.measured_events === 0) return;
    const none = { institution_id, events: 0, timely_events: 0, correction_halves: 0 };
    const day = this.reported.get(institution_id) ?? none;
    day.events += draft.measured_events;
    day.timely_events += draft.timely_events;
    day.correction_halves += draft.correction_halves;
    this.reported.set(institution_id, day);
  }

  /** One version per request and account: each is told to the other services once. */
  private nextVersion(subject_id: string): number {
    const version = (this.heads.get(subject_id) ?? 0) + 1;
    this.heads.set(subject_id, version);
    this.changedHeads.set(subject_id, version);
    return version;
  }

  async write(tx: Transaction): Promise<void> {
    writeEvents(tx, {
      now_ms: this.now_ms,
      heads: this.changedHeads,
      accounts: [...this.changedAccounts.values()],
      recorded: [...this.recorded.values()],
      amended: [...this.amended.values()],
      reported: [...this.reported.values()],
    });
    for (const { request, account, credit_event_id } of this.changes) {
      const payload = accountChanged(account, credit_event_id);
      tx.outbox({ partition_key: account.facts.subject_id, payload }, request.ctx);
    }
    writeOpenings(tx, [...this.changedOpenings.values()]);
    const ends = await tellNotices(tx, this.notices, this.now_ms);
    await tellCorrections(tx, this.corrections, ends, this.now_ms);
    for (const { ctx, account, ended, record } of this.reinserted) {
      for (const payload of factsReinserted(account, ended, record)) {
        tx.outbox({ partition_key: account.facts.subject_id, payload }, ctx);
      }
    }
    this.audit(tx);
  }

  private audit(tx: Transaction): void {
    const byRequest = Map.groupBy(this.changes, (change) => change.request);
    for (const [{ ctx, items, list }, changes] of byRequest) {
      const [first] = changes;
      if (first === undefined) continue;
      const entry =
        list === undefined
          ? {
              action: 'event.reported',
              target_type: 'account',
              target_id: first.account.facts.id,
              changes: { credit_event_id: first.credit_event_id },
            }
          : {
              action: 'events.reported',
              target_type: 'batch',
              target_id: ctx.request_id,
              changes: {
                events: items.length,
                accounts: changes.length,
                account_ids: changes.map(({ account }) => account.facts.id),
              },
            };
      tx.audit({ at: toTimestamp(this.now_ms), ...entry }, ctx);
    }
  }
}

/** True when terms, the void or what is settled are others than the row says. */
function isOpeningChanged(before: Account, after: Account): boolean {
  return (
    before.facts !== after.facts ||
    before.state.voided !== after.state.voided ||
    before.settlements !== after.settlements
  );
}

/** What the event says of its institution's reporting. What the network says of it does not count. */
function measure(
  draft: Draft,
  record: EventRecord,
  before: Timeline,
  first_reported_at_ms: number,
): void {
  if (record.by_network) return;
  // A correction belongs where the fact does that it is about, however it is dated itself.
  const fact = rootOf(record, before.history?.records ?? []);
  const opening = fact.event_type === 'ACCOUNT_OPENED';
  if (!opening && isBackfill(fact.occurred_at_ms, first_reported_at_ms)) return;
  draft.measured_events += 1;
  if (record.reported_at_ms - record.occurred_at_ms <= TIMELY_MS) draft.timely_events += 1;
  if (record.event_type !== 'CORRECTION') return;
  const disputed = before.history?.records.some((known) => known.event_type === 'DISPUTE_OPENED');
  draft.correction_halves += disputed ? 2 : 1;
}
