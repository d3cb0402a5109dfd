import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, encodeCursor, type Queryable } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { isOffFile } from '../domain/account';
import { monthsBefore } from '../domain/calendar';
import { leftOutOf, shownToOthers } from '../domain/correction';
import type { EventRecord } from '../domain/event';
import { type FileRights, rightsAt, withoutWordsAbout } from '../domain/file-entries';
import { INQUIRY_MONTHS_SHOWN, type Inquiry, inquiriesKnownAt } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import { accountKnownAt, type PastMoment, recordsAt, stateAt } from '../domain/past';
import { standingSubject } from '../domain/standing-subject';
import { changedDuplicates } from '../domain/subject-move';
import type { SubjectType } from '../domain/vocabulary';
import { loadAccounts } from '../store/accounts';
import { type AccountKey, historiesOf } from '../store/events';
import { shownEntriesOf } from '../store/file-entries';
import { type SubjectFile, subjectFile } from '../store/subject-file';
import { movedSince } from '../store/subject-moves';
import { FIRST_ID, pageOfSubjectAccounts } from '../store/subject-records';

/** A subject's file at a past moment. */
export interface PastFile {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  readonly accounts: readonly Account[];
  readonly inquiries: readonly Inquiry[];
  /** What readers were shown of the person's own word: of a freeze they are not. */
  readonly rights: FileRights;
}

const MAX_YEARS_BACK_MS = 20 * 366 * 86_400_000;

/** The file as it stood: every account folded again out of its own events. */
export async function subjectFileAt(
  db: Database,
  ctx: CallContext,
  wanted: {
    readonly subject_id: string;
    readonly as_of_ms?: number | undefined;
    readonly known_at_ms?: number | undefined;
    readonly now_ms: number;
  },
): Promise<PastFile> {
  const { now_ms } = wanted;
  const subject_id = uuidFrom('subject_id', wanted.subject_id);
  const moment: PastMoment = {
    as_of_ms: timeFrom('as_of', wanted.as_of_ms, now_ms),
    known_at_ms: timeFrom('known_at', wanted.known_at_ms, now_ms),
  };
  const until_ms = Math.min(moment.as_of_ms, moment.known_at_ms);
  return db.snapshot(ctx, async (on) => {
    const since_ms = monthsBefore(moment.as_of_ms, INQUIRY_MONTHS_SHOWN);
    const [file, entries] = await Promise.all([
      subjectFile(on, subject_id, since_ms),
      shownEntriesOf(on, subject_id, until_ms),
    ]);
    const now = standingSubject(file);
    const file_then = await asPlacedAt(on, now, moment.known_at_ms, since_ms);
    const { accounts, inquiries } = file_then;
    const histories = await historiesOf(on, accounts.map(keyOfAccount));
    const organisation = now.subject_type === 'ORGANISATION';
    return {
      subject_id,
      subject_type: now.subject_type,
      accounts: accounts.flatMap((account) => {
        const records = histories.get(account.facts.id) ?? [];
        const state = stateAt(records, organisation, moment);
        if (state === undefined) return [];
        const known = accountKnownAt(account, records, moment);
        return [{ ...known, facts: { ...known.facts, subject_id }, state }];
      }),
      inquiries: inquiriesKnownAt(
        inquiries.filter((inquiry) => inquiry.created_at_ms <= until_ms),
        moment.known_at_ms,
      ),
      rights: shownAt(rightsAt(entries, until_ms), [...histories.values()], {
        organisation,
        known_at_ms: moment.known_at_ms,
      }),
    };
  });
}

/** Nothing is said to others about events that a dispute left out of the file, as was known then. */
function shownAt(
  rights: FileRights,
  histories: readonly (readonly EventRecord[])[],
  { known_at_ms, organisation }: { readonly known_at_ms: number; readonly organisation: boolean },
): FileRights {
  if (rights.statements.length === 0) return rights;
  const left_out = histories.flatMap((records) => [
    ...leftOutOf(recordsAt(records, organisation, known_at_ms)),
  ]);
  return withoutWordsAbout(rights, new Set(left_out));
}

function keyOfAccount({ facts }: Account): AccountKey {
  return { subject_id: facts.subject_id, account_id: facts.id };
}

/**
 * A file with the records that were on it at a time, wherever they are now: what has been moved to it since
 * was not known to be this subject's.
 */
async function asPlacedAt(
  on: Queryable,
  file: SubjectFile,
  known_at_ms: number,
  inquiries_since_ms: number,
): Promise<Pick<SubjectFile, 'accounts' | 'inquiries'>> {
  const { came, went } = await movedSince(on, file.subject_id, known_at_ms);
  if (came.size === 0 && went.size === 0) return file;
  const others: SubjectFile[] = [];
  for (const subject_id of new Set(went.values())) {
    const other = await subjectFile(on, subject_id, inquiries_since_ms);
    if (other !== undefined) others.push(other);
  }
  const accounts = [
    ...file.accounts.filter(({ facts }) => !came.has(facts.id)),
    ...others.flatMap((other) => other.accounts.filter(({ facts }) => went.has(facts.id))),
  ];
  const inquiries = [
    ...file.inquiries.filter(({ id }) => !came.has(id)),
    ...others.flatMap((other) => other.inquiries.filter(({ id }) => went.has(id))),
  ].sort((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1));
  const repeated = new Map(changedDuplicates(inquiries).map((one) => [one.id, one.duplicate_of]));
  return {
    accounts: accounts.sort((a, b) => (a.facts.id < b.facts.id ? -1 : 1)),
    inquiries: inquiries.map((inquiry) =>
      repeated.has(inquiry.id) ? { ...inquiry, duplicate_of: repeated.get(inquiry.id) } : inquiry,
    ),
  };
}

function timeFrom(path: string, at_ms: number | undefined, now_ms: number): number {
  if (at_ms === undefined) throw invalid(path, 'is required');
  if (at_ms > now_ms) throw invalid(path, 'must not be in the future');
  if (at_ms < now_ms - MAX_YEARS_BACK_MS) throw invalid(path, 'must not be over 20 years ago');
  return at_ms;
}

/** An account with its events as they read at a time. */
export interface AccountRecord {
  readonly account: Account;
  readonly records: readonly EventRecord[];
}

export interface AccountRecordsPage {
  readonly accounts: readonly AccountRecord[];
  readonly next_cursor: string | undefined;
}

/** Whole accounts a page: a handful of years of monthly events stays well under a message. */
const ACCOUNTS_PER_PAGE = 20;

/** The next accounts that were a subject's at a time, wherever they are now, by id. */
async function accountsPlacedAt(
  on: Queryable,
  wanted: { readonly subject_id: string; readonly known_at_ms: number; readonly after_id: string },
): Promise<Account[]> {
  const { subject_id, known_at_ms, after_id } = wanted;
  const { came, went } = await movedSince(on, subject_id, known_at_ms);
  const gone = [...went].filter(([id]) => id > after_id);
  const elsewhere = await loadAccounts(
    on,
    gone.map(([account_id, at]) => ({ subject_id: at, account_id })),
  );
  // What came since is skipped: as many more are read.
  const limit = ACCOUNTS_PER_PAGE + came.size;
  const here = await pageOfSubjectAccounts(on, subject_id, after_id, limit);
  return [...here.filter(({ facts }) => !came.has(facts.id)), ...elsewhere.values()]
    .sort((a, b) => (a.facts.id < b.facts.id ? -1 : 1))
    .slice(0, ACCOUNTS_PER_PAGE);
}

/** The events of a subject's accounts as they read at a time, by account id. */
export async function subjectEventsAt(
  db: Database,
  ctx: CallContext,
  wanted: { subject_id: string; known_at_ms: number | undefined; cursor?: string | undefined },
): Promise<AccountRecordsPage> {
  const subject_id = uuidFrom('subject_id', wanted.subject_id);
  const { known_at_ms } = wanted;
  if (known_at_ms === undefined) throw invalid('known_at', 'is required');
  const [after = FIRST_ID] = wanted.cursor === undefined ? [] : decodeCursor(wanted.cursor, 1);
  const after_id = uuidFrom('cursor', after);
  return db.snapshot(ctx, async (on) => {
    const accounts = await accountsPlacedAt(on, { subject_id, known_at_ms, after_id });
    const keys = accounts.map(keyOfAccount);
    const histories = keys.length === 0 ? new Map() : await historiesOf(on, keys);
    const last = accounts.at(-1);
    return {
      accounts: accounts.flatMap((account) => {
        const organisation = account.facts.subject_type === 'ORGANISATION';
        const history: readonly EventRecord[] = histories.get(account.facts.id) ?? [];
        const records = recordsAt(history, organisation, known_at_ms);
        const isOwn = account.facts.institution_id === ctx.institution_id;
        if (records.length === 0 || (isOffFile(account.state) && !isOwn)) return [];
        return [{ account, records: isOwn ? records : shownToOthers(records) }];
      }),
      next_cursor:
        accounts.length === ACCOUNTS_PER_PAGE && last !== undefined
          ? encodeCursor([last.facts.id])
          : undefined,
    };
  });
}
