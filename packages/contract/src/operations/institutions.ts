import { TEXTS } from '@credit/platform/values';
import { InstitutionStatus, Role, UserStatus } from '@credit/proto/identity/v1/identity';
import { HealthFindingCode, HealthMetricName } from '@credit/proto/reporting/v1/reporting';
import { InquiryType, Purpose } from '@credit/proto/reporting/v1/types';
import { anyCredential, inEnvironment, platform, user } from '../access';
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
  queryInteger,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import recorded from './recorded-answers.json';

export const institution = named(
  'Institution',
  reply({
    id: id(),
    name: label(),
    website: orNull(label()),
    status: enumeration(InstitutionStatus, {
      description: 'Only an ACTIVE institution can use its keys. CLOSED is final.',
    }),
    publicly_listed: boolean(),
    created_at: timestamp(),
  }),
);

const invitationFields = {
  id: id(),
  email: label(),
  role: enumeration(Role),
  expires_at: timestamp('Seven days after the invitation was made.'),
};

export const invitation = named(
  'Invitation',
  reply({
    ...invitationFields,
    token: label('Shown once. Whoever holds it can join with this role.'),
    link: orNull(
      label(
        'Leads whoever holds it through joining: the token stands behind the `#`, which browsers keep ' +
          'to themselves. Null where the network was not told its public address.',
      ),
    ),
  }),
);

const openInvitation = named(
  'OpenInvitation',
  reply({
    ...invitationFields,
    invited_by: orNull(id('The user who invited.')),
    created_at: timestamp(),
  }),
);

export const createInvitation = operation({
  id: 'createInvitation',
  method: 'POST',
  path: '/institutions/users/invitations',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/CreateInvitation'],
  summary: 'Invite a user',
  description:
    'Invites a person into your institution. The token and a link with it are in this answer and, ' +
    'when the network sends mail, in a message to the invited address (another token, as good). It takes the place of an open invitation of ' +
    'that address. Only an OWNER can invite an OWNER. An address that has an account already is ' +
    'answered in the same way; its owner is told by mail, you are not.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: {},
  body: request({ email: email(), role: enumeration(Role) }),
  status: 201,
  response: invitation,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { email: 'dev@harbour.example', role: 'DEVELOPER' },
    response: recorded.createInvitation,
  },
});

export const listInvitations = operation({
  id: 'listInvitations',
  method: 'GET',
  path: '/institutions/users/invitations',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ListInvitations'],
  summary: 'List open invitations',
  description: 'Invitations of your institution that can still be accepted, newest first.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(openInvitation),
  paging: 'PAGE',
  errors: [],
  examples: { response: recorded.listInvitations },
});

export const withdrawInvitation = operation({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/institutions/users/invitations/{invitation_id}',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/WithdrawInvitation'],
  summary: 'Withdraw an invitation',
  description:
    'Its tokens, the mailed one too, are bad from this answer on. Withdrawing again is no error; ' +
    'an invitation that was accepted is 409.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: { invitation_id: id('The invitation.') },
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { invitation_id: recorded.createInvitation.id } },
});

const member = named(
  'InstitutionUser',
  reply({
    id: id(),
    email: label(),
    display_name: label(),
    status: enumeration(UserStatus),
    role: enumeration(Role),
    second_factor: boolean('Each sign-in asks for a code of it.'),
    last_login_at: orNull(timestamp()),
    created_at: timestamp(),
  }),
);

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  path: '/institutions/users',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ListMembers'],
  summary: 'List the users of your institution',
  description: 'Users of your institution, newest first, the disabled ones too.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: text({
      ...TEXTS.search,
      description: 'Part of the e-mail or the display name.',
    }).optional(),
    status: enumeration(UserStatus, { description: 'Only users in this state.' }).optional(),
    ...page,
  },
  status: 200,
  response: list(member),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { q: 'dev' }, response: recorded.listMembers },
});

export const updateMember = operation({
  id: 'updateMember',
  method: 'PATCH',
  path: '/institutions/users/{user_id}',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/UpdateMember'],
  summary: 'Change a user of your institution',
  description:
    'Changes the role, or disables or enables the user; at least one of them. Its sessions end at ' +
    'once, and so do invitations that it gave and could no longer give. Only an OWNER changes an ' +
    'OWNER, or makes one; the last one stays. A user who also runs the network is 403.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  body: request({
    role: enumeration(Role).optional(),
    status: enumeration(UserStatus).optional(),
  }),
  status: 200,
  response: member,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { user_id: recorded.updateMember.id },
    body: { role: 'VIEWER' },
    response: recorded.updateMember,
  },
});

export const resetMemberSecondFactor = operation({
  id: 'resetMemberSecondFactor',
  method: 'DELETE',
  path: '/institutions/users/second-factors/{user_id}',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/ResetMemberSecondFactor'],
  summary: 'Take a lost second factor off a user of your institution',
  description:
    'For who has lost the authenticator and the recovery codes: the next sign-in takes the password ' +
    'alone. All sessions of the user end at once. Be sure whom you do it for. Again is no error. Only ' +
    'an OWNER does it for an OWNER; a user who also runs the network is 403.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: { user_id: id('The user.') },
  status: 204,
  errors: ['NOT_FOUND'],
  examples: { params: { user_id: recorded.updateMember.id } },
});

export const getOwnInstitution = operation({
  id: 'getOwnInstitution',
  method: 'GET',
  path: '/institutions/me',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/GetOwnInstitution'],
  summary: 'Read your institution',
  description: 'What the network and, when it is listed, the public knows of your institution.',
  access: user('institution.read'),
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: institution,
  errors: [],
  examples: { response: recorded.getOwnInstitution },
});

export const updateOwnInstitution = operation({
  id: 'updateOwnInstitution',
  method: 'PATCH',
  path: '/institutions/me',
  tag: 'Users',
  rpc: ['credit.identity.v1.IdentityService/UpdateOwnInstitution'],
  summary: 'Change your institution',
  description:
    'Changes the website, which null takes away, or whether the institution is publicly listed; at ' +
    'least one of them. The name is the network’s to change.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    website: orClear(url(['http', 'https']), '').optional(),
    publicly_listed: boolean().optional(),
  }),
  status: 200,
  response: institution,
  errors: [],
  examples: {
    body: { website: 'https://harbour.example/loans' },
    response: recorded.updateOwnInstitution,
  },
});

const healthMetric = named(
  'HealthMetric',
  reply({
    name: enumeration(HealthMetricName),
    value: orNull(integer({ description: 'Percent; null without anything to measure.' })),
    weight: integer({ description: 'Percent of the score.' }),
    numerator: integer({
      description:
        'TIMELINESS: events in time. FRESHNESS: open accounts with news. ACCURACY: corrections, in ' +
        'half units. REJECTION: refused items. DISPUTES: disputes lost. COVERAGE: accounts with ' +
        'maturity, rate and frequency.',
    }),
    denominator: integer({
      description:
        'TIMELINESS: events. FRESHNESS: open accounts. ACCURACY: twice the events. REJECTION: ' +
        'submitted items. DISPUTES and COVERAGE: accounts.',
    }),
    text: label('For people: what is counted, what lowers the value and what to do.'),
  }),
);

const healthFinding = named(
  'HealthFinding',
  reply({
    code: enumeration(HealthFindingCode),
    account_count: integer(),
    accounts: list(
      named('FoundAccount', reply({ account_id: id(), external_account_id: label() })),
    ),
  }),
);

export const getReportingHealth = operation({
  id: 'getReportingHealth',
  method: 'GET',
  path: '/institutions/me/reporting-health',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/GetReportingHealth'],
  summary: 'Read the health of your reporting',
  description:
    'How timely, complete and correct your institution reported over the last 90 days, and ' +
    'accounts whose record cannot be right, the first 20 of each kind. Events from before their ' +
    'account was first reported are a backfill and count in REJECTION alone. Of a book that takes ' +
    'long to count, the figures of its accounts are some minutes old.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  status: 200,
  response: named(
    'ReportingHealth',
    reply({
      institution_id: id(),
      from: timestamp(),
      to: timestamp(),
      score: orNull(integer({ description: '0 to 100; null while nothing was reported.' })),
      grade: orNull(label('A from 90, B from 80, C from 70, D from 60, else F.')),
      metrics: list(healthMetric),
      findings: list(healthFinding),
    }),
  ),
  errors: [],
  examples: {
    response: recorded.getReportingHealth,
  },
});

const healthDay = named(
  'HealthDay',
  reply({
    day: label('In UTC.', '2026-11-28'),
    score: orNull(integer({ description: '0 to 100; null while nothing was measured.' })),
    grade: orNull(label('As of the health.')),
    looked_at: timestamp(),
  }),
);

export const getReportingHealthByDay = operation({
  id: 'getReportingHealthByDay',
  method: 'GET',
  path: '/institutions/me/reporting-health/days',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/GetReportingHealthByDay'],
  summary: 'Read the health of your reporting by day',
  description:
    'Score and grade of each of the last 90 days, the oldest first, as they were last looked at on ' +
    'that day in UTC. A book is looked at once a day at least, and again some minutes after it has ' +
    'changed: a large one less often. Answered from what is kept, however many accounts you have. ' +
    'Days before your first account are not in it.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  status: 200,
  response: list(healthDay),
  errors: [],
  examples: { response: recorded.getReportingHealthByDay },
});

export const getInstitutionHealth = operation({
  id: 'getInstitutionHealth',
  method: 'GET',
  path: '/admin/institutions/{institution_id}/reporting-health',
  tag: 'Administration',
  rpc: [
    'credit.identity.v1.IdentityService/GetInstitution',
    'credit.reporting.v1.ReportingService/GetReportingHealthByDay',
  ],
  summary: 'Read the health of a member’s reporting by day',
  description:
    'As the member itself reads it at `/institutions/me/reporting-health/days`, of live data. Empty ' +
    'for an institution that never reported.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { institution_id: id('The institution.') },
  status: 200,
  response: list(healthDay),
  errors: ['NOT_FOUND'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    response: recorded.getInstitutionHealth,
  },
});

const healthAccounts = named(
  'HealthAccounts',
  reply({
    looked_at: timestamp('When the book was looked at for them.'),
    accounts: list(
      named(
        'HealthAccount',
        reply({
          account_id: id(),
          external_account_id: label(),
          text: label('For people: why it lowers the metric.', 'No event in the last 97 days.'),
          news_at: timestamp(
            'When it was first reported or had its last event, whichever is later.',
          ),
          missing: list(label('A term that it is without.', 'maturity_at')),
        }),
      ),
    ),
  }),
);

const lowAccounts = {
  metric: enumeration(HealthMetricName, {
    without: ['TIMELINESS', 'ACCURACY', 'REJECTION', 'DISPUTES'],
    description: 'A metric that counts accounts as they stand.',
  }),
  limit: queryInteger({ min: 1, max: 20, default: 5, description: 'How many accounts at most.' }),
};

export const getReportingHealthAccounts = operation({
  id: 'getReportingHealthAccounts',
  method: 'GET',
  path: '/institutions/me/reporting-health/accounts',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/ListHealthAccounts'],
  summary: 'List the accounts that lower a metric most',
  description:
    'The worst first. FRESHNESS: open accounts without news for more than 45 days, those of the oldest ' +
    'news first. COVERAGE: accounts without maturity, rate or frequency, open ones and those that ' +
    'miss most first. Of a book that takes long to count, those that the last look at it found ' +
    '(`looked_at`) and that have not been put right since. The other metrics count events, items and ' +
    'disputes: no account stands for them.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: lowAccounts,
  status: 200,
  response: healthAccounts,
  errors: [],
  examples: { query: { metric: 'COVERAGE' }, response: recorded.getReportingHealthAccounts },
});

export const getInstitutionHealthAccounts = operation({
  id: 'getInstitutionHealthAccounts',
  method: 'GET',
  path: '/admin/institutions/{institution_id}/reporting-health/accounts',
  tag: 'Administration',
  rpc: [
    'credit.identity.v1.IdentityService/GetInstitution',
    'credit.reporting.v1.ReportingService/ListHealthAccounts',
  ],
  summary: 'List the accounts that lower a metric of a member most',
  description:
    'As the member itself reads it at `/institutions/me/reporting-health/accounts`, of live data.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { institution_id: id('The institution.') },
  query: lowAccounts,
  status: 200,
  response: healthAccounts,
  errors: ['NOT_FOUND'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    query: { metric: 'COVERAGE' },
    response: recorded.getInstitutionHealthAccounts,
  },
});

const rejection = named(
  'Rejection',
  reply({
    day: label('In UTC.', '2026-11-28'),
    operation: label('Its id in this document; empty of causes beyond 200 a day.', 'reportEvents'),
    reason: label('Of the error; the errors page says what helps.', 'INVALID_FIELDS'),
    field: label(
      'Which field was at fault, `[]` in place of the number of an item; empty when none was.',
      'events[].amount',
    ),
    count: integer({
      description: 'Items that were refused for it, each as often as it was sent.',
    }),
    request_id: label('Of the last request that had one.'),
    last_at: timestamp(),
  }),
);

const howManyRejections = {
  limit: queryInteger({ min: 1, max: 200, default: 50, description: 'How many causes at most.' }),
};

export const getReportingHealthRejections = operation({
  id: 'getReportingHealthRejections',
  method: 'GET',
  path: '/institutions/me/reporting-health/rejections',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/ListRejections'],
  summary: 'List what was refused of your reporting',
  description:
    'Of the last 7 days in UTC: by operation, reason and field, the latest day first and of each day ' +
    'the most frequent. Subjects, accounts and events that were refused by the API or through the ' +
    'console; of files each import lists its own faults, and dry runs, unknown ids and lacking rights ' +
    'do not count. What was sent is not kept. A count is some seconds old.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: howManyRejections,
  status: 200,
  response: list(rejection),
  errors: [],
  examples: { response: recorded.getReportingHealthRejections },
});

export const getInstitutionHealthRejections = operation({
  id: 'getInstitutionHealthRejections',
  method: 'GET',
  path: '/admin/institutions/{institution_id}/reporting-health/rejections',
  tag: 'Administration',
  rpc: [
    'credit.identity.v1.IdentityService/GetInstitution',
    'credit.reporting.v1.ReportingService/ListRejections',
  ],
  summary: 'List what was refused of a member’s reporting',
  description: 'As the member itself reads it, of live data.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { institution_id: id('The institution.') },
  query: howManyRejections,
  status: 200,
  response: list(rejection),
  errors: ['NOT_FOUND'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    response: recorded.getInstitutionHealthRejections,
  },
});

export const getInquiryPurposes = operation({
  id: 'getInquiryPurposes',
  method: 'GET',
  path: '/admin/institutions/{institution_id}/inquiry-purposes',
  tag: 'Administration',
  rpc: [
    'credit.identity.v1.IdentityService/GetInstitution',
    'credit.reporting.v1.ReportingService/ListInquiryPurposes',
  ],
  summary: 'Count a member’s looks by purpose',
  description:
    'How often a member looked at files of live data in 30 days and in 12 months, and what for, as it ' +
    'said; those that were refused and stayed on record by themselves. Nobody’s file is named.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { institution_id: id('The institution.') },
  status: 200,
  response: list(
    named(
      'PurposeCount',
      reply({
        purpose: enumeration(Purpose, { description: 'What for, as it said.' }),
        inquiry_type: enumeration(InquiryType),
        shown_30d: integer({ description: 'Looks that showed something.' }),
        shown_12m: integer({ description: 'Repetitions and voided ones are among them.' }),
        refused_30d: integer({ description: 'Looks at files that their person had frozen.' }),
        refused_12m: integer(),
        with_consent_12m: integer({
          description: 'Of those that showed something: those that named a consent.',
        }),
      }),
    ),
    { description: 'The most frequent first.' },
  ),
  errors: ['NOT_FOUND'],
  examples: {
    params: { institution_id: recorded.getOwnInstitution.id },
    response: recorded.getInquiryPurposes,
  },
});
