import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import type { InquiryRecorded, RecordCorrected } from '@credit/proto/events/v1/events';
import { recordAuditEvents } from './commands/record-audit-events';
import { signEventLog } from './commands/sign-event-log';
import type { SigningDependencies } from './commands/sign-next';
import { type TellingOfDisputes, tellOfDispute } from './commands/tell-of-disputes';
import { tellOfOutcome, tellOfReceipt } from './commands/tell-openers';
import { NETWORK_CHAIN_ID } from './domain/audit-chain';
import { outcomeStatus } from './domain/opener-mail';
import { endContacts, tellPersons } from './persons/commands/contact';
import { endLinksTo } from './persons/store/access-links';
import type { PersonNews } from './persons/store/person-contacts';
import { endSessionsOf } from './persons/store/person-sessions';
import { settleNotices } from './store/dispute-mails';

/** What the consumers need. */
export interface ConsumerDependencies extends SigningDependencies, TellingOfDisputes {
  /** Undefined when the network sends none: nothing is owed then. */
  readonly mails?: { wake(): void } | undefined;
}

/**
 * What identity takes from the bus: every service's audit entries, its own among them, what the log of
 * credit events has become, to sign it, and live disputes, to tell people of them by mail: those who
 * furnished what is contested, and those who contest it. And what happens to live files, to tell the people
 * whom they are about, where they want it.
 */
export function identityConsumers(deps: ConsumerDependencies): ConsumerDefinition[] {
  const { mails } = deps;
  return [
    consumer({
      name: 'identity',
      type: 'audit_recorded',
      handleBatch: (_ctx, entries, tx) =>
        recordAuditEvents(
          tx,
          entries.map(({ event, payload }) => ({
            chain_id: payload.institution_id === '' ? NETWORK_CHAIN_ID : payload.institution_id,
            id: event.id,
            at: payload.at ?? event.created_at ?? '',
            actor_type: payload.actor_type,
            actor_id: payload.actor_id,
            action: payload.action,
            target_type: payload.target_type,
            target_id: payload.target_id,
            environment: event.environment,
            request_id: event.request_id,
            ip: payload.ip,
            changes: payload.changes_json,
          })),
        ),
    }),
    consumer({
      name: 'identity',
      type: 'event_log_grown',
      handle: (ctx, _event, payload, tx) =>
        signEventLog(tx, deps, {
          environment: ctx.environment,
          institution_id: payload.institution_id,
          from_size: Number(payload.from_size),
          head: { size: Number(payload.size), root: Buffer.from(payload.root_hash) },
          path: payload.consistency_path.map((hash) => Buffer.from(hash)),
        }),
    }),
    consumer({
      name: 'identity',
      type: 'dispute_opened',
      concerns: (environment, { told_before }) => environment === 'live' && told_before !== true,
      async handle(_ctx, _event, payload, tx) {
        if (mails === undefined) return;
        const { dispute_id, due_at, institution_ids, reason } = payload;
        if (due_at === undefined) throw new Error('A dispute has no due date.');
        const notices = institution_ids.map((institution_id) => {
          return { institution_id, dispute_id, reason, due_at };
        });
        await tellOfDispute(tx, { ...deps, mails }, notices);
      },
    }),
    consumer({
      name: 'identity',
      type: 'dispute_answered',
      concerns: (environment) => environment === 'live' && mails !== undefined,
      handle: (_ctx, _event, payload, tx) => settleNotices(tx, payload, [payload.institution_id]),
    }),
    consumer({
      name: 'identity',
      type: 'dispute_resolved',
      concerns: (environment) => environment === 'live' && mails !== undefined,
      handle: (_ctx, _event, payload, tx) => settleNotices(tx, payload, payload.institution_ids),
    }),
    consumer({
      name: 'identity',
      type: 'dispute_mail_owed',
      concerns: (environment) => environment === 'live',
      async handle(_ctx, _event, payload, tx) {
        const { client_address = '', contact_email, outcome, ...rest } = payload;
        const { due_at, opened_at, ...named } = rest;
        if (due_at === undefined || opened_at === undefined) {
          throw new Error('A dispute has no dates.');
        }
        const dispute = { ...named, due_at, opened_at };
        if (outcome !== undefined) {
          const status = outcomeStatus(outcome.status);
          if (status === undefined) throw new Error(`${outcome.status} is no outcome.`);
          await tellOfOutcome(tx, deps, dispute, { ...outcome, status });
        } else if (contact_email !== undefined && mails !== undefined) {
          await tellOfReceipt(tx, { ...deps, mails }, dispute, { client_address, contact_email });
        }
      },
    }),
    consumer({
      name: 'identity',
      type: 'inquiry_recorded',
      // Most looks are nobody's news. One that an outcome takes away is told again, and no news.
      concerns: (environment, { inquiry }) =>
        environment === 'live' &&
        mails !== undefined &&
        inquiry?.inquiry_type === 'HARD' &&
        inquiry.voided_at === undefined,
      handleBatch: (_ctx, entries, tx) =>
        tellPersons(
          tx,
          deps,
          entries.map(({ payload }) => newsOfInquiry(payload)),
        ),
    }),
    consumer({
      name: 'identity',
      type: 'record_corrected',
      concerns: (environment) => environment === 'live' && mails !== undefined,
      // Those who were told of a fact and those who looked are told apart: the person once of both.
      handleBatch: (_ctx, entries, tx) =>
        tellPersons(
          tx,
          deps,
          entries.map(({ payload }) => newsOfCorrection(payload)),
        ),
    }),
    consumer({
      name: 'identity',
      type: 'subject_records_moved',
      // Who was let in to one file was not let in to another: the person comes in again.
      async handle({ environment }, _event, { kind, from_subject_id, to_subject_id }, tx) {
        const ended = kind === 'MERGE' ? [from_subject_id] : [from_subject_id, to_subject_id];
        await endSessionsOf(tx, ended, environment);
        await endLinksTo(tx, ended, environment);
        await endContacts(tx, deps, ended, environment);
      },
    }),
  ];
}

function newsOfInquiry({ inquiry, subject_id }: InquiryRecorded): PersonNews {
  if (inquiry?.created_at === undefined) throw new Error('An inquiry has no date.');
  const { created_at, inquiry_id, institution_id, purpose } = inquiry;
  return {
    kind: 'INQUIRY',
    ref_id: inquiry_id,
    subject_id,
    institution_id,
    purpose,
    happened_at: created_at,
  };
}

function newsOfCorrection(payload: RecordCorrected): PersonNews {
  const { correction_event_id, reported_at, reporting_institution_id, subject_id } = payload;
  if (reported_at === undefined) throw new Error('A correction has no date.');
  return {
    kind: 'CORRECTION',
    ref_id: correction_event_id,
    subject_id,
    institution_id: reporting_institution_id,
    purpose: undefined,
    happened_at: reported_at,
  };
}
