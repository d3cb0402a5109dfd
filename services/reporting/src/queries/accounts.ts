import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, type Queryable } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import {
  cursorFault,
  idFromCursor,
  institutionOf,
  type Page,
  pageLimit,
  readPage,
  uuidFrom,
  uuidIfGiven,
} from '@credit/platform/requests';
import { isUuid, NIL_UUID } from '@credit/platform/values';
import type { Account } from '../domain/ledger';
import { replay, type StandingAfter, standingsOf } from '../domain/timeline';
import type { AccountStatus } from '../domain/vocabulary';
import * as accounts from '../store/accounts';
import { settledAt } from '../store/event-log';
import { type ContestableRecord, historiesOf, pageOfEvents } from '../store/events';
import { refuseMerged, unlessMerged } from './subjects';

/** What a listing is narrowed to. */
export interface AccountListing {
  readonly subject_id?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly external_account_id?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The gateway writes files of many pages. */
const BOUNDS = { fallback: 25, maximum: 1_000 };

/** The institution's accounts, newest first. */
export async function listAccounts(
  db: Database,
  ctx: CallContext,
  wanted: AccountListing,
): Promise<Page<accounts.ContestableAccount>> {
  const filter = {
    institution_id: institutionOf(ctx),
    subject_id: uuidIfGiven('subject_id', wanted.subject_id),
    status: wanted.status,
    external_account_id: wanted.external_account_id,
    before_id: idFromCursor(wanted.cursor),
  };
  return readPage(
    wanted,
    async (limit) => {
      const on = db.read(ctx);
      return unlessMerged(
        on,
        filter.subject_id,
        await accounts.listAccounts(on, { ...filter, limit }),
      );
    },
    (last) => [last.facts.id],
    BOUNDS,
  );
}

/** A walk through what has changed. */
export interface ChangedAccounts extends Page<accounts.ContestableAccount> {
  /** What is to be asked with after the last page. */
  readonly next_updated_since_ms: number;
}

/** Clocks of this service and of the database differ by less. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The institution's accounts that have changed since a time, in the order of their changes. A change
 * is seen at its commit, which is later than its own time: what the next walk has to begin with is
 * therefore the time before which no transaction that was open at the beginning of this one began.
 */
export async function listChangedAccounts(
  db: Database,
  ctx: CallContext,
  wanted: Pick<AccountListing, 'subject_id' | 'limit' | 'cursor'>,
  updated_since_ms: number,
): Promise<ChangedAccounts> {
  const institution_id = institutionOf(ctx);
  const subject_id = uuidIfGiven('subject_id', wanted.subject_id);
  pageLimit(wanted.limit, BOUNDS);
  const on = db.read(ctx);
  if (subject_id !== undefined) await refuseMerged(on, subject_id);
  const { after, next_updated_since_ms } =
    wanted.cursor === undefined
      ? {
          after: { updated_at_ms: updated_since_ms, account_id: NIL_UUID },
          next_updated_since_ms: (await settledAt(on)) - CLOCKS_DIFFER_MS,
        }
      : walkFromCursor(wanted.cursor);
  const page = await readPage(
    wanted,
    (limit) => accounts.listChangedAccounts(on, { institution_id, subject_id, limit }, after),
    ({ facts, updated_at_ms }) => [String(updated_at_ms), facts.id, String(next_updated_since_ms)],
    BOUNDS,
  );
  return { ...page, next_updated_since_ms };
}

function walkFromCursor(cursor: string) {
  const [updated_at = '', account_id = '', next = ''] = decodeCursor(cursor, 3);
  const areTimes = [updated_at, next].every((ms) => /^\d{1,14}$/.test(ms));
  if (!areTimes || !isUuid(account_id)) throw cursorFault();
  return {
    after: { updated_at_ms: Number(updated_at), account_id },
    next_updated_since_ms: Number(next),
  };
}

/** One of the institution's accounts; another's is as unknown as none. */
export function getAccount(
  db: Database,
  ctx: CallContext,
  account_id: string,
): Promise<accounts.ContestableAccount> {
  return ownAccount(db.read(ctx), ctx, account_id);
}

async function ownAccount(
  on: Queryable,
  ctx: CallContext,
  account_id: string,
): Promise<accounts.ContestableAccount> {
  const id = uuidFrom('account_id', account_id);
  const own = { account_id: id, institution_id: institutionOf(ctx) };
  const account = await accounts.readOwnAccount(on, own);
  if (account === undefined) throw notFound('The account does not exist.');
  return account;
}

/** An event with how the account stood after it, where that was asked for and the event counts. */
export interface ListedEvent extends ContestableRecord {
  readonly standing: StandingAfter | undefined;
}

export interface EventListing {
  readonly account_id: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** The whole record is folded for it, as for an event that is not at its head. */
  readonly with_standing?: boolean | undefined;
}

/** The account's events, the last recorded first. */
export async function listAccountEvents(
  db: Database,
  ctx: CallContext,
  wanted: EventListing,
): Promise<{ account: Account; page: Page<ListedEvent> }> {
  // What is wrong with the request comes before what is not there.
  pageLimit(wanted.limit);
  const before_sequence = sequenceFromCursor(wanted.cursor);
  const read = (on: Queryable) => eventsOn(on, ctx, wanted, before_sequence);
  // What follows from the record is to be of the same record.
  return wanted.with_standing ? db.snapshot(ctx, read) : read(db.read(ctx));
}

async function eventsOn(
  on: Queryable,
  ctx: CallContext,
  wanted: EventListing,
  before_sequence: number | undefined,
): Promise<{ account: Account; page: Page<ListedEvent> }> {
  const account = await ownAccount(on, ctx, wanted.account_id);
  const key = { subject_id: account.facts.subject_id, account_id: account.facts.id };
  const page = await readPage(
    wanted,
    (limit) => pageOfEvents(on, key, before_sequence, limit),
    (last) => [String(last.record.sequence)],
  );
  const standings = wanted.with_standing ? await standingsOn(on, account) : undefined;
  const items = page.items.map((item) => ({
    ...item,
    standing: standings?.get(item.record.sequence),
  }));
  return { account, page: { ...page, items } };
}

async function standingsOn(
  on: Queryable,
  { facts, state }: Account,
): Promise<ReadonlyMap<number, StandingAfter>> {
  const key = { subject_id: facts.subject_id, account_id: facts.id };
  const records = (await historiesOf(on, [key])).get(facts.id) ?? [];
  const { history } = replay(records, state.organisation);
  return history === undefined ? new Map() : standingsOf(history);
}

/** Where a listing of events goes on; VALIDATION_ERROR when the text is no cursor of one. */
export function sequenceFromCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [text = ''] = decodeCursor(cursor, 1);
  if (!/^\d{1,9}$/.test(text)) throw invalid('cursor', 'is not a cursor of this listing');
  return Number(text);
}
