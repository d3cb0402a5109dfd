import { TEXTS } from '@credit/platform/values';
import { ApplicationStatus } from '@credit/proto/identity/v1/identity';
import { publicAccess } from '../access';
import { operation } from '../operation';
import {
  document,
  email,
  enumeration,
  id,
  integer,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import recorded from './recorded-answers.json';

const total = () => orNull(integer({ min: 0, description: 'null while it is under 10.' }));

export const getNetworkStats = operation({
  id: 'getNetworkStats',
  method: 'GET',
  path: '/public/network-stats',
  tag: 'Public',
  rpc: [
    'credit.identity.v1.IdentityService/GetIdentityTotals',
    'credit.reporting.v1.ReportingService/GetReportingTotals',
  ],
  summary: 'Network totals',
  description: 'How large the network is. Small counts are not shown.',
  access: publicAccess,
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  status: 200,
  response: named(
    'NetworkStats',
    reply({ institutions: total(), subjects: total(), accounts: total(), events_30d: total() }),
  ),
  errors: [],
  examples: {
    response: recorded.getNetworkStats,
  },
});

export const listMemberInstitutions = operation({
  id: 'listMemberInstitutions',
  method: 'GET',
  path: '/public/member-institutions',
  tag: 'Public',
  rpc: ['credit.identity.v1.IdentityService/ListPublicInstitutions'],
  summary: 'Member institutions',
  description: 'Active members that are listed publicly, by name.',
  access: publicAccess,
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: page,
  status: 200,
  response: list(
    named('MemberInstitution', reply({ id: id(), name: label(), website: orNull(label()) })),
  ),
  paging: 'PAGE',
  errors: [],
  examples: {
    response: recorded.listMemberInstitutions,
  },
});

const health = (description?: string) => oneOf(['OPERATIONAL', 'DEGRADED', 'OUTAGE'], description);

export const getStatus = operation({
  id: 'getStatus',
  method: 'GET',
  path: '/public/status',
  tag: 'Public',
  rpc: ['grpc.health.v1.Health/Check'],
  summary: 'Service status',
  description: 'Whether the parts of the network answer.',
  access: publicAccess,
  limit_class: 'BEST_EFFORT',
  priority: 'read',
  params: {},
  status: 200,
  response: named(
    'ServiceStatus',
    reply({
      status: health('DEGRADED when a part does not answer, OUTAGE when none does.'),
      components: list(reply({ name: label(), status: health() })),
      version: label(),
      time: timestamp(),
    }),
  ),
  errors: [],
  examples: {
    response: recorded.getStatus,
  },
});

export const submitContactRequest = operation({
  id: 'submitContactRequest',
  method: 'POST',
  path: '/public/contact',
  tag: 'Public',
  rpc: ['credit.identity.v1.IdentityService/SubmitContactRequest'],
  summary: 'Contact the network',
  description: 'Leaves a message for the people who run the network.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    name: text(TEXTS.person_name),
    email: email(),
    subject: text(TEXTS.contact_subject).optional(),
    message: text(TEXTS.contact_message),
  }),
  status: 201,
  response: named('ContactRequest', reply({ id: id() })),
  errors: [],
  examples: {
    body: {
      name: 'Grace Lender',
      email: 'grace@lender.example',
      subject: 'Membership',
      message: 'How long does a review take?',
    },
    response: recorded.submitContactRequest,
  },
});

export const submitApplication = operation({
  id: 'submitApplication',
  method: 'POST',
  path: '/public/institution-applications',
  tag: 'Public',
  rpc: ['credit.identity.v1.IdentityService/SubmitApplication'],
  summary: 'Apply for membership',
  description:
    'Asks to become a member. An administrator reviews it; approval brings an invitation.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    institution_name: text(TEXTS.institution_name),
    contact_name: text(TEXTS.person_name),
    contact_email: email(),
    website: url(['http', 'https']).optional(),
    description: text(TEXTS.application_description).optional(),
  }),
  status: 201,
  response: named(
    'SubmittedApplication',
    reply({ id: id(), status: enumeration(ApplicationStatus) }),
  ),
  errors: [],
  examples: {
    body: {
      institution_name: 'Harbour Lending',
      contact_name: 'Ada Owner',
      contact_email: 'owner@harbour.example',
      website: 'https://harbour.example',
    },
    response: recorded.submitApplication,
  },
});

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Public',
  rpc: [],
  summary: 'This description',
  description: 'The OpenAPI 3.1 document of the running service.',
  access: publicAccess,
  limit_class: 'BEST_EFFORT',
  params: {},
  status: 200,
  response: document('An OpenAPI 3.1 document.'),
  errors: [],
  examples: { response: { openapi: '3.1.0' } },
});
