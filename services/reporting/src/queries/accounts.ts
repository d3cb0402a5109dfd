import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, type Queryable } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import {
  idFromCursor,
  institutionOf,
  type Page,
  pageLimit,
  readPage,
  uuidFrom,
  uuidIfGiven,
} from '@credit/platform/requests';
import type { Account } from '../domain/ledger';
import type { AccountStatus } from '../domain/vocabulary';
import * as accounts from '../store/accounts';
import { type ContestableRecord, pageOfEvents } from '../store/events';

/** What a listing is narrowed to. */
export interface AccountListing {
  readonly subject_id?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly external_account_id?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

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
    (limit) => accounts.listAccounts(db.read(ctx), { ...filter, limit }),
    (last) => [last.facts.id],
  );
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

/** The account's events, the last recorded first. */
export async function listAccountEvents(
  db: Database,
  ctx: CallContext,
  wanted: { account_id: string; limit: number; cursor?: string | undefined },
): Promise<{ account: Account; page: Page<ContestableRecord> }> {
  // What is wrong with the request comes before what is not there.
  pageLimit(wanted.limit);
  const before_sequence = sequenceFromCursor(wanted.cursor);
  const on = db.read(ctx);
  const account = await ownAccount(on, ctx, wanted.account_id);
  const key = { subject_id: account.facts.subject_id, account_id: account.facts.id };
  const page = await readPage(
    wanted,
    (limit) => pageOfEvents(on, key, before_sequence, limit),
    (last) => [String(last.record.sequence)],
  );
  return { account, page };
}

function sequenceFromCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [text = ''] = decodeCursor(cursor, 1);
  if (!/^\d{1,9}$/.test(text)) throw invalid('cursor', 'is not a cursor of this listing');
  return Number(text);
}
