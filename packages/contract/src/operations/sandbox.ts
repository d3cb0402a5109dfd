import { DisputeReason } from '@credit/proto/disputes/v1/disputes';
import { Persona } from '@credit/proto/reporting/v1/reporting';
import { testScope } from '../access';
import { operation } from '../operation';
import { boolean, enumeration, id, integer, list, reply, request } from '../wire';
import { decision, dispute } from './disputes';
import recorded from './recorded-answers.json';
import { subject } from './subjects';

export const createPersona = operation({
  id: 'createPersona',
  method: 'POST',
  path: '/sandbox/personas',
  tag: 'Sandbox',
  rpc: ['credit.reporting.v1.ReportingService/CreatePersona'],
  summary: 'Make a persona',
  description:
    'Makes a fresh subject with accounts at fictional furnishers and years of history, in the test ' +
    'environment. The sandbox guide says what the profile of each persona holds, to the point. Your ' +
    'institution may make 500 a day.',
  access: testScope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  body: request({
    persona: enumeration(Persona),
    days_past_due: integer({
      min: 1,
      max: 180,
      description: 'For RECENT_DELINQUENCY: how many days the loan is behind.',
    }).optional(),
    entry_age_days: integer({
      min: 181,
      max: 2_555,
      description:
        'For CURED_DEFAULT: how many days ago the trouble began. It was a default 90 days later, ' +
        'and cured 180 days later.',
    }).optional(),
  }),
  status: 201,
  response: reply({
    persona: enumeration(Persona),
    subject,
    account_count: integer({ description: 'Accounts on its file.' }),
    event_count: integer({ description: 'Credit events about them, with the openings.' }),
    inquiry_count: integer({ description: 'Hard inquiries of the past about it.' }),
    own_account_ids: list(id(), {
      description: 'The accounts that your own institution reports. For YOUR_ACCOUNT.',
    }),
  }),
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { persona: 'CURED_DEFAULT' },
    response: recorded.createPersona,
  },
});

export const openSandboxDispute = operation({
  id: 'openSandboxDispute',
  method: 'POST',
  path: '/sandbox/disputes',
  tag: 'Sandbox',
  rpc: ['credit.disputes.v1.DisputesService/OpenSandboxDispute'],
  summary: 'Open a dispute in test',
  description:
    'Contests an event in the name of its subject, in the test environment, as `POST ' +
    '/public/disputes` does with live data: your feed and your webhooks hear of it. The event is one ' +
    'that your institution reported, or one about a persona that it made; then you are the ' +
    'institution concerned, in the place of the fictional furnisher. `opened_days_ago` brings the due ' +
    'date as near as you like, or past. Your institution may open 200 a day.',
  access: testScope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    credit_event_id: id('As `GET /accounts/{account_id}/events` lists it, or a report.'),
    reason: enumeration(DisputeReason, { without: ['IDENTITY_THEFT'] }).default('OTHER'),
    opened_days_ago: integer({
      min: 0,
      max: 40,
      description: 'How many days ago it was opened; it is due 30 days after that.',
    }).default(0),
  }),
  status: 201,
  response: dispute,
  errors: ['NOT_FOUND'],
  examples: {
    body: {
      credit_event_id: recorded.reportEvent.id,
      reason: 'INCORRECT_STATUS',
      opened_days_ago: 25,
    },
    response: recorded.openSandboxDispute,
  },
});

export const moveSandboxDispute = operation({
  id: 'moveSandboxDispute',
  method: 'PATCH',
  path: '/sandbox/disputes/{dispute_id}',
  tag: 'Sandbox',
  rpc: ['credit.disputes.v1.DisputesService/MoveSandboxDispute'],
  summary: 'Decide a dispute in test',
  description:
    'Decides, as an administrator of the network would by `PATCH /admin/disputes/{dispute_id}`, ' +
    'about a dispute that your institution opened by `POST /sandbox/disputes`. All that goes with a ' +
    'decision happens: the account is under review, the event is corrected, your feed and your ' +
    'webhooks hear of the outcome. Outcomes are final.',
  access: testScope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: { dispute_id: id('As the answer to opening it says.') },
  body: decision,
  status: 200,
  response: dispute,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { dispute_id: recorded.openSandboxDispute.id },
    body: { status: 'RESOLVED_UPHELD', resolution: 'The records of the furnisher say so.' },
    response: recorded.moveSandboxDispute,
  },
});

export const clearSandbox = operation({
  id: 'clearSandbox',
  method: 'DELETE',
  path: '/sandbox',
  tag: 'Sandbox',
  rpc: [
    'credit.disputes.v1.DisputesService/RejectSandboxDisputes',
    'credit.reporting.v1.ReportingService/ClearSandbox',
  ],
  summary: 'Clear what you made',
  description:
    'Takes off the file what your institution made in the test environment: its accounts, its ' +
    'inquiries, and the subjects that it created and nobody else has a record of, whose names are ' +
    'free then. Disputes that it opened in test and that have no outcome are rejected first. A call does what fits into some seconds and says whether that was all; call again ' +
    'while `done` is false. Records stay readable, as of anything that is voided. What others made, ' +
    'keys, webhooks and reports are left alone.',
  access: testScope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: reply({
    done: boolean('False while there is more.'),
    disputes: integer({ description: 'Disputes that this call rejected.' }),
    accounts: integer({ description: 'Accounts that this call took off the file.' }),
    inquiries: integer({ description: 'Inquiries that this call took the effect of.' }),
    subjects: integer({ description: 'Subjects whose names this call freed.' }),
  }),
  errors: [],
  examples: { response: recorded.clearSandbox },
});
