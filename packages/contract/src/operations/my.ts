import { person, publicAccess, scope } from '../access';
import { operation } from '../operation';
import { id, integer, label, named, oneOf, reply, request, text, timestamp } from '../wire';
import recorded from './recorded-answers.json';

const environment = (description: string) => oneOf(['live', 'test'], description);

const personSession = named(
  'PersonSession',
  reply({
    access_token: label('Send it as `Authorization: Bearer`. There is nothing to renew it with.'),
    token_type: oneOf(['Bearer']),
    expires_in: integer({ description: 'Seconds until the session is over.' }),
    subject_id: id('Whose file it opens: this one and no other.'),
    environment: environment('Which data the session is of.'),
  }),
);

export const createAccessLink = operation({
  id: 'createAccessLink',
  method: 'POST',
  path: '/subjects/{subject_id}/access-links',
  tag: 'Your file',
  rpc: [
    'credit.reporting.v1.ReportingService/RequireFurnisher',
    'credit.identity.v1.IdentityService/CreateAccessLink',
  ],
  summary: 'Let a person at the own file',
  description:
    'Makes a link that opens the file of a subject to the person whom it is about, once, within seven ' +
    'days. Give it to nobody else: by it you say that you know who it is. You must report an account ' +
    'of the subject. A new link of yours for the same subject ends the last. The audit log of your ' +
    'institution says who made it and when it was used.',
  access: scope('credit:report', 'disputes.respond'),
  limit_class: 'STANDARD',
  params: { subject_id: id('Whose file it opens.') },
  status: 201,
  response: named(
    'AccessLink',
    reply({
      token: label('`svc_al_…`, shown once. `POST /my/session` takes it.'),
      url: label('The page that takes it. Empty where the network does not know its own address.'),
      expires_at: timestamp(),
    }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: recorded.createSubject.id },
    response: recorded.createAccessLink,
  },
});

export const openMySession = operation({
  id: 'openMySession',
  method: 'POST',
  path: '/my/session',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/OpenAccessLink'],
  summary: 'Open a link to the own file',
  description:
    'Uses up the link that a lender gave, and begins a session of an hour for the file that it is ' +
    'about. Everything below `/my` takes the session, and nothing else does.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({ token: text({ max: 100, description: 'Of the link, `svc_al_…`.' }) }),
  status: 201,
  response: personSession,
  errors: ['INSUFFICIENT_SCOPE'],
  examples: { body: { token: `svc_al_${'x'.repeat(43)}` }, response: recorded.openMySession },
});

export const endMySession = operation({
  id: 'endMySession',
  method: 'DELETE',
  path: '/my/session',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/EndPersonSession'],
  summary: 'Leave the own file',
  description: 'Ends the session: its token is good for nothing any more.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 204,
  errors: [],
  examples: {},
});

const signInToken = () =>
  text({ max: 100, description: 'From `POST /my/sign-ins`: whoever began it ends it.' });

export const beginMySignIn = operation({
  id: 'beginMySignIn',
  method: 'POST',
  path: '/my/sign-ins',
  tag: 'Your file',
  rpc: ['credit.identity.v1.IdentityService/BeginPersonSignIn'],
  summary: 'Begin a sign-in to the own file',
  description:
    'For people who sign in with the identity provider of the network (OpenID Connect). Keep ' +
    '`sign_in_token` and send the browser to `authorization_url`; it comes back to `/my/signed-in` of ' +
    'the network within ten minutes. 404 where the network has no such provider.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    environment: environment('Which data the session will be of.').default('live'),
  }),
  status: 201,
  response: named(
    'MySignIn',
    reply({
      sign_in_token: label('`svc_si_…`, shown once.'),
      authorization_url: label('The page of the provider.'),
      expires_at: timestamp(),
    }),
  ),
  errors: ['INSUFFICIENT_SCOPE', 'NOT_FOUND'],
  examples: { body: { environment: 'live' }, response: recorded.beginMySignIn },
});

export const completeMySignIn = operation({
  id: 'completeMySignIn',
  method: 'POST',
  path: '/my/sign-ins/complete',
  tag: 'Your file',
  rpc: [
    'credit.identity.v1.IdentityService/ProvePersonSignIn',
    'credit.reporting.v1.ReportingService/IdentifyPerson',
    'credit.identity.v1.IdentityService/CompletePersonSignIn',
  ],
  summary: 'End a sign-in to the own file',
  description:
    'Takes what the browser came back with, and begins a session of an hour for the file of whoever ' +
    'signed in. 404 when there is no file of this person: it says no more than that. A sign-in is ' +
    'good once, however it ends.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    sign_in_token: signInToken(),
    code: text({ max: 2_048, description: 'As the provider sent it.' }),
    state: text({ max: 2_048, description: 'As the provider sent it.' }),
    iss: text({ max: 2_048, description: 'As the provider sent it, if it did.' }).optional(),
  }),
  status: 201,
  response: personSession,
  errors: ['INSUFFICIENT_SCOPE', 'NOT_FOUND'],
  examples: {
    body: {
      sign_in_token: `svc_si_${'x'.repeat(43)}`,
      code: 'qbhOJzYVOZgpnTHsNZzx',
      state: 'T0zjAJHtmHtkxWNWTHJ3',
    },
    response: recorded.completeMySignIn,
  },
});
