import { TEXTS } from '@credit/platform/values';
import { DisputeReason, DisputeTelling } from '@credit/proto/disputes/v1/disputes';
import { person } from '../access';
import { operation } from '../operation';
import {
  email,
  enumeration,
  id,
  label,
  list,
  named,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import { dispute, disputeFields, disputeStep } from './disputes';
import { institution } from './my-file';
import recorded from './recorded-answers.json';

export const openMyDispute = operation({
  id: 'openMyDispute',
  method: 'POST',
  path: '/my/disputes',
  tag: 'Your file',
  rpc: ['credit.disputes.v1.DisputesService/OpenPersonDispute'],
  summary: 'Contest a record of the own file',
  description:
    'Says that an event, an account or a look of your own file is wrong: name one of the three. Who ' +
    'reports it, or looked, is told at once. IDENTITY_THEFT has the record left out of the score, the ' +
    'profile and every report of others from the answer on, until it is decided, which is due in 4 ' +
    'business days; once that was decided against you, the same record is not left out again. Two ' +
    'mails go to `contact_email`. You may open 20 a day.',
  access: person,
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  body: request({
    credit_event_id: id('An event of the own file.').optional(),
    account_id: id('An account of it, as a whole.').optional(),
    inquiry_id: id('Somebody’s look at it; `reason` is UNAUTHORISED_INQUIRY.').optional(),
    reason: enumeration(DisputeReason),
    description: text(TEXTS.dispute_description),
    evidence_links: list(url(['http', 'https']), { max: 10 }).default([]),
    contact_email: email(
      'Where the network sends mail: that the dispute was received, and how it was decided. Only its ' +
        'administrators see the address.',
    ).optional(),
  }),
  status: 201,
  response: dispute,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      credit_event_id: recorded.openMyDispute.credit_event_id,
      reason: 'PAYMENT_REPORTED_LATE',
      description: 'It was paid the day before it was due; my bank has the receipt.',
    },
    response: recorded.openMyDispute,
  },
});

export const listMyDisputes = operation({
  id: 'listMyDisputes',
  method: 'GET',
  path: '/my/disputes',
  tag: 'Your file',
  rpc: ['credit.disputes.v1.DisputesService/ListPersonDisputes'],
  summary: 'List the own disputes',
  description:
    'What you have contested of your own file in a session of your own, the newest first. What was ' +
    'opened by `POST /public/disputes` is followed with its own token.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(dispute),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listMyDisputes },
});

export const getMyDispute = operation({
  id: 'getMyDispute',
  method: 'GET',
  path: '/my/disputes/{dispute_id}',
  tag: 'Your file',
  rpc: [
    'credit.disputes.v1.DisputesService/GetPersonDispute',
    'credit.identity.v1.IdentityService/NameInstitutions',
  ],
  summary: 'Read an own dispute',
  description:
    'How it stands, what its outcome has changed of the record, field by field, and who was told.',
  access: person,
  limit_class: 'STANDARD',
  params: { dispute_id: id('A dispute that you have opened.') },
  status: 200,
  response: named(
    'MyDispute',
    reply({
      ...disputeFields,
      steps: list(disputeStep, {
        description: 'What has happened, in that order. What an institution answered is not said.',
      }),
      changes: list(
        named(
          'FieldChange',
          reply({
            field: label('Of the event or the account; `inquiry` of a look.'),
            before: orNull(label('null where there was nothing.')),
            after: orNull(label('null where there is nothing any more.')),
          }),
        ),
        { description: 'What the outcome has changed of the record.' },
      ),
      told: list(
        reply({
          institution: institution('Who was told.'),
          telling: enumeration(DisputeTelling),
          at: timestamp(),
        }),
        { description: 'Those whose reporting, or whose look, it is about.' },
      ),
    }),
  ),
  errors: ['NOT_FOUND'],
  examples: {
    params: { dispute_id: recorded.openMyDispute.id },
    response: recorded.getMyDispute,
  },
});
