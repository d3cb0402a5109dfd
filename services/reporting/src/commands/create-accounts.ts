// New accounts, one by one or in batches, in a constant number of statements.

import type { CallContext } from '@credit/platform/context';
import type { Outcome, Transaction } from '@credit/platform/db';
import { AppError, conflict, type ErrorDetail } from '@credit/platform/errors';
import { institutionOf } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import type { EventRecord } from '../domain/event';
import { type Account, openLedger } from '../domain/ledger';
import { noticeFor } from '../domain/network-event';
import { type AccountDraft, checkAccount, type NewAccount } from '../domain/new-account';
import {
  broughtBack,
  certifiedBy,
  isSameDebt,
  openAmong,
  reinsertion,
  type Settlement,
  suppressed,
} from '../domain/reinsertion';
import { standingSubject } from '../domain/standing-subject';
import { type Likenesses, likenessText } from '../domain/subject';
import { isAdverse } from '../domain/vocabulary';
import { accountChanged, factsReinserted } from '../messages';
import {
  claimAccounts,
  externalIdKey,
  holdersOfExternalIds,
  settledAccounts,
} from '../store/accounts';
import { writeAccounts } from '../store/changes';
import { type Head, lockHeads } from '../store/heads';
import { keepOpenings } from '../store/subject-moves';
import {
  attempt,
  type BatchRequest,
  type CommandDeps,
  checkAll,
  decideItem,
  MAX_DETAILS,
} from './batch';
import {
  type Resolved,
  recordCreated,
  resolveSubjects,
  shown,
  subjectIdOf,
} from './resolve-subjects';
import { tellNotices } from './tell-notices';

interface Opened {
  readonly account: Account;
  readonly record: EventRecord;
  /** What a dispute had settled and this account, certified, reports again. */
  readonly reinserted?: readonly Settlement[];
  readonly merged_subject_id?: string | undefined;
}

interface OpenedRequest {
  readonly index: number;
  readonly request: BatchRequest<unknown>;
  readonly opened: readonly Opened[];
}

type Outcomes = Map<number, Outcome<Account[]>>;

/**
 * Creates the accounts of several requests, each with its ACCOUNT_OPENED event. A request of one
 * account that is refused leaves the others alone; one of many must have the transaction to itself,
 * for its refusal may come when part of it is entered, and then has to end the transaction.
 */
export async function createAccounts(
  tx: Transaction,
  deps: CommandDeps,
  requests: readonly BatchRequest<AccountDraft>[],
): Promise<Outcome<Account[]>[]> {
  const now_ms = deps.clock.now_ms();
  const outcomes: Outcomes = new Map();
  const checked = requests.flatMap((request, index) => {
    const items = attempt(() => {
      institutionOf(request.ctx);
      return checkAll(request.items, request.list, (draft) => checkAccount(draft, now_ms));
    });
    if ('value' in items) return [{ index, request: { ...request, items: items.value } }];
    outcomes.set(index, items);
    return [];
  });
  const { known, resolved } = await withSubjects(tx, deps, checked);
  const subject_ids = known.flatMap(({ request }) => request.items.map((item) => item.subject_id));
  // Sent together, the lock first: what the server reads after it cannot change until the commit.
  const [heads, settled] = await Promise.all([
    lockHeads(tx, [...new Set(subject_ids)]),
    subject_ids.length === 0
      ? []
      : settledAccounts(
          tx,
          [...new Set(subject_ids)],
          [...new Set(known.map(({ request }) => request.ctx.institution_id))],
        ),
  ]);
  const opened = known.flatMap(({ index, request }): OpenedRequest[] => {
    const accounts = attempt(() => openAll(request, { heads, settled }, deps, now_ms));
    if ('value' in accounts) return [{ index, request, opened: accounts.value }];
    outcomes.set(index, accounts);
    return [];
  });
  const entered = await enter(tx, opened, outcomes);
  await write(tx, now_ms, numbered(entered, heads), outcomes);
  for (const { ctx, subjects } of resolved) recordCreated(tx, ctx, subjects, now_ms);
  return requests.map(
    (_request, index) => outcomes.get(index) ?? { error: new Error('A request was not decided.') },
  );
}

interface CheckedRequest {
  readonly index: number;
  readonly request: BatchRequest<NewAccount>;
}

interface ResolvedOf {
  readonly ctx: CallContext;
  readonly subjects: readonly Resolved[];
}

/**
 * Finds or creates the subjects that requests describe, before any is locked: batches take
 * identities first, then subjects. Renamings go the other way round; a deadlock with one is run
 * again. One that needs review ends the transaction, which its request has to itself.
 */
async function withSubjects(
  tx: Transaction,
  deps: CommandDeps,
  checked: readonly CheckedRequest[],
): Promise<{ known: CheckedRequest[]; resolved: ResolvedOf[] }> {
  const known: CheckedRequest[] = [];
  const resolved: ResolvedOf[] = [];
  for (const { index, request } of checked) {
    const described = [...request.items.entries()].flatMap(([place, { subject }]) =>
      subject === undefined ? [] : [{ place, subject }],
    );
    const subjects = await resolveSubjects(
      tx,
      deps,
      request.ctx,
      described.map(({ subject }) => subject),
    );
    if (subjects.length > 0) resolved.push({ ctx: request.ctx, subjects });
    const ids = new Map<number, Resolved>();
    const doubts: Doubt[] = [];
    for (const [at, { place }] of described.entries()) {
      const subject = subjects[at];
      if (subject === undefined) throw new Error('A subject was not decided.');
      if (subject.kind === 'needs_review') doubts.push({ place, likenesses: subject.likenesses });
      else ids.set(place, subject);
    }
    if (doubts.length > 0) throw needsReview(request.list ?? '', doubts);
    const items = request.items.map((item, place) => {
      const found = ids.get(place);
      if (found === undefined || found.kind === 'needs_review') return item;
      const merged_subject_id = found.kind === 'existing' ? found.merged_subject_id : undefined;
      return { ...item, subject_id: subjectIdOf(found), subject: undefined, merged_subject_id };
    });
    known.push({ index, request: { ...request, items } });
  }
  return { known, resolved };
}

interface Doubt {
  readonly place: number;
  readonly likenesses: Likenesses;
}

/** 409 that names every item whose subject is for people to decide, and what it looks like. */
function needsReview(list: string, doubts: readonly Doubt[]): AppError {
  const details = doubts.flatMap(({ place, likenesses }) =>
    shown(likenesses).map(
      (likeness): ErrorDetail => ({
        path: `${list}[${place}].subject.${likeness.field}`,
        message: likenessText(likeness),
        existing_id: likeness.subject_id,
      }),
    ),
  );
  const [first] = details;
  return new AppError('INVALID_STATE_TRANSITION', `${first?.path}: ${first?.message}`, {
    reason: 'DUPLICATE_SUBJECT',
    existing_id: first?.existing_id,
    details: details.slice(0, MAX_DETAILS),
  });
}

function openAll(
  request: BatchRequest<NewAccount>,
  { heads, settled }: { heads: ReadonlyMap<string, Head>; settled: readonly Account[] },
  deps: CommandDeps,
  now_ms: number,
): Opened[] {
  const institution_id = institutionOf(request.ctx);
  const external_ids = new Set<string>();
  return request.items.map((item, index) =>
    decideItem(request.list, index, () => {
      const head = standingSubject(heads.get(item.subject_id));
      if (external_ids.has(item.external_account_id)) throw taken(item.external_account_id);
      external_ids.add(item.external_account_id);
      const opened = openLedger(
        item,
        { account_id: deps.newId(), institution_id, subject_type: head.subject.type },
        { id: deps.newId(), now_ms },
      );
      return { ...underOutcomes(opened, settled), merged_subject_id: item.merged_subject_id };
    }),
  );
}

/**
 * What a dispute has settled about a debt holds for it under any number: an account that was taken
 * off the file cannot be opened anew, and one whose trouble is gone not in trouble, unless it is
 * certified. Otherwise the new account takes over what is settled. One that a dispute leaves out is not
 * to be opened anew before that is decided.
 */
function underOutcomes({ account, record }: Opened, settled: readonly Account[]): Opened {
  const { subject_id, institution_id } = account.facts;
  const same = settled.filter(
    ({ facts }) =>
      facts.subject_id === subject_id &&
      facts.institution_id === institution_id &&
      isSameDebt(facts, account.facts),
  );
  if (same.some(({ state }) => state.suppression === 'ACCOUNT')) throw suppressed();
  const settlements = same.flatMap((known) => openAmong(known.settlements));
  if (settlements.length === 0) return { account, record };
  const again = broughtBack(settlements, isAdverse(account.state.underlying_status));
  if (again.length === 0) return { account: { ...account, settlements }, record };
  if (record.certification === undefined) throw reinsertion();
  const certified = certifiedBy(record, again, settlements);
  return { account: { ...account, settlements: certified }, record, reinserted: again };
}

function taken(external_account_id: string, existing_id?: string): AppError {
  const message = `external_account_id ${external_account_id} is taken.`;
  return conflict(message, { reason: 'EXTERNAL_ID_TAKEN', existing_id });
}

/** Enters the accounts in the directory, which decides between two that want the same id. */
async function enter(
  tx: Transaction,
  requests: readonly OpenedRequest[],
  outcomes: Outcomes,
): Promise<OpenedRequest[]> {
  if (requests.length === 0) return [];
  const claimed = await claimAccounts(
    tx,
    requests.flatMap(({ opened }) => opened.map(({ account }) => account.facts)),
  );
  const holders = await holdersOfExternalIds(
    tx,
    requests.flatMap(({ opened }) =>
      opened.flatMap(({ account }) => (claimed.has(account.facts.id) ? [] : [account.facts])),
    ),
  );
  return requests.filter(({ index, request, opened }) => {
    const missing = opened.findIndex(({ account }) => !claimed.has(account.facts.id));
    const refused = opened[missing];
    if (refused === undefined) return true;
    const outcome = attempt(() =>
      decideItem(request.list, missing, (): Account[] => {
        const { facts } = refused.account;
        throw taken(facts.external_account_id, holders.get(externalIdKey(facts)));
      }),
    );
    if (opened.length > 1 && 'error' in outcome) throw outcome.error;
    outcomes.set(index, outcome);
    return false;
  });
}

/** Every account is a change of its subject, with a version of its own. */
function numbered(
  requests: readonly OpenedRequest[],
  heads: ReadonlyMap<string, Head>,
): OpenedRequest[] {
  const versions = new Map([...heads].map(([subject_id, head]) => [subject_id, head.version]));
  return requests.map((request) => ({
    ...request,
    opened: request.opened.map(({ account, ...opened }) => {
      const { subject_id } = account.facts;
      const subject_version = (versions.get(subject_id) ?? 0) + 1;
      versions.set(subject_id, subject_version);
      return { ...opened, account: { ...account, subject_version } };
    }),
  }));
}

async function write(
  tx: Transaction,
  now_ms: number,
  requests: readonly OpenedRequest[],
  outcomes: Outcomes,
): Promise<void> {
  const all = requests.flatMap(({ opened }) => opened);
  writeAccounts(tx, {
    now_ms,
    // A subject's last account has its highest version.
    heads: new Map(all.map(({ account }) => [account.facts.subject_id, account.subject_version])),
    accounts: all.map(({ account }) => account),
    recorded: all.map(({ account, record }) => ({
      subject_id: account.facts.subject_id,
      account_id: account.facts.id,
      record,
    })),
  });
  keepOpenings(
    tx,
    all.flatMap(({ account, merged_subject_id: subject_id }) =>
      subject_id === undefined ? [] : [{ account_id: account.facts.id, subject_id }],
    ),
  );
  for (const { index, request, opened } of requests) {
    for (const { account, record, reinserted } of opened) {
      const { subject_id: partition_key } = account.facts;
      const payload = accountChanged(account, record.id);
      tx.outbox({ partition_key, payload }, request.ctx);
      for (const told of factsReinserted(account, reinserted ?? [], record)) {
        tx.outbox({ partition_key, payload: told }, request.ctx);
      }
    }
    audit(tx, request, opened, now_ms);
    outcomes.set(index, { value: opened.map(({ account }) => account) });
  }
  const notices = requests.flatMap(({ request, opened }) =>
    opened.flatMap(({ account, record }) => {
      const notice = noticeFor(record, undefined, account.state);
      return notice === undefined ? [] : [{ ctx: request.ctx, account, notice }];
    }),
  );
  await tellNotices(tx, notices, now_ms);
}

function audit(
  tx: Transaction,
  { ctx, list }: BatchRequest<unknown>,
  opened: readonly Opened[],
  now_ms: number,
): void {
  const [first] = opened;
  if (first === undefined) return;
  const entry =
    list === undefined
      ? {
          action: 'account.created',
          target_type: 'account',
          target_id: first.account.facts.id,
          changes: { external_account_id: first.account.facts.external_account_id },
        }
      : {
          action: 'accounts.created',
          target_type: 'batch',
          target_id: ctx.request_id,
          changes: {
            accounts: opened.length,
            account_ids: opened.map(({ account }) => account.facts.id),
          },
        };
  tx.audit({ at: toTimestamp(now_ms), ...entry }, ctx);
}
