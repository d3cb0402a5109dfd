import { Persona } from '@credit/proto/reporting/v1/reporting';
import { testScope } from '../access';
import { operation } from '../operation';
import { boolean, enumeration, id, integer, list, reply, request } from '../wire';
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
    response: {
      persona: 'CURED_DEFAULT',
      subject: recorded.createSubject,
      account_count: 2,
      event_count: 54,
      inquiry_count: 0,
      own_account_ids: [],
    },
  },
});

export const clearSandbox = operation({
  id: 'clearSandbox',
  method: 'DELETE',
  path: '/sandbox',
  tag: 'Sandbox',
  rpc: ['credit.reporting.v1.ReportingService/ClearSandbox'],
  summary: 'Clear what you made',
  description:
    'Takes off the file what your institution made in the test environment: its accounts, its ' +
    'inquiries, and the subjects that it created and nobody else has a record of, whose names are ' +
    'free then. A call does what fits into some seconds and says whether that was all; call again ' +
    'while `done` is false. Records stay readable, as of anything that is voided. What others made, ' +
    'keys, webhooks and reports are left alone.',
  access: testScope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: reply({
    done: boolean('False while there is more.'),
    accounts: integer({ description: 'Accounts that this call took off the file.' }),
    inquiries: integer({ description: 'Inquiries that this call took the effect of.' }),
    subjects: integer({ description: 'Subjects whose names this call freed.' }),
  }),
  errors: [],
  examples: { response: { done: true, accounts: 3, inquiries: 5, subjects: 2 } },
});
