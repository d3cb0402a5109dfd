import type { CallContext } from '@credit/platform/context';
import { type Database, decodeCursor, encodeCursor } from '@credit/platform/db';
import { invalid, notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { isOffFile } from '../domain/account';
import { monthsBefore } from '../domain/calendar';
import { shownToOthers } from '../domain/correction';
import type { EventRecord } from '../domain/event';
import { type FileRights, rightsAt } from '../domain/file-entries';
import { INQUIRY_MONTHS_SHOWN, type Inquiry, inquiriesKnownAt } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import { accountKnownAt, type PastMoment, recordsAt, stateAt } from '../domain/past';
import type { SubjectType } from '../domain/vocabulary';
import { historiesOf } from '../store/events';
import { shownEntriesOf } from '../store/file-entries';
import { subjectFile } from '../store/subject-file';
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
    if (file === undefined) throw notFound('The subject does not exist.');
    const keys = file.accounts.map(({ facts }) => ({ subject_id, account_id: facts.id }));
    const histories = await historiesOf(on, keys);
    const organisation = file.subject_type === 'ORGANISATION';
    return {
      subject_id,
      subject_type: file.subject_type,
      accounts: file.accounts.flatMap((account) => {
        const records = histories.get(account.facts.id) ?? [];
        const state = stateAt(records, organisation, moment);
        return state === undefined ? [] : [{ ...accountKnownAt(account, records, moment), state }];
      }),
      inquiries: inquiriesKnownAt(
        file.inquiries.filter((inquiry) => inquiry.created_at_ms <= until_ms),
        moment.known_at_ms,
      ),
      rights: rightsAt(entries, until_ms),
    };
  });
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
    const accounts = await pageOfSubjectAccounts(on, subject_id, after_id, ACCOUNTS_PER_PAGE);
    const keys = accounts.map(({ facts }) => ({ subject_id, account_id: facts.id }));
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
