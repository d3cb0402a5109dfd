// ReportingService: protos in and out, and which command or query answers a call.

import type { CallContext } from '@credit/platform/context';
import {
  command,
  type Database,
  type GroupCommit,
  groupCommit,
  type Outcome,
  type Transaction,
} from '@credit/platform/db';
import { invalid, tooLarge } from '@credit/platform/errors';
import { countFrom, uuidFrom } from '@credit/platform/requests';
import { keyedWrite, type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { toTimestamp } from '@credit/platform/runtime';
import { NIL_UUID, specified } from '@credit/platform/values';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type * as types from '@credit/proto/reporting/v1/types';
import type { BatchRequest, CommandDeps } from './commands/batch';
import { addRejections } from './commands/count-rejections';
import { createAccounts } from './commands/create-accounts';
import { createSubject, createSubjects } from './commands/create-subject';
import { previewEvent } from './commands/preview-event';
import { type EventItem, recordEvents } from './commands/record-events';
import { recordInquiries } from './commands/record-inquiries';
import { rehearse } from './commands/rehearsal';
import { renameSubject } from './commands/rename-subject';
import type { AccountDraft } from './domain/new-account';
import { accountDraft, accountListing, bare, eventItem, subjectDraft } from './drafts-from-proto';
import {
  accountMessage,
  eventMessage,
  fileMessage,
  healthMessage,
  lowAccountMessage,
  ownInquiryMessage,
  previewMessage,
  resolvedMessage,
  shownRights,
  standingMessage,
  subjectMessage,
  summaryMessage,
} from './messages';
import { getAccountSummary } from './queries/account-summary';
import {
  getAccount,
  listAccountEvents,
  listAccounts,
  listChangedAccounts,
} from './queries/accounts';
import { getInquiry } from './queries/get-inquiry';
import { listInquiryPurposes } from './queries/inquiry-purposes';
import { listInquiries } from './queries/list-inquiries';
import { identifyPerson, requireFurnisher } from './queries/persons';
import { proveEvent } from './queries/prove-event';
import { getRejections } from './queries/rejections';
import { getReportingFigures, getReportingTraffic } from './queries/reporting-figures';
import { getHealthByDay, getReportingHealth, listLowAccounts } from './queries/reporting-health';
import { getReportingTotals } from './queries/reporting-totals';
import { getSubjectFile } from './queries/subject-file';
import { getSubject, getSubjectByGameUuid, searchSubjects } from './queries/subjects';
import { derivedHandlers } from './rpc-derived';
import { type ImportQueue, importHandlers } from './rpc-imports';
import { networkDisputeHandlers } from './rpc-network-disputes';
import { personFileHandlers } from './rpc-person-file';
import { rightsHandlers } from './rpc-rights';
import { sandboxHandlers } from './rpc-sandbox';
import { subjectMoveHandlers } from './rpc-subject-moves';
import { msOf } from './values-from-proto';
import type { SubmissionCounter } from './workers/submissions';

const MAX_SUBJECTS = 100;
const MAX_ACCOUNTS = 100;
const MAX_EVENTS = 500;
const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;

/** What the service needs. */
export interface ReportingDeps extends CommandDeps {
  readonly db: Database;
  /** Single requests that may commit together. */
  readonly max_batch: number;
  readonly submissions: SubmissionCounter;
  readonly imports: ImportQueue;
}

const { methods } = wire.ReportingServiceDefinition;

/** The service's one registration. */
export function reportingService(deps: ReportingDeps): ServiceRegistration {
  const { db, clock, submissions } = deps;
  const reportEvent = reportEventGroup(deps);
  const createAccount = createAccountGroup(deps);
  const recordInquiry = recordInquiryGroup(deps);
  return serviceRegistration(wire.ReportingServiceDefinition, {
    createSubject: (ctx, request) => {
      const write = keyedWrite(methods.createSubject, DAY_S);
      return command(db, ctx, write, request, async (tx) => ({
        subject: subjectMessage(await createSubject(tx, deps, ctx, subjectDraft(request))),
      }));
    },
    createSubjects: async (ctx, request) => {
      checkCount('subjects', request.subjects.length, MAX_SUBJECTS);
      const write = keyedWrite(methods.createSubjects, WEEK_S);
      return command(db, ctx, write, request, async (tx) => {
        const drafts = request.subjects.map(subjectDraft);
        return { subjects: (await createSubjects(tx, deps, ctx, drafts)).map(resolvedMessage) };
      });
    },
    updateSubject: async (ctx, request) => {
      const subject_id = uuidFrom('subject_id', request.subject_id);
      const rename = {
        current_username: bare(request.current_username),
        forum_id: bare(request.forum_id),
        trading_name: bare(request.trading_name),
        confirm_distinct: request.confirm_distinct ?? false,
        distinct_note: request.distinct_note,
      };
      const subject = await db.transaction(ctx, (tx) =>
        renameSubject(tx, deps, ctx, subject_id, rename),
      );
      return { subject: subjectMessage(subject) };
    },
    getSubject: async (ctx, { subject_id }) => ({
      subject: subjectMessage(await getSubject(db, ctx, subject_id)),
    }),
    getSubjectByGameUuid: async (ctx, { game_uuid }) => ({
      subject: subjectMessage(await getSubjectByGameUuid(db, ctx, game_uuid)),
    }),
    identifyPerson: async (ctx, { kind, value }) => {
      if (kind !== 'game_uuid' && kind !== 'forum_id') {
        throw invalid('kind', 'must be game_uuid or forum_id');
      }
      return { subject_id: await identifyPerson({ db, clock }, ctx, kind, value) };
    },
    requireFurnisher: async (ctx, { subject_id }) => ({
      subject_id: await requireFurnisher(db, ctx, subject_id),
    }),
    searchSubjects: async (ctx, { q, limit, cursor }) => {
      const page = await searchSubjects(db, ctx, { q, limit, cursor });
      return { subjects: page.items.map(subjectMessage), next_cursor: page.next_cursor };
    },
    createAccount: async (ctx, request) => {
      if (request.account === undefined) throw invalid('account', 'is required');
      // Callers commit together here, and a refusal of one could not take its subject back.
      if (request.account.subject) throw invalid('account.subject', 'is for CreateAccounts only');
      if (request.dry_run) {
        const rehearsed = [accountDraft(request.account)];
        const [account] = await rehearseAccounts(deps, ctx, rehearsed);
        return { account };
      }
      return submissions.count(ctx, 1, () => createAccount.submit(ctx, request));
    },
    createAccounts: async (ctx, request) => {
      checkCount('accounts', request.accounts.length, MAX_ACCOUNTS);
      if (request.dry_run) {
        const drafts = request.accounts.map(accountDraft);
        return { accounts: await rehearseAccounts(deps, ctx, drafts, 'accounts') };
      }
      const write = keyedWrite(methods.createAccounts, WEEK_S);
      const run = async (tx: Transaction) => {
        const items = request.accounts.map(accountDraft);
        const accounts = only(await createAccounts(tx, deps, [{ ctx, items, list: 'accounts' }]));
        return { accounts: accounts.map((account) => accountMessage(account, clock.now_ms())) };
      };
      return submissions.count(ctx, request.accounts.length, () =>
        command(db, ctx, write, request, run),
      );
    },
    listAccounts: async (ctx, request) => {
      const listing = accountListing(request);
      const { updated_since_ms } = listing;
      const changed =
        updated_since_ms === undefined
          ? undefined
          : await listChangedAccounts(db, ctx, listing, updated_since_ms);
      const page = changed ?? (await listAccounts(db, ctx, listing));
      const now_ms = clock.now_ms();
      return {
        accounts: page.items.map((account) => accountMessage(account, now_ms)),
        next_cursor: page.next_cursor,
        next_updated_since: changed && toTimestamp(changed.next_updated_since_ms),
      };
    },
    getAccountSummary: async (ctx) => summaryMessage(await getAccountSummary(db, ctx)),
    getAccount: async (ctx, { account_id }) => ({
      account: accountMessage(await getAccount(db, ctx, account_id), clock.now_ms()),
    }),
    proveEvent: async (ctx, request) => {
      const proof = await proveEvent(db, ctx, {
        ...request,
        size: countFrom('size', request.size),
      });
      return { entry: proof.entry, index: BigInt(proof.index), path: [...proof.path] };
    },
    listAccountEvents: async (ctx, request) => {
      const { account, page } = await listAccountEvents(db, ctx, request);
      const { subject_id, id: account_id } = account.facts;
      return {
        events: page.items.map(({ standing, ...event }) => ({
          ...eventMessage({ subject_id, account_id, ...event }),
          standing: standing && standingMessage(standing),
        })),
        next_cursor: page.next_cursor,
      };
    },
    previewEvent: async (ctx, request) => {
      const item = eventItem(request.event);
      const { result, isMade } = await rehearse(db, ctx, deps.newId, (tx, newId) =>
        previewEvent(tx, { ...deps, newId }, ctx, item),
      );
      return previewMessage(result, clock.now_ms(), (id) => (isMade(id) ? NIL_UUID : id));
    },
    reportEvent: async (ctx, request) => {
      if (request.event === undefined) throw invalid('event', 'is required');
      if (request.dry_run) {
        const [event] = await rehearseEvents(deps, ctx, [eventItem(request.event)]);
        return { event };
      }
      return submissions.count(ctx, 1, () => reportEvent.submit(ctx, request));
    },
    reportEvents: async (ctx, request) => {
      checkCount('events', request.events.length, MAX_EVENTS);
      if (request.dry_run) {
        const items = request.events.map(eventItem);
        return { events: await rehearseEvents(deps, ctx, items, 'events') };
      }
      const write = keyedWrite(methods.reportEvents, WEEK_S);
      const run = async (tx: Transaction) => {
        const items = request.events.map(eventItem);
        const events = only(await recordEvents(tx, deps, [{ ctx, items, list: 'events' }]));
        return { events: events.map(eventMessage) };
      };
      return submissions.count(ctx, request.events.length, () =>
        command(db, ctx, write, request, run),
      );
    },
    recordInquiry: (ctx, request) => recordInquiry.submit(ctx, request),
    getInquiry: async (ctx, { inquiry_id }) => ({
      inquiry: ownInquiryMessage(await getInquiry(db, ctx, inquiry_id)),
    }),
    listInquiries: async (ctx, { from, to, ...wanted }) => {
      const page = await listInquiries(db, ctx, {
        ...wanted,
        purpose: specified(wanted.purpose),
        from_ms: msOf(from),
        to_ms: msOf(to),
      });
      return { inquiries: page.items.map(ownInquiryMessage), next_cursor: page.next_cursor };
    },
    getSubjectFile: async (ctx, { subject_id }) => {
      const file = await getSubjectFile(db, ctx, subject_id, clock.now_ms());
      return {
        ...fileMessage(file),
        subject_version: file.version,
        left_version: file.left_version,
        last_event_id: file.last_event_id,
      };
    },
    ...derivedHandlers(deps),
    ...importHandlers(deps),
    ...networkDisputeHandlers(deps),
    ...personFileHandlers(deps),
    ...rightsHandlers(deps),
    ...sandboxHandlers(deps),
    ...subjectMoveHandlers(deps),
    getReportingHealth: async (ctx) => {
      await submissions.flush(ctx.environment);
      return healthMessage(await getReportingHealth(db, ctx, clock.now_ms()));
    },
    getReportingHealthByDay: async (ctx) => ({
      days: await getHealthByDay(db, ctx, clock.now_ms()),
    }),
    listHealthAccounts: async (ctx, request) => {
      const { looked_at, accounts } = await listLowAccounts(db, ctx, request, clock.now_ms());
      return { looked_at, accounts: accounts.map(lowAccountMessage) };
    },
    countRejections: async (ctx, { rejections }) => {
      await addRejections(deps, ctx, rejections);
      return {};
    },
    listInquiryPurposes: async (ctx) => ({
      purposes: await listInquiryPurposes(db, ctx, clock.now_ms()),
    }),
    listRejections: async (ctx, { limit }) => ({
      rejections: await getRejections(db, ctx, limit, clock.now_ms()),
    }),
    getReportingTotals: (ctx) => getReportingTotals(db, ctx, clock.now_ms()),
    getReportingFigures: (ctx) => getReportingFigures(db, ctx, clock.now_ms()),
    getReportingTraffic: (ctx) => getReportingTraffic(db, ctx, clock.now_ms()),
  });
}

// --- dry runs: the same commands, rolled back

async function rehearseAccounts(
  deps: ReportingDeps,
  ctx: CallContext,
  items: readonly AccountDraft[],
  list?: string,
): Promise<types.Account[]> {
  const { result, isMade } = await rehearse(deps.db, ctx, deps.newId, async (tx, newId) =>
    only(await createAccounts(tx, { ...deps, newId }, [{ ctx, items, list }])),
  );
  tellDryRun(ctx);
  return result
    .map((account) => accountMessage(account, deps.clock.now_ms()))
    .map((account) => ({
      ...account,
      id: isMade(account.id) ? NIL_UUID : account.id,
      subject_id: isMade(account.subject_id) ? NIL_UUID : account.subject_id,
    }));
}

/** The answer is the same as that of the real request: its header tells them apart. */
function tellDryRun(ctx: CallContext): void {
  ctx.reply_metadata.set('dry-run', 'true');
}

async function rehearseEvents(
  deps: ReportingDeps,
  ctx: CallContext,
  items: readonly EventItem[],
  list?: string,
): Promise<types.CreditEvent[]> {
  const { result, isMade } = await rehearse(deps.db, ctx, deps.newId, async (tx, newId) =>
    only(await recordEvents(tx, { ...deps, newId }, [{ ctx, items, list }])),
  );
  tellDryRun(ctx);
  return result
    .map(eventMessage)
    .map((event) => (isMade(event.id) ? { ...event, id: NIL_UUID } : event));
}

// --- commands that concurrent callers commit together

function reportEventGroup(
  deps: ReportingDeps,
): GroupCommit<wire.ReportEventRequest, wire.ReportEventResponse> {
  return groupCommit(deps.db, {
    ...keyedWrite(methods.reportEvent, DAY_S),
    max_batch: deps.max_batch,
    run: async (tx, entries) => {
      const requests = entries.map(
        ({ ctx, item }): BatchRequest<EventItem> => ({
          ctx,
          items: [eventItem(item.event)],
        }),
      );
      const outcomes = await recordEvents(tx, deps, requests);
      return outcomes.map((outcome) =>
        mapOutcome(outcome, ([event]) => ({ event: event && eventMessage(event) })),
      );
    },
  });
}

function createAccountGroup(
  deps: ReportingDeps,
): GroupCommit<wire.CreateAccountRequest, wire.CreateAccountResponse> {
  return groupCommit(deps.db, {
    ...keyedWrite(methods.createAccount, DAY_S),
    max_batch: deps.max_batch,
    run: async (tx, entries) => {
      const requests = entries.map(
        ({ ctx, item }): BatchRequest<AccountDraft> => ({
          ctx,
          items: [accountDraft(item.account)],
        }),
      );
      const outcomes = await createAccounts(tx, deps, requests);
      return outcomes.map((outcome) =>
        mapOutcome(outcome, ([account]) => ({
          account: account && accountMessage(account, deps.clock.now_ms()),
        })),
      );
    },
  });
}

function recordInquiryGroup(
  deps: ReportingDeps,
): GroupCommit<wire.RecordInquiryRequest, wire.RecordInquiryResponse> {
  return groupCommit(deps.db, {
    ...keyedWrite(methods.recordInquiry, DAY_S),
    max_batch: deps.max_batch,
    run: async (tx, entries) => {
      const calls = entries.map(({ ctx, item }) => ({
        ctx,
        item: {
          inquiry_id: item.inquiry_id.toLowerCase(),
          subject_id: item.subject_id.toLowerCase(),
          purpose: specified(item.purpose),
          inquiry_type: specified(item.inquiry_type),
          consent_reference: item.consent_reference,
        },
      }));
      const outcomes = await recordInquiries(tx, deps, calls);
      return outcomes.map((outcome) =>
        mapOutcome(
          outcome,
          ({ inquiry, subject, open_dispute_count, rights }): wire.RecordInquiryResponse => ({
            inquiry: ownInquiryMessage(inquiry),
            subject: subjectMessage(subject),
            // Before the inquiry: it is not in the profile that it was made for.
            profile_version: inquiry.subject_version - 1,
            open_dispute_count,
            ...shownRights(rights),
          }),
        ),
      );
    },
  });
}

function mapOutcome<From, To>(outcome: Outcome<From>, map: (value: From) => To): Outcome<To> {
  return 'value' in outcome ? { value: map(outcome.value) } : outcome;
}

/** The outcome of a batch that was alone. */
function only<Res>([outcome]: readonly Outcome<Res>[]): Res {
  if (outcome === undefined) throw new Error('A request was not decided.');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function checkCount(list: string, count: number, max: number): void {
  if (count > max)
    throw tooLarge(`At most ${max} ${list} fit into one request.`, 'BATCH_TOO_LARGE');
  if (count === 0) throw invalid(list, 'must not be empty');
}
