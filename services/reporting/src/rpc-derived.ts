// What scoring asks of the record: heads to compare, files of past moments, events between two
// times, and files as they would be.

import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { uuidFrom } from '@credit/platform/requests';
import type { Handlers } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { specified } from '@credit/platform/values';
import type * as wire from '@credit/proto/reporting/v1/reporting';
import { followSubject } from './commands/follow-subject';
import type { HypotheticalEvent } from './domain/hypothesis';
import { eventMessage, fileMessage, inquiryFact, projectionMessage, shownRights } from './messages';
import { listOwnRecords } from './queries/own-records';
import { type AccountRecord, subjectEventsAt, subjectFileAt } from './queries/past';
import { simulateSubjectFile } from './queries/simulate-subject-file';
import { subjectChanges } from './queries/subject-changes';
import { subjectHeadsPage } from './queries/subject-heads-page';
import { msOf } from './values-from-proto';

type DerivedHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  | 'listSubjectHeads'
  | 'getSubjectFileAt'
  | 'listSubjectEventsAt'
  | 'listSubjectChanges'
  | 'simulateSubjectFile'
  | 'followSubject'
  | 'listOwnRecords'
>;

/** Handlers of what is read to derive something. */
export function derivedHandlers(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
}): DerivedHandlers {
  const { db, clock, newId } = deps;
  return {
    listSubjectHeads: async (ctx, request) => ({
      heads: await subjectHeadsPage(db, ctx, request),
    }),
    getSubjectFileAt: async (ctx, { subject_id, as_of, known_at }) => {
      const times = { as_of_ms: msOf(as_of), known_at_ms: msOf(known_at) };
      const wanted = { subject_id, ...times, now_ms: clock.now_ms() };
      const file = await subjectFileAt(db, ctx, wanted);
      return { ...fileMessage(file), ...shownRights(file.rights) };
    },
    listSubjectEventsAt: async (ctx, { subject_id, known_at, cursor }) => {
      const wanted = { subject_id, known_at_ms: msOf(known_at), cursor };
      const { accounts, next_cursor } = await subjectEventsAt(db, ctx, wanted);
      return { accounts: accounts.map((record) => eventsMessage(ctx, record)), next_cursor };
    },
    listSubjectChanges: async (ctx, request) => {
      const { changes, inquiries, truncated } = await subjectChanges(db, ctx, request);
      return {
        changes: changes.map((change) => ({
          credit_event_id: change.credit_event_id,
          account_type: change.account_type,
          event_type: change.event_type,
          effect: change.effect,
          occurred_at: toTimestamp(change.occurred_at_ms),
          reported_at: toTimestamp(change.reported_at_ms),
          own: change.institution_id === ctx.institution_id,
        })),
        inquiries: inquiries.map(inquiryFact),
        truncated,
      };
    },
    simulateSubjectFile: async (ctx, { subject_id, events }) => {
      const wanted = { subject_id, events: events.map(hypothesis), now_ms: clock.now_ms(), newId };
      const { file, changed } = await simulateSubjectFile(db, ctx, wanted);
      return { ...fileMessage(file), changed_accounts: changed.map(projectionMessage) };
    },
    followSubject: async (ctx, request) => {
      const subject_id = uuidFrom('subject_id', request.subject_id);
      await db.transaction(ctx, (tx) => followSubject(tx, { clock }, ctx, subject_id));
      return {};
    },
    listOwnRecords: async (ctx, request) => ({
      record_ids: await listOwnRecords(db, ctx, request),
    }),
  };
}

function eventsMessage(ctx: CallContext, { account, records }: AccountRecord): wire.AccountEvents {
  const { subject_id, id: account_id, institution_id, external_account_id } = account.facts;
  const own = institution_id === ctx.institution_id;
  return {
    account_id,
    external_account_id: own ? external_account_id : undefined,
    events: records.map((record) => {
      const message = eventMessage({ subject_id, account_id, record });
      // Another institution's own words could name it.
      return own
        ? message
        : { ...message, source_reference: undefined, correction_reason: undefined };
    }),
  };
}

function hypothesis(event: wire.HypotheticalEvent): HypotheticalEvent {
  return {
    ...event,
    event_type: specified(event.event_type),
    occurred_at_ms: msOf(event.occurred_at),
    default_severity: specified(event.default_severity),
    account_type: specified(event.account_type),
  };
}
