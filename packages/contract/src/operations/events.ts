import { TEXTS } from '@credit/platform/values';
import {
  AccountStatus,
  Bucket,
  DefaultSeverity,
  EventEffect,
  EventType,
} from '@credit/proto/reporting/v1/types';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  label,
  list,
  money,
  named,
  orNull,
  page,
  queryFlag,
  reply,
  request,
  text,
  timestamp,
} from '../wire';
import { account, certification, correctedAccount, correctedFacts, dryRun } from './accounts';
import { coveringSize, inclusion } from './audit';
import recorded from './recorded-answers.json';

export const MAX_EVENTS = 500;

/** Event types that the network alone puts on record. */
export const OF_THE_NETWORK = ['EVENT_SUPPRESSED', 'EVENT_RESTORED'] as const;

const newEventFields = {
  event_type: enumeration(EventType, {
    without: OF_THE_NETWORK,
    description: 'The type alone moves the status; ACCOUNT_OPENED is written by the network.',
  }),
  occurred_at: timestamp('When it happened.'),
  amount: money('Required for payments and LIMIT_CHANGED. Never moves the balance.').optional(),
  balance_after: money('Moves the balance. Required for BALANCE_UPDATED.').optional(),
  source_reference: text({
    ...TEXTS.source_reference,
    description:
      'Your ledger entry, unique within the account. Repeated with the same content, the first ' +
      'event is returned; with other content it is 409.',
  }).optional(),
  default_severity: enumeration(DefaultSeverity, {
    description: 'DEFAULT_REPORTED only; MODERATE when left out.',
  }).optional(),
  supersedes_event_id: id('CORRECTION: the event of this account that was wrong.').optional(),
  correction_reason: text({
    ...TEXTS.correction_reason,
    description: 'CORRECTION: why.',
  }).optional(),
  corrected_event_type: enumeration(EventType, {
    without: OF_THE_NETWORK,
    description: 'CORRECTION: what happened instead. Left out, the event is only voided.',
  }).optional(),
  corrected_occurred_at: timestamp(
    'CORRECTION: when it happened instead. Left out, the place of what is corrected stays.',
  ).optional(),
  corrected_account: correctedAccount.optional(),
  certification: certification().optional(),
};

const newEvent = named('NewEvent', request(newEventFields));
const newBatchEvent = named(
  'NewBatchEvent',
  request({ credit_account_id: id(), ...newEventFields }),
);

const creditEventFields = {
  id: id(),
  credit_account_id: id(),
  subject_id: id(),
  event_type: enumeration(EventType),
  occurred_at: timestamp(),
  reported_at: timestamp('When the network recorded it.'),
  sequence: integer({ description: "Position in the account's record, from 1." }),
  amount: orNull(money()),
  balance_after: orNull(money()),
  source_reference: orNull(label()),
  default_severity: orNull(enumeration(DefaultSeverity)),
  supersedes_event_id: orNull(
    id(
      'Of a CORRECTION, what it corrects; of EVENT_SUPPRESSED, what is left out; of EVENT_RESTORED, which of these is over.',
    ),
  ),
  superseded_by_event_id: orNull(id()),
  correction_reason: orNull(label()),
  corrected_event_type: orNull(enumeration(EventType)),
  corrected_occurred_at: orNull(timestamp()),
  corrected_account: orNull(correctedFacts),
  certification: orNull(label('What was verified and how.')),
  by_network: boolean('Said by the network and not by its furnisher.'),
  open_dispute_count: integer({ description: 'Disputes about it without an outcome.' }),
  effect: enumeration(EventEffect, {
    description:
      'SUPERSEDED by a correction, IGNORED because one made it impossible, or SUPPRESSED while a ' +
      'dispute leaves it out.',
  }),
  resulting_status: orNull(enumeration(AccountStatus)),
};

/** An event on record. */
export const creditEvent = named('CreditEvent', reply(creditEventFields));

const listedEvent = named(
  'ListedEvent',
  reply({
    ...creditEventFields,
    standing: orNull(
      named(
        'EventStanding',
        reply({
          balance: money(),
          status: enumeration(AccountStatus, { description: 'DISPUTED under a dispute flag.' }),
          days_past_due: integer({ description: 'As of the time of the event.' }),
          bucket: enumeration(Bucket),
          credit_limit: orNull(money('As the last LIMIT_CHANGED had set it by then.')),
        }),
      ),
    ),
  }),
);

const newEventExample = {
  event_type: 'PAYMENT_MADE',
  occurred_at: '2026-02-01T08:00:00Z',
  amount: 143.48,
  balance_after: 8277.27,
  source_reference: 'ledger-88121',
};

const creditEventExample = recorded.reportEvent;

export const reportEvent = operation({
  id: 'reportEvent',
  method: 'POST',
  path: '/accounts/{account_id}/events',
  tag: 'Events',
  rpc: ['credit.reporting.v1.ReportingService/ReportEvent'],
  summary: 'Report an event',
  description:
    "Appends an event to the account's record. Events are never changed or removed: a " +
    'CORRECTION supersedes a wrong one and both stay readable. One of ACCOUNT_OPENED changes the ' +
    'facts of corrected_account; without it, it takes the account off the file. A transition that ' +
    'the account’s status does not allow is 409, and so is a fact that the outcome of a dispute ' +
    'took off the record, unless a certification comes with it.',
  access: scope('events:write', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: { account_id: id('The account.') },
  query: dryRun,
  body: newEvent,
  status: 201,
  response: creditEvent,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { account_id: creditEventExample.credit_account_id },
    body: newEventExample,
    response: recorded.reportEvent,
  },
});

export const previewEvent = operation({
  id: 'previewEvent',
  method: 'POST',
  path: '/accounts/{account_id}/events/preview',
  tag: 'Events',
  rpc: ['credit.reporting.v1.ReportingService/PreviewEvent'],
  summary: 'Preview an event',
  description:
    'What an event, a CORRECTION above all, would make of the account and of its other events: it is ' +
    'decided as `POST /accounts/{account_id}/events` decides it, refused as that refuses it, and ' +
    'nothing is written. New ids are the nil UUID.',
  access: scope('events:write', 'records.write'),
  limit_class: 'STANDARD',
  priority: 'read',
  params: { account_id: id('The account.') },
  body: newEvent,
  status: 200,
  response: named(
    'EventPreview',
    reply({
      event: creditEvent,
      before: account,
      after: account,
      changed_events: list(creditEvent, {
        description:
          'Earlier events whose effect, successor or resulting status would be another, as they ' +
          'would be then; the latest first, 100 at most.',
      }),
      changed_events_left_off: integer({ min: 0, description: 'Of those, beyond the 100.' }),
    }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { account_id: creditEventExample.credit_account_id },
    body: {
      event_type: 'CORRECTION',
      occurred_at: '2026-02-10T08:00:00Z',
      supersedes_event_id: creditEventExample.id,
      correction_reason: 'The payment was booked to the wrong loan.',
      balance_after: 8420.75,
    },
    response: recorded.previewEvent,
  },
});

export const reportEvents = operation({
  id: 'reportEvents',
  method: 'POST',
  path: '/events/bulk',
  tag: 'Events',
  rpc: ['credit.reporting.v1.ReportingService/ReportEvents'],
  summary: 'Report up to 500 events',
  description:
    'Events of any of your accounts, all or none. Those of one account take effect in the order ' +
    'of occurred_at, those of the same time in the order given; the answer is in the order of the ' +
    'request. Errors name the item by its index.',
  access: scope('events:write', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  query: dryRun,
  body: request({ events: list(newBatchEvent, { min: 1, max: MAX_EVENTS }) }),
  batch: { field: 'events', max: MAX_EVENTS },
  status: 201,
  response: named('EventBatch', reply({ events: list(creditEvent) })),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      events: [
        {
          ...newEventExample,
          credit_account_id: creditEventExample.credit_account_id,
          occurred_at: '2026-03-01T08:00:00Z',
          balance_after: 8133.79,
          source_reference: 'ledger-88594',
        },
      ],
    },
    response: recorded.reportEvents,
  },
});

export const listAccountEvents = operation({
  id: 'listAccountEvents',
  method: 'GET',
  path: '/accounts/{account_id}/events',
  tag: 'Events',
  rpc: ['credit.reporting.v1.ReportingService/ListAccountEvents'],
  summary: "List an account's events",
  description:
    'The record of one of your accounts, the latest recorded first, corrections included: each ' +
    'names what it supersedes, and what is superseded names its correction.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { account_id: id('The account.') },
  query: {
    with_standing: queryFlag(
      'True to have `standing` said of each event: how the account stood right after it, where it ' +
        'happened. It is null otherwise, and of an event that is SUPERSEDED or IGNORED.',
    ),
    ...page,
  },
  status: 200,
  response: list(listedEvent),
  paging: 'PAGE',
  errors: ['NOT_FOUND'],
  examples: {
    params: { account_id: creditEventExample.credit_account_id },
    query: { with_standing: 'true' },
    response: recorded.listAccountEvents,
  },
});

export const proveEvent = operation({
  id: 'proveEvent',
  method: 'GET',
  path: '/accounts/{account_id}/events/{event_id}/proof',
  tag: 'Events',
  rpc: [
    'credit.identity.v1.IdentityService/GetEventLogCheckpoint',
    'credit.reporting.v1.ReportingService/ProveEvent',
  ],
  summary: 'Prove that an event stands in the log of your reports',
  description:
    'The hashes that lead from an event of one of your accounts to the root of a signed checkpoint ' +
    "over all events of your institution's accounts. 404 until a checkpoint covers it, about an " +
    'hour at most.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: { account_id: id('The account.'), event_id: id('The event.') },
  query: coveringSize,
  status: 200,
  response: inclusion,
  errors: ['NOT_FOUND'],
  examples: {
    params: { account_id: creditEventExample.credit_account_id, event_id: creditEventExample.id },
    response: recorded.proveEvent,
  },
});
