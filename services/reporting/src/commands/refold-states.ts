// States that earlier rules have made are folded anew out of their records, once after an upgrade.

import { type CallContext, systemContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';
import type { Clock } from '@credit/platform/runtime';
import type { EventRecord } from '../domain/event';
import { type Account, withTimeline } from '../domain/ledger';
import { settlementsOf } from '../domain/network-outcome';
import { amendedAmong, replay } from '../domain/timeline';
import { accountChanged } from '../messages';
import { loadAccounts } from '../store/accounts';
import { writeOpenings, writeStates } from '../store/changes';
import { amendEvents, historiesOf, type OwnedRecord } from '../store/events';
import { lockHeadsOfAccounts } from '../store/heads';
import { keyOf, moveRefold, pageToRefold, takeRefold } from '../store/state-refolds';

/** Accounts a transaction: their subjects take no events meanwhile. */
const ACCOUNTS_A_ROUND = 200;

/**
 * Folds the next accounts anew and tells of them. True when there may be more. Several replicas may
 * try: one works, and a kill loses a round.
 */
export function refoldStates(
  db: Database,
  environment: Parameters<typeof systemContext>[0],
  clock: Clock,
): Promise<boolean> {
  const ctx = systemContext(environment);
  return db.transaction(ctx, async (tx) => {
    const after = await takeRefold(tx);
    if (after === undefined) return false;
    const page = await pageToRefold(tx, after, ACCOUNTS_A_ROUND);
    const stale = page.filter(({ is_stale }) => is_stale);
    const heads = await lockHeadsOfAccounts(tx, stale);
    const accounts = [...(await loadAccounts(tx, stale)).values()];
    // What took an event since was folded anew with it.
    await refold(
      tx,
      ctx,
      accounts.filter(({ is_stale }) => is_stale),
      heads,
    );
    const last = page.at(-1);
    await moveRefold(
      tx,
      last ?? after,
      page.length < ACCOUNTS_A_ROUND ? clock.now_ms() : undefined,
    );
    return page.length === ACCOUNTS_A_ROUND;
  });
}

/** Folds accounts of locked subjects anew and tells of them under new versions, which it returns. */
export async function refold(
  tx: Transaction,
  ctx: CallContext,
  accounts: readonly Account[],
  heads: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  if (accounts.length === 0) return heads;
  const histories = await historiesOf(tx, accounts.map(keyOf));
  const versions = new Map<string, number>();
  const amended: OwnedRecord[] = [];
  const folded = accounts.map((account) => {
    const { subject_id, id: account_id } = account.facts;
    const records: readonly EventRecord[] = histories.get(account_id) ?? [];
    const timeline = replay(records, account.state.organisation);
    for (const record of amendedAmong(records, timeline)) {
      amended.push({ subject_id, account_id, record });
    }
    const subject_version = (versions.get(subject_id) ?? heads.get(subject_id) ?? 0) + 1;
    versions.set(subject_id, subject_version);
    return {
      account: {
        ...withTimeline(account, timeline),
        settlements: settlementsOf(records),
        subject_version,
      },
      last_event_id: records.at(-1)?.id ?? '',
    };
  });
  writeStates(
    tx,
    versions,
    folded.map(({ account }) => account),
  );
  writeOpenings(
    tx,
    folded.map(({ account }) => account).filter(({ settlements }) => settlements.length > 0),
  );
  amendEvents(tx, amended);
  for (const { account, last_event_id } of folded) {
    const payload = accountChanged(account, last_event_id);
    tx.outbox({ partition_key: account.facts.subject_id, payload }, ctx);
  }
  return new Map([...heads, ...versions]);
}
