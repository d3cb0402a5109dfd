// What a person is shown of its own file. The caller is the person: there is no other file that it
// could name.

import type { Database } from '@credit/platform/db';
import type { Handlers } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import type { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import {
  contestedAccount,
  eventMessage,
  ownInquiryMessage,
  rightsMessage,
  subjectMessage,
} from './messages';
import { locatePersonRecord } from './queries/locate-person-record';
import { getPersonFile, listPersonEvents } from './queries/person-file';

type PersonFileHandlers = Pick<
  Handlers<typeof ReportingServiceDefinition>,
  'getPersonFile' | 'listPersonEvents' | 'locatePersonRecord'
>;

/** Handlers of how a person reads its own file. */
export function personFileHandlers(deps: {
  readonly db: Database;
  readonly clock: Clock;
}): PersonFileHandlers {
  const { db, clock } = deps;
  return {
    getPersonFile: async (ctx) => {
      const now_ms = clock.now_ms();
      const file = await getPersonFile(db, ctx, now_ms);
      const { id: subject_id } = file.subject;
      return {
        subject: subjectMessage(file.subject),
        accounts: file.accounts.map(({ account, events, next_cursor }) => ({
          account: contestedAccount(account, now_ms),
          credit_limit_minor: account.state.credit_limit_minor,
          events: events.map((event) =>
            eventMessage({ subject_id, account_id: account.facts.id, ...event }),
          ),
          next_cursor,
        })),
        has_more_accounts: file.has_more_accounts,
        inquiries: file.inquiries.map(ownInquiryMessage),
        has_more_inquiries: file.has_more_inquiries,
        rights: rightsMessage(file.rights),
        corrections: file.corrections.map(({ told_at_ms, institution_ids, ...correction }) => ({
          ...correction,
          told: institution_ids.map((institution_id) => ({
            institution_id,
            at: toTimestamp(told_at_ms),
          })),
        })),
        moves: file.moves.map((move) => ({
          kind: move.kind,
          came: move.to_subject_id === subject_id,
          moved_at: toTimestamp(move.moved_at_ms),
          account_count: move.accounts,
          inquiry_count: move.inquiries,
          dispute_count: move.disputes,
        })),
      };
    },
    locatePersonRecord: (ctx, { record }) =>
      locatePersonRecord(db, ctx, record && { kind: record.$case, id: record.value }),
    listPersonEvents: async (ctx, request) => {
      const { account, page } = await listPersonEvents(db, ctx, request);
      return {
        events: page.items.map((event) => eventMessage({ ...account, ...event })),
        next_cursor: page.next_cursor,
      };
    },
  };
}
