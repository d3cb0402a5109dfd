import { TEXTS } from '@credit/platform/values';
import {
  ApplicationStatus,
  ContactRequestStatus,
  InstitutionStatus,
  PlatformRole,
  Role,
  UserStatus,
} from '@credit/proto/identity/v1/identity';
import { platform } from '../access';
import { operation } from '../operation';
import {
  boolean,
  email,
  enumeration,
  id,
  integer,
  label,
  list,
  named,
  orClear,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import { institution, invitation } from './institutions';
import recorded from './recorded-answers.json';

const search = (what: string) =>
  text({ ...TEXTS.search, description: `Part of ${what}.` }).optional();

const applicationFields = {
  id: id(),
  institution_name: label(),
  contact_name: label(),
  contact_email: label(),
  website: orNull(label()),
  description: orNull(label()),
  status: enumeration(ApplicationStatus),
  review_note: orNull(label()),
  reviewed_by: orNull(id()),
  reviewed_at: orNull(timestamp()),
  institution_id: orNull(id()),
  created_at: timestamp(),
};
const application = named('Application', reply(applicationFields));
const reviewedApplication = named(
  'ReviewedApplication',
  reply({
    ...applicationFields,
    institution: orNull(institution),
    invitation: orNull(invitation),
  }),
);

export const listApplications = operation({
  id: 'listApplications',
  method: 'GET',
  path: '/admin/applications',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListApplications'],
  summary: 'List applications',
  description: 'Membership applications, newest first.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: search('the institution’s name, the contact’s name or e-mail'),
    status: enumeration(ApplicationStatus, {
      description: 'Only applications in this state.',
    }).optional(),
    ...page,
  },
  status: 200,
  response: list(application),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { status: 'PENDING' }, response: recorded.listApplications },
});

export const reviewApplication = operation({
  id: 'reviewApplication',
  method: 'PATCH',
  path: '/admin/applications/{application_id}',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ReviewApplication'],
  summary: 'Review an application',
  description:
    'Approval makes the institution and invites its first OWNER; both are in the answer. An ' +
    'application is reviewed once. An institution of the name of another is 409 unless ' +
    'confirm_distinct says that it is another one.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { application_id: id('The application.') },
  body: request({
    status: enumeration(ApplicationStatus, { without: ['PENDING'] }),
    review_note: text(TEXTS.review_note).optional(),
    confirm_distinct: boolean(
      'There is an institution of this name, and this is another one.',
    ).optional(),
  }),
  status: 200,
  response: reviewedApplication,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { application_id: recorded.submitApplication.id },
    body: { status: 'APPROVED', review_note: 'Licence checked.' },
    response: recorded.reviewApplication,
  },
});

export const resendInvitation = operation({
  id: 'resendInvitation',
  method: 'POST',
  path: '/admin/applications/{application_id}/resend-invitation',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ResendInvitation'],
  summary: 'Invite the first owner anew',
  description:
    'Makes and mails another invitation of the contact of an approved application, in place of the ' +
    'one before. Once the institution has a user it is 409, and so it is for an address with an ' +
    'account. An address is invited at most 10 times a day.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { application_id: id('The application.') },
  status: 201,
  response: invitation,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { application_id: recorded.submitApplication.id },
    response: recorded.resendInvitation,
  },
});

const contactRequest = named(
  'ReceivedContactRequest',
  reply({
    id: id(),
    name: label(),
    email: label(),
    subject: orNull(label()),
    message: label(),
    status: enumeration(ContactRequestStatus),
    answer: orNull(label('What it was answered.')),
    answered_by: orNull(id('Who answered or closed it.')),
    answered_at: orNull(timestamp()),
    created_at: timestamp(),
  }),
);

export const listContactRequests = operation({
  id: 'listContactRequests',
  method: 'GET',
  path: '/admin/contact-requests',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListContactRequests'],
  summary: 'List contact requests',
  description: 'Messages to those who run the network, newest first.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: search('the name, the e-mail or the subject'),
    status: enumeration(ContactRequestStatus, {
      description: 'Only requests in this state.',
    }).optional(),
    ...page,
  },
  status: 200,
  response: list(contactRequest),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { status: 'OPEN' }, response: recorded.listContactRequests },
});

export const answerContactRequest = operation({
  id: 'answerContactRequest',
  method: 'PATCH',
  path: '/admin/contact-requests/{contact_request_id}',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/AnswerContactRequest'],
  summary: 'Answer a contact request',
  description:
    'Keeps what was answered, or closes the request without an answer; once. The network sends ' +
    'nothing: write to the address yourself.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { contact_request_id: id('The contact request.') },
  body: request({
    status: enumeration(ContactRequestStatus, { without: ['OPEN'] }),
    answer: text({ ...TEXTS.contact_answer, description: 'Required with ANSWERED.' }).optional(),
  }),
  status: 200,
  response: contactRequest,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { contact_request_id: recorded.submitContactRequest.id },
    body: { status: 'ANSWERED', answer: 'About a week.' },
    response: recorded.answerContactRequest,
  },
});

export const createInstitution = operation({
  id: 'createInstitution',
  method: 'POST',
  path: '/admin/institutions',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/CreateInstitution'],
  summary: 'Create an institution',
  description:
    'Makes an institution that did not apply. It is PENDING: its users can be made, and nobody of ' +
    'it signs in before it is set ACTIVE. The name of another institution is 409 unless ' +
    'confirm_distinct says that it is another one.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    name: text(TEXTS.institution_name),
    website: url(['http', 'https']).optional(),
    confirm_distinct: boolean(
      'There is an institution of this name, and this is another one.',
    ).optional(),
  }),
  status: 201,
  response: institution,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { name: 'Lighthouse Savings', website: 'https://lighthouse.example' },
    response: recorded.createInstitution,
  },
});

export const listInstitutions = operation({
  id: 'listInstitutions',
  method: 'GET',
  path: '/admin/institutions',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListInstitutions'],
  summary: 'List institutions',
  description: 'Members of the network, newest first.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: search('the name'),
    status: enumeration(InstitutionStatus, {
      description: 'Only institutions in this state.',
    }).optional(),
    ...page,
  },
  status: 200,
  response: list(institution),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { q: 'harbour' }, response: recorded.listInstitutions },
});

const institutionDetail = named(
  'InstitutionDetail',
  reply({
    institution,
    status_reason: orNull(label('Why it has its status, as the last change of it said.')),
    user_count: integer({ description: 'Users who are ACTIVE.' }),
    api_key_count: integer({ description: 'API keys that can be used, of both environments.' }),
    invitation_count: integer({ description: 'Invitations that can be accepted.' }),
  }),
);

export const getInstitution = operation({
  id: 'getInstitution',
  method: 'GET',
  path: '/admin/institutions/{institution_id}',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/GetInstitution'],
  summary: 'Read an institution',
  description: 'A member of the network, why it stands as it does, and how much it has.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { institution_id: id('The institution.') },
  status: 200,
  response: institutionDetail,
  errors: ['NOT_FOUND'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    response: recorded.getInstitution,
  },
});

export const updateInstitution = operation({
  id: 'updateInstitution',
  method: 'PATCH',
  path: '/admin/institutions/{institution_id}',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/UpdateInstitution'],
  summary: 'Change an institution',
  description:
    'Changes the status or the public listing, at least one of them. Suspension acts at once on ' +
    'all keys and sessions. ' +
    'CLOSED is final.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { institution_id: id('The institution.') },
  body: request({
    status: enumeration(InstitutionStatus).optional(),
    reason: text({ ...TEXTS.status_reason, description: 'Required with status.' }).optional(),
    publicly_listed: boolean().optional(),
  }),
  status: 200,
  response: institution,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    body: { status: 'SUSPENDED', reason: 'Reporting stopped without notice.' },
    response: recorded.updateInstitution,
  },
});

const userAccount = named(
  'User',
  reply({
    id: id(),
    email: label(),
    display_name: label(),
    status: enumeration(UserStatus),
    institution_id: orNull(id()),
    role: orNull(enumeration(Role)),
    platform_role: orNull(enumeration(PlatformRole)),
    must_change_password: boolean(),
    second_factor: boolean('Each sign-in asks for a code of it.'),
    last_login_at: orNull(timestamp()),
    created_at: timestamp(),
  }),
);

export const listUsers = operation({
  id: 'listUsers',
  method: 'GET',
  path: '/admin/users',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListUsers'],
  summary: 'List users',
  description: 'User accounts of the whole network, newest first.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: search('the e-mail or the display name'),
    status: enumeration(UserStatus, { description: 'Only users in this state.' }).optional(),
    institution_id: id('Only users of this institution.').optional(),
    ...page,
  },
  status: 200,
  response: list(userAccount),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { q: 'ada' }, response: recorded.listUsers },
});

export const createUser = operation({
  id: 'createUser',
  method: 'POST',
  path: '/admin/users',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/CreateUser'],
  summary: 'Create a user',
  description:
    'Makes a login for the platform or an institution with a temporary password, which must be ' +
    'changed before anything else.',
  access: platform('SVC_SUPERADMIN'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    email: email(),
    display_name: text(TEXTS.person_name),
    institution_id: id().optional(),
    role: enumeration(Role, { description: 'Required with institution_id.' }).optional(),
    platform_role: enumeration(PlatformRole).optional(),
  }),
  status: 201,
  response: named(
    'CreatedUser',
    reply({ user: userAccount, temporary_password: label('Shown once.') }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      email: 'grace@harbour.example',
      display_name: 'Grace Owner',
      institution_id: recorded.getOwnInstitution.id,
      role: 'OWNER',
    },
    response: recorded.createUser,
  },
});

export const updateUser = operation({
  id: 'updateUser',
  method: 'PATCH',
  path: '/admin/users/{user_id}',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/UpdateUser'],
  summary: 'Change a user',
  description:
    'Changes status, identity or access, at least one field; null takes an assignment away. ' +
    'Invitations that the user gave and could no longer give end with it. Sessions end when the ' +
    'access changes. The last SVC_SUPERADMIN and the last OWNER keep their role.',
  access: platform('SVC_SUPERADMIN'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  body: request({
    status: enumeration(UserStatus).optional(),
    email: email().optional(),
    display_name: text(TEXTS.person_name).optional(),
    institution_id: orClear(id(), '').optional(),
    role: orClear(enumeration(Role), Role.UNSPECIFIED).optional(),
    platform_role: orClear(enumeration(PlatformRole), PlatformRole.UNSPECIFIED).optional(),
  }),
  status: 200,
  response: userAccount,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { user_id: recorded.createUser.user.id },
    body: { role: 'ADMIN' },
    response: recorded.updateUser,
  },
});

export const resetPassword = operation({
  id: 'resetPassword',
  method: 'POST',
  path: '/admin/users/{user_id}/reset-password',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ResetPassword'],
  summary: 'Reset a password',
  description: 'Issues a temporary password, which must be changed before anything else.',
  access: platform('SVC_SUPERADMIN'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  status: 200,
  response: named(
    'TemporaryPassword',
    reply({ temporary_password: label('Shown once.'), expires_at: timestamp() }),
  ),
  errors: ['NOT_FOUND'],
  examples: {
    params: { user_id: recorded.createUser.user.id },
    response: recorded.resetPassword,
  },
});

export const revokeSessions = operation({
  id: 'revokeSessions',
  method: 'POST',
  path: '/admin/users/{user_id}/revoke-sessions',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/RevokeSessions'],
  summary: 'End all sessions of a user',
  description: 'Refresh and access tokens of the user stop working at once.',
  access: platform('SVC_SUPERADMIN'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  status: 200,
  response: named(
    'RevokedSessions',
    reply({ revoked: integer({ min: 0, description: 'How many sessions ended.' }) }),
  ),
  errors: ['NOT_FOUND'],
  examples: { params: { user_id: recorded.getCaller.id }, response: recorded.revokeSessions },
});

export const resetSecondFactor = operation({
  id: 'resetSecondFactor',
  method: 'POST',
  path: '/admin/users/{user_id}/reset-second-factor',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ResetSecondFactor'],
  summary: 'Take a lost second factor off a user',
  description:
    'For who has lost the authenticator and the recovery codes: the next sign-in takes the password ' +
    'alone. All sessions of the user end at once. Be sure whom you do it for. Again is no error.',
  access: platform('SVC_SUPERADMIN'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  status: 204,
  errors: ['NOT_FOUND'],
  examples: { params: { user_id: recorded.createUser.user.id } },
});
