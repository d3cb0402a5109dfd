// Reporting as scoring's own functions: its messages become the domain's facts here.

import type { CallContext } from '@credit/platform/context';
import type { RpcChannel } from '@credit/platform/rpc';
import {
  type GetSubjectFileResponse,
  type HypotheticalEvent,
  ReportingServiceDefinition,
  type SubjectMove,
} from '@credit/proto/reporting/v1/reporting';
import type {
  AccountType,
  EventEffect,
  EventType,
  InquiryType,
  Purpose,
  Subject,
} from '@credit/proto/reporting/v1/types';
import type { RehearseSubjectMoveRequest } from '@credit/proto/scoring/v1/scoring';
import type { ReadHeads } from './commands/go-through-subjects';
import type { ModelFile } from './domain/model';
import type { PersonWord } from './domain/person-word';
import type { WholeSubject } from './domain/subject-file';
import {
  changedAccounts,
  fileFacts,
  lookOf,
  personWord,
  recordedEvent,
  reportSubject,
  wholeSubject,
} from './facts-from-proto';
import type { PastFile, RecordedAccount } from './reports/domain/report-content';
import type { ReportSubject } from './reports/domain/report-parts';
import type { ReadWhole } from './workers/catch-up';

/** A credit event between two times, without amounts. */
export interface Change {
  readonly credit_event_id: string;
  readonly account_type: AccountType;
  readonly event_type: EventType;
  readonly effect: EventEffect;
  readonly occurred_at: string | undefined;
  readonly reported_at: string | undefined;
  readonly own: boolean;
}

export interface HardInquiry {
  readonly inquiry_id: string;
  readonly purpose: Purpose;
  readonly created_at: string | undefined;
  readonly institution_id: string;
}

export interface ChangesBetween {
  readonly changes: readonly Change[];
  readonly inquiries: readonly HardInquiry[];
  readonly truncated: boolean;
}

export interface RecordedInquiry extends PersonWord {
  readonly inquiry_id: string;
  readonly created_at: string;
  readonly duplicate: boolean;
  readonly subject: Subject;
  /** The subject's version before the inquiry: everything that was acknowledged by then. */
  readonly profile_version: number;
  /** Disputes about the subject without an outcome. */
  readonly open_dispute_count: number;
}

/** A merge or a split as reporting takes it. */
export type MoveToRehearse = NonNullable<RehearseSubjectMoveRequest['move']>;

export interface RehearsedMove {
  readonly move: SubjectMove;
  readonly from: MovedFile;
  readonly to: MovedFile;
}

/** A file of a move, as it stands and as it would. */
export interface MovedFile {
  readonly before: WholeSubject;
  readonly after: WholeSubject;
}

export interface SimulatedFile {
  readonly before: ModelFile;
  readonly after: ModelFile;
}

/** What scoring asks of reporting. */
export interface ReportingClient {
  readonly readWhole: ReadWhole;
  readonly readHeads: ReadHeads;
  /** The file as it stood. */
  fileAt(ctx: CallContext, subject_id: string, as_of: string, known_at: string): Promise<PastFile>;
  /** All events as they read at a time. */
  eventsAt(ctx: CallContext, subject_id: string, known_at: string): Promise<RecordedAccount[]>;
  changesBetween(
    ctx: CallContext,
    span: { subject_id: string; after_id: string; until_id: string; limit: number },
  ): Promise<ChangesBetween>;
  simulate(
    ctx: CallContext,
    subject_id: string,
    events: readonly HypotheticalEvent[],
  ): Promise<SimulatedFile>;
  recordInquiry(
    ctx: CallContext,
    inquiry: {
      inquiry_id: string;
      subject_id: string;
      purpose: Purpose;
      inquiry_type?: InquiryType | undefined;
      consent_reference?: string | undefined;
    },
  ): Promise<RecordedInquiry>;
  /** One of the caller's own; refuses anybody else's. */
  inquiry(
    ctx: CallContext,
    inquiry_id: string,
  ): Promise<{
    subject_id: string;
    purpose: Purpose;
    created_at: string;
    /** It showed nothing. */
    was_refused: boolean;
  }>;
  subject(ctx: CallContext, subject_id: string): Promise<ReportSubject>;
  /** Refuses an account that is not the caller's. */
  subjectOfAccount(ctx: CallContext, account_id: string): Promise<string>;
  /** Refuses who has no stake in the subject; audited. */
  followSubject(ctx: CallContext, subject_id: string): Promise<void>;
  /** Carries a merge or a split out, and takes it back. */
  rehearseMove(ctx: CallContext, move: MoveToRehearse): Promise<RehearsedMove>;
  /** Those of the events and inquiries that are the caller's own. */
  ownRecords(
    ctx: CallContext,
    subject_id: string,
    record_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

function wholeOf(file: GetSubjectFileResponse | undefined): WholeSubject {
  if (file === undefined) throw new Error('A file is missing in a rehearsal.');
  return wholeSubject(file);
}

function nothingOf(file: GetSubjectFileResponse | undefined): GetSubjectFileResponse | undefined {
  return file && { ...file, accounts: [], inquiries: [] };
}

/** Enough for every subject that a report can hold; the build gives up beyond. */
const MAX_EVENT_PAGES = 500;

/** Opens the client on a channel to reporting. */
export function reportingClient(channel: RpcChannel): ReportingClient {
  const reporting = channel.stub(ReportingServiceDefinition);
  return {
    readWhole: async (ctx, subject_id) =>
      wholeSubject(await reporting.getSubjectFile(ctx, { subject_id })),
    readHeads: async (ctx, after_subject_id, limit) =>
      (
        await reporting.listSubjectHeads(ctx, {
          limit,
          after_subject_id,
        })
      ).heads,
    async fileAt(ctx, subject_id, as_of, known_at) {
      const file = await reporting.getSubjectFileAt(ctx, { subject_id, as_of, known_at });
      return {
        ...fileFacts(file),
        ...personWord(file),
        looks: file.inquiries.map(lookOf),
      };
    },
    async eventsAt(ctx, subject_id, known_at) {
      const accounts: RecordedAccount[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_EVENT_PAGES; page += 1) {
        const answer = await reporting.listSubjectEventsAt(ctx, { subject_id, known_at, cursor });
        for (const { account_id, external_account_id, events } of answer.accounts) {
          accounts.push({
            account_id,
            external_account_id,
            events: events.map(recordedEvent),
          });
        }
        cursor = answer.next_cursor;
        if (cursor === undefined) return accounts;
      }
      throw new RangeError(`The subject ${subject_id} has too many accounts for a report.`);
    },
    changesBetween: (ctx, span) => reporting.listSubjectChanges(ctx, span),
    async simulate(ctx, subject_id, events) {
      const file = await reporting.simulateSubjectFile(ctx, { subject_id, events: [...events] });
      const before = fileFacts(file);
      const changed = changedAccounts(file.changed_accounts);
      const kept = before.accounts.filter(({ account_id }) => !changed.has(account_id));
      return { before, after: { ...before, accounts: [...kept, ...changed.values()] } };
    },
    async recordInquiry(ctx, wanted) {
      const answer = await reporting.recordInquiry(ctx, wanted);
      const { inquiry, subject, profile_version, open_dispute_count } = answer;
      if (inquiry?.created_at === undefined) throw new Error('An inquiry has no time.');
      if (subject === undefined) throw new Error('A subject is missing in its answer.');
      const { id, created_at, duplicate_of } = inquiry;
      return {
        inquiry_id: id,
        created_at,
        duplicate: duplicate_of !== undefined,
        subject,
        profile_version,
        open_dispute_count: open_dispute_count ?? 0,
        ...personWord(answer),
      };
    },
    async subject(ctx, subject_id) {
      const { subject } = await reporting.getSubject(ctx, { subject_id });
      if (subject === undefined) throw new Error('A subject is missing in its answer.');
      return reportSubject(subject);
    },
    async inquiry(ctx, inquiry_id) {
      const { inquiry } = await reporting.getInquiry(ctx, { inquiry_id });
      if (inquiry?.created_at === undefined) throw new Error('An inquiry has no time.');
      const { subject_id, purpose, created_at, refusal } = inquiry;
      return { subject_id, purpose, created_at, was_refused: refusal !== undefined };
    },
    async subjectOfAccount(ctx, account_id) {
      const { account } = await reporting.getAccount(ctx, { account_id });
      if (account === undefined) throw new Error('An account is missing in its answer.');
      return account.subject_id;
    },
    async followSubject(ctx, subject_id) {
      await reporting.followSubject(ctx, { subject_id });
    },
    async rehearseMove(ctx, { $case, value }) {
      const { move, preview } =
        $case === 'merge'
          ? await reporting.mergeSubjects(ctx, { ...value, dry_run: true })
          : await reporting.splitSubject(ctx, { ...value, dry_run: true });
      if (move === undefined || preview === undefined)
        throw new Error('A rehearsal has no answer.');
      const { from_after, from_before, to_after, to_before } = preview;
      return {
        move,
        from: { before: wholeOf(from_before), after: wholeOf(from_after) },
        // A subject that the move makes is not on file before.
        to: { before: wholeOf(to_before ?? nothingOf(to_after)), after: wholeOf(to_after) },
      };
    },
    async ownRecords(ctx, subject_id, ids) {
      const { record_ids } = await reporting.listOwnRecords(ctx, {
        subject_id,
        record_ids: [...ids],
      });
      return new Set(record_ids);
    },
  };
}
