import type { CallContext } from '@credit/platform/context';
import { type Database, encodeCursor } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { type Page, pageLimit, personOf, readPage, uuidFrom } from '@credit/platform/requests';
import { monthsBefore } from '../domain/calendar';
import { type FileRights, standingAt } from '../domain/file-entries';
import { INQUIRY_MONTHS_SHOWN } from '../domain/inquiry';
import { standingSubject } from '../domain/standing-subject';
import type { Subject } from '../domain/subject';
import type { SubjectMove } from '../domain/subject-move';
import { type ContestableAccount, listContestedAccounts } from '../store/accounts';
import {
  type AccountKey,
  type ContestableRecord,
  newestEventsOf,
  pageOfEvents,
} from '../store/events';
import { rightsOf } from '../store/heads';
import { inquiriesOfFile, type OwnInquiry } from '../store/inquiries';
import { movesOf } from '../store/subject-moves';
import { subjectById } from '../store/subjects';
import { type ToldCorrection, toldCorrectionsOf } from '../store/told-corrections';
import { sequenceFromCursor } from './accounts';

export const MAX_FILE_ACCOUNTS = 500;
export const MAX_FILE_INQUIRIES = 500;
export const MAX_FILE_CORRECTIONS = 100;
export const MAX_FILE_MOVES = 100;
/** Of one account, as far as all accounts' together stay within what a file holds. */
export const MAX_ACCOUNT_EVENTS = 100;
export const MAX_FILE_EVENTS = 2_000;

/** An account with the newest of its events. */
export interface FileAccount {
  readonly account: ContestableAccount;
  /** The last recorded first. */
  readonly events: readonly ContestableRecord[];
  /** Of the events before these. */
  readonly next_cursor: string | undefined;
}

/** All that is on record of a person, of one moment. */
export interface PersonFile {
  readonly subject: Subject;
  /** The oldest first, voided ones among them. */
  readonly accounts: readonly FileAccount[];
  readonly has_more_accounts: boolean;
  /** The newest first, refused ones among them. */
  readonly inquiries: readonly OwnInquiry[];
  readonly has_more_inquiries: boolean;
  readonly rights: FileRights;
  /** Those that were told to whoever had looked, the newest first. */
  readonly corrections: readonly ToldCorrection[];
  /** What administrators put on it or took off it, the newest first. */
  readonly moves: readonly SubjectMove[];
}

/** The caller's own file. */
export async function getPersonFile(
  db: Database,
  ctx: CallContext,
  now_ms: number,
): Promise<PersonFile> {
  const subject_id = personOf(ctx);
  const since_ms = monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN);
  return db.snapshot(ctx, async (on) => {
    const { subject } = standingSubject(await subjectById(on, subject_id));
    const rights = await rightsOf(on, subject_id);
    const everybodys = { subject_id, account_id: undefined, institution_ids: [] };
    const found = await listContestedAccounts(on, everybodys, MAX_FILE_ACCOUNTS + 1);
    const accounts = found.slice(0, MAX_FILE_ACCOUNTS);
    const keys = accounts.map(({ facts }) => ({ subject_id, account_id: facts.id }));
    const events = await newestEventsOf(on, keys, eventsEach(accounts.length));
    const looks = await inquiriesOfFile(on, subject_id, since_ms, MAX_FILE_INQUIRIES + 1);
    return {
      subject,
      accounts: accounts.map((account) => withEvents(account, events.get(account.facts.id) ?? [])),
      has_more_accounts: found.length > MAX_FILE_ACCOUNTS,
      inquiries: looks.slice(0, MAX_FILE_INQUIRIES),
      has_more_inquiries: looks.length > MAX_FILE_INQUIRIES,
      rights: standingAt(rights, now_ms),
      corrections: await toldCorrectionsOf(on, subject_id, MAX_FILE_CORRECTIONS),
      moves: await movesOf(on, subject_id, undefined, MAX_FILE_MOVES),
    };
  });
}

function eventsEach(account_count: number): number {
  return Math.min(MAX_ACCOUNT_EVENTS, Math.floor(MAX_FILE_EVENTS / Math.max(1, account_count)));
}

function withEvents(
  account: ContestableAccount,
  events: readonly ContestableRecord[],
): FileAccount {
  const first = events.at(-1)?.record.sequence ?? 1;
  // A record is numbered from 1 without a gap.
  return { account, events, next_cursor: first > 1 ? encodeCursor([String(first)]) : undefined };
}

/** Which events of the caller's own account. */
export interface PersonEvents {
  readonly account_id: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The events of one of the caller's accounts, the last recorded first; another's is unknown. */
export async function listPersonEvents(
  db: Database,
  ctx: CallContext,
  wanted: PersonEvents,
): Promise<{ account: AccountKey; page: Page<ContestableRecord> }> {
  const subject_id = personOf(ctx);
  const account_id = uuidFrom('account_id', wanted.account_id);
  pageLimit(wanted.limit);
  const before_sequence = sequenceFromCursor(wanted.cursor);
  const on = db.read(ctx);
  const account = { subject_id, account_id };
  // By the subject and the account both: whose account it is, the key itself says.
  const page = await readPage(
    wanted,
    (limit) => pageOfEvents(on, account, before_sequence, limit),
    (last) => [String(last.record.sequence)],
  );
  // No account is without an event, so that an empty page can only be behind its first one.
  if (page.items.length === 0) {
    const one = { subject_id, account_id, institution_ids: [] };
    const [own] = await listContestedAccounts(on, one, 1);
    if (own === undefined) throw notFound('The account does not exist.');
  }
  return { account, page };
}
