// Proof that the event log alone gives what is stored of every account.

import { isDeepStrictEqual } from 'node:util';
import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { shownStatus } from '../domain/account';
import type { EventRecord } from '../domain/event';
import { NO_RIGHTS, withEntry } from '../domain/file-entries';
import { withTimeline } from '../domain/ledger';
import { replay } from '../domain/timeline';
import { type AccountKey, historiesOf } from '../store/events';
import { entriesOf } from '../store/file-entries';
import { pageOfRights } from '../store/heads';
import { FIRST_ID } from '../store/subject-records';
import { pageOfStored, type StoredAccount } from '../store/verification';

const ACCOUNTS_A_BATCH = 200;
const MAX_REPORTED = 20;

const FILES_A_BATCH = 200;

/** What a replay of everything has found. */
export interface Verification {
  readonly accounts: number;
  readonly events: number;
  readonly mismatches: number;
  /** Accounts of earlier rules: the service folds them anew after an upgrade. */
  readonly waiting: number;
  /** Subjects on whose files something was put. */
  readonly files: number;
  /** The first of them: which account, or of `rights` which subject, and what differs. */
  readonly first: readonly { readonly record_id: string; readonly fields: readonly string[] }[];
}

/**
 * Replays every account of an environment, each batch on one snapshot, so that it may run beside a
 * working system.
 */
export async function verifyRecord(db: Database, environment: Environment): Promise<Verification> {
  const ctx = systemContext(environment);
  const first: { record_id: string; fields: string[] }[] = [];
  let accounts = 0;
  let events = 0;
  let mismatches = 0;
  let waiting = 0;
  let after: AccountKey | undefined;
  for (;;) {
    const last: AccountKey | undefined = after;
    const batch = await db.snapshot(ctx, async (on) => {
      const stored = await pageOfStored(on, last, ACCOUNTS_A_BATCH);
      const histories = stored.length === 0 ? new Map() : await historiesOf(on, stored.map(keyOf));
      return { stored, histories };
    });
    for (const stored of batch.stored) {
      if (stored.account.is_stale) waiting += 1;
      const { account_id } = keyOf(stored);
      const records = batch.histories.get(account_id) ?? [];
      accounts += 1;
      events += records.length;
      const fields = stored.account.is_stale ? [] : differences(stored, records);
      if (fields.length === 0) continue;
      mismatches += 1;
      if (first.length < MAX_REPORTED) first.push({ record_id: account_id, fields });
    }
    const end = batch.stored.at(-1);
    if (end === undefined || batch.stored.length < ACCOUNTS_A_BATCH) break;
    after = keyOf(end);
  }
  const { files, wrong } = await verifyFiles(db, ctx);
  for (const record_id of wrong) {
    if (first.length < MAX_REPORTED) first.push({ record_id, fields: ['rights'] });
  }
  return { accounts, events, mismatches: mismatches + wrong.length, waiting, files, first };
}

/** Replays what people have put on their files; returns whose is kept otherwise than it comes to. */
async function verifyFiles(
  db: Database,
  ctx: CallContext,
): Promise<{ readonly files: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let files = 0;
  let after_id: string = FIRST_ID;
  for (;;) {
    const after = after_id;
    const { stored, entries } = await db.snapshot(ctx, async (on) => {
      const page = await pageOfRights(on, after, FILES_A_BATCH);
      return { stored: page, entries: await entriesOf(on, [...page.keys()]) };
    });
    for (const [subject_id, rights] of stored) {
      files += 1;
      const folded = (entries.get(subject_id) ?? []).reduce(withEntry, NO_RIGHTS);
      if (!isDeepStrictEqual(JSON.parse(JSON.stringify(folded)), rights)) wrong.push(subject_id);
      after_id = subject_id;
    }
    if (stored.size < FILES_A_BATCH) return { files, wrong };
  }
}

function keyOf({ account }: StoredAccount): AccountKey {
  return { subject_id: account.facts.subject_id, account_id: account.facts.id };
}

/** Names what a replay of the records gives otherwise. */
function differences(stored: StoredAccount, records: readonly EventRecord[]): string[] {
  const { account } = stored;
  if (records.length === 0) return ['events'];
  const { state, version, history } = replay(records, account.state.organisation);
  const same: Readonly<Record<string, boolean>> = {
    balance: state.balance_minor === stored.balance_minor,
    status: shownStatus(state) === stored.status,
    underlying_status: state.underlying_status === stored.underlying_status,
    version: version === account.version,
    terms: withTimeline(account, { state, version, history }).facts === account.facts,
    projection: isDeepStrictEqual(state, account.state),
    effects: isDeepStrictEqual(history?.records, records),
  };
  return Object.keys(same).filter((field) => !same[field]);
}
