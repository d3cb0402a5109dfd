// New accounts, one by one or in batches, in a constant number of statements.

import { auditEvent, type Outcome, type Transaction } from '@credit/platform/db';
import { type AppError, conflict, notFound } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { institutionOf } from '../caller';
import type { EventRecord } from '../domain/event';
import { type Account, openLedger } from '../domain/ledger';
import { noticeFor } from '../domain/network-event';
import { type AccountDraft, checkAccount, type NewAccount } from '../domain/new-account';
import { accountChanged } from '../messages';
import { claimAccounts, externalIdKey, holdersOfExternalIds } from '../store/accounts';
import { writeAccounts } from '../store/changes';
import { type Head, lockHeads } from '../store/heads';
import { attempt, type BatchRequest, type CommandDeps, checkAll, decideItem } from './batch';
import { tellNotices } from './tell-notices';

interface Opened {
  readonly account: Account;
  readonly record: EventRecord;
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
  const subject_ids = checked.flatMap(({ request }) =>
    request.items.map((item) => item.subject_id),
  );
  const heads = await lockHeads(tx, [...new Set(subject_ids)]);
  const opened = checked.flatMap(({ index, request }): OpenedRequest[] => {
    const accounts = attempt(() => openAll(request, heads, deps, now_ms));
    if ('value' in accounts) return [{ index, request, opened: accounts.value }];
    outcomes.set(index, accounts);
    return [];
  });
  const entered = await enter(tx, opened, outcomes);
  await write(tx, now_ms, numbered(entered, heads), outcomes);
  return requests.map(
    (_request, index) => outcomes.get(index) ?? { error: new Error('A request was not decided.') },
  );
}

function openAll(
  request: BatchRequest<NewAccount>,
  heads: ReadonlyMap<string, Head>,
  deps: CommandDeps,
  now_ms: number,
): Opened[] {
  const institution_id = institutionOf(request.ctx);
  const external_ids = new Set<string>();
  return request.items.map((item, index) =>
    decideItem(request.list, index, () => {
      const head = heads.get(item.subject_id);
      if (head === undefined) throw notFound('The subject does not exist.');
      if (external_ids.has(item.external_account_id)) throw taken(item.external_account_id);
      external_ids.add(item.external_account_id);
      return openLedger(
        item,
        { account_id: deps.newId(), institution_id, subject_type: head.subject.type },
        { id: deps.newId(), now_ms },
      );
    }),
  );
}

function taken(external_account_id: string, existing_id?: string): AppError {
  const message = `external_account_id ${external_account_id} is taken.`;
  return conflict(message, existing_id === undefined ? {} : { existing_id });
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
    opened: request.opened.map(({ account, record }) => {
      const { subject_id } = account.facts;
      const subject_version = (versions.get(subject_id) ?? 0) + 1;
      versions.set(subject_id, subject_version);
      return { account: { ...account, subject_version }, record };
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
  for (const { index, request, opened } of requests) {
    for (const { account, record } of opened) {
      const payload = accountChanged(account, record.id);
      tx.outbox({ partition_key: account.facts.subject_id, payload }, request.ctx);
    }
    audit(tx, request, opened, now_ms);
    outcomes.set(index, { value: opened.map(({ account }) => account) });
  }
  const notices = requests.flatMap(({ request, opened }) =>
    opened.flatMap(({ account, record }) => {
      const notice = noticeFor(record, null, account.state);
      return notice === null ? [] : [{ ctx: request.ctx, account, notice }];
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
    list === null
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
  tx.outbox(auditEvent({ ctx, at: toTimestamp(now_ms), ...entry }), ctx);
}
