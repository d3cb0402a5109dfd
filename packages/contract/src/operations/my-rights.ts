import { TEXTS } from '@credit/platform/values';
import { AlertKind, InquiryType, Purpose, StatedRecord } from '@credit/proto/reporting/v1/types';
import { person } from '../access';
import { operation } from '../operation';
import { enumeration, id, list, named, orNull, reply, request, text, timestamp } from '../wire';
import recorded from './recorded-answers.json';

const thaw = named(
  'FileThaw',
  reply({
    id: id(),
    institution_id: orNull(id('Whom the file is open to; null for everybody.')),
    starts_at: timestamp(),
    ends_at: orNull(timestamp('null while it lasts until it is withdrawn.')),
  }),
);

const freeze = named(
  'FileFreeze',
  reply({
    frozen_since: orNull(
      timestamp(
        'Since when the file is kept from who looks for new business; null while it is not.',
      ),
    ),
    thaws: list(thaw, {
      description: 'Exceptions that are not over, in the order of their placing.',
    }),
    refused_inquiries: list(
      reply({
        id: id(),
        institution_id: id('Who was turned away.'),
        purpose: enumeration(Purpose),
        inquiry_type: enumeration(InquiryType),
        created_at: timestamp(),
      }),
      { description: 'For the freeze, in the last 24 months: the newest first, 100 at most.' },
    ),
  }),
);

export const getMyFreeze = operation({
  id: 'getMyFreeze',
  method: 'GET',
  path: '/my/freeze',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/GetFileRights'],
  summary: 'Read the freeze of the own file',
  description:
    'Whether the own file is frozen, to whom it is open all the same, and who was turned away. Nobody ' +
    'else is shown that.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: freeze,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { response: recorded.getMyFreeze },
});

export const placeMyFreeze = operation({
  id: 'placeMyFreeze',
  method: 'POST',
  path: '/my/freeze',
  tag: 'Your file',
  rpc: [
    'credit.reporting.v1.ReportingService/PlaceFreeze',
    'credit.reporting.v1.ReportingService/GetFileRights',
  ],
  summary: 'Freeze the own file',
  description:
    'From the answer on nobody is shown the file for new business: a new credit, a refinancing, a ' +
    'guarantee, an offer, a check of a counterparty. Lenders go on reviewing and collecting the ' +
    'accounts that there are. Changes nothing while the file is frozen. It costs nothing and moves ' +
    'no score.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 201,
  response: freeze,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { response: recorded.placeMyFreeze },
});

export const liftMyFreeze = operation({
  id: 'liftMyFreeze',
  method: 'DELETE',
  path: '/my/freeze',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/LiftFreeze'],
  summary: 'End the freeze of the own file',
  description:
    'The file is shown again to whoever has a purpose; all thaws end with the freeze. Changes nothing ' +
    'while the file is not frozen.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {},
});

export const placeMyThaw = operation({
  id: 'placeMyThaw',
  method: 'POST',
  path: '/my/freeze/thaws',
  tag: 'Your file',
  rpc: [
    'credit.identity.v1.IdentityService/NameInstitutions',
    'credit.reporting.v1.ReportingService/PlaceThaw',
  ],
  summary: 'Open the frozen file',
  description:
    'Opens the frozen file to one institution, for a time, or both: for who is to decide on a credit ' +
    'that you have asked for. Placed again as it stands it is the same thaw; 20 at a time at most. What was refused before stays refused: the ' +
    'institution asks anew.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  body: request({
    institution_id: id('Whom to open it to; everybody when left out.').optional(),
    starts_at: timestamp('Now when left out; within a year.').optional(),
    ends_at: timestamp(
      'Within a year. Required when no institution is named; otherwise it lasts until it is withdrawn.',
    ).optional(),
  }),
  status: 201,
  response: thaw,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: { institution_id: recorded.placeMyThaw.institution_id },
    response: recorded.placeMyThaw,
  },
});

export const withdrawMyThaw = operation({
  id: 'withdrawMyThaw',
  method: 'DELETE',
  path: '/my/freeze/thaws/{thaw_id}',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/WithdrawThaw'],
  summary: 'Close the frozen file again',
  description: 'Ends a thaw before its time. 404 when it is over.',
  access: person,
  limit_class: 'STANDARD',
  params: { thaw_id: id('The thaw.') },
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { thaw_id: recorded.placeMyThaw.id } },
});

const alert = named(
  'FileAlert',
  reply({
    id: id(),
    kind: enumeration(AlertKind),
    placed_at: timestamp(),
    ends_at: timestamp('When it ends by itself: a year after it was placed.'),
  }),
);

export const listMyAlerts = operation({
  id: 'listMyAlerts',
  method: 'GET',
  path: '/my/alerts',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/GetFileRights'],
  summary: 'List the alerts on the own file',
  description: 'What everybody who reads the own file is warned of.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: list(alert),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { response: recorded.listMyAlerts },
});

export const placeMyAlert = operation({
  id: 'placeMyAlert',
  method: 'POST',
  path: '/my/alerts',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/PlaceAlert'],
  summary: 'Have readers of the own file warned',
  description:
    'For a year every profile and report says that somebody may be borrowing in your name, and that ' +
    'the identity of an applicant has to be verified. Placed again it is one alert, for a year from ' +
    'then on. It moves no score.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  body: request({ kind: enumeration(AlertKind, { description: 'What to warn of.' }) }),
  status: 201,
  response: alert,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { body: { kind: 'FRAUD' }, response: recorded.placeMyAlert },
});

export const removeMyAlert = operation({
  id: 'removeMyAlert',
  method: 'DELETE',
  path: '/my/alerts/{alert_id}',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/RemoveAlert'],
  summary: 'End an alert',
  description: 'Ends an alert before its time. 404 when it is over.',
  access: person,
  limit_class: 'STANDARD',
  params: { alert_id: id('The alert.') },
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { alert_id: recorded.placeMyAlert.id } },
});

const statement = named(
  'FileStatement',
  reply({
    record_kind: enumeration(StatedRecord),
    record_id: id('The credit event or the account.'),
    account_id: id('The account, or the event’s one.'),
    institution_id: id('Who reports the record.'),
    text: text(TEXTS.statement),
    set_at: timestamp(),
  }),
);

export const listMyStatements = operation({
  id: 'listMyStatements',
  method: 'GET',
  path: '/my/statements',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/GetFileRights'],
  summary: 'List the own statements',
  description: 'What you have said about records of your file, in the order it was first said.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: list(statement),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { response: recorded.listMyStatements },
});

export const setMyStatement = operation({
  id: 'setMyStatement',
  method: 'PUT',
  path: '/my/statements/{record_id}',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/SetStatement'],
  summary: 'Say something about a record',
  description:
    'Your own words about an event or an account of your file, shown with it in every profile and ' +
    'report, as you write them: leave out what is nobody’s business. Said again they replace what you ' +
    'said before. 50 records at most. It moves no score; what is wrong is put right by a dispute.',
  access: person,
  limit_class: 'STANDARD',
  params: { record_id: id('A credit event or an account of the own file.') },
  body: request({ text: text(TEXTS.statement) }),
  status: 200,
  response: statement,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { record_id: recorded.setMyStatement.record_id },
    body: { text: recorded.setMyStatement.text },
    response: recorded.setMyStatement,
  },
});

export const removeMyStatement = operation({
  id: 'removeMyStatement',
  method: 'DELETE',
  path: '/my/statements/{record_id}',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/RemoveStatement'],
  summary: 'Take a statement back',
  description:
    'It is shown no more, but in profiles and reports of the time when it was. 404 without one.',
  access: person,
  limit_class: 'STANDARD',
  params: { record_id: id('The record that it is about.') },
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { record_id: recorded.setMyStatement.record_id } },
});
