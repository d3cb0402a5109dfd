import { InstitutionStatus, Role } from '@credit/proto/identity/v1/identity';
import { user } from '../access';
import { operation } from '../operation';
import {
  boolean,
  email,
  enumeration,
  id,
  label,
  named,
  orNull,
  reply,
  request,
  timestamp,
} from '../wire';

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

export const institutionExample = {
  id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
  name: 'Harbour Lending',
  website: 'https://harbour.example',
  status: 'ACTIVE',
  publicly_listed: true,
  created_at: '2026-01-12T09:30:00.000Z',
};

export const invitation = named(
  'Invitation',
  reply({
    id: id(),
    email: label(),
    role: enumeration(Role),
    expires_at: timestamp('Seven days after the invitation was made.'),
    token: label('Shown once. Whoever holds it can join with this role.'),
  }),
);

export const invitationExample = {
  id: '0198a1c2-7d10-7b6e-8f20-5a1d2c3b4e55',
  email: 'dev@harbour.example',
  role: 'DEVELOPER',
  expires_at: '2026-01-19T09:30:00.000Z',
  token: 'q3M0Zr8Jt5Wc1Xv7Ln2Yb6Kd9Hf4Ps0GaRuEiOxTzQw',
};

export const createInvitation = operation({
  id: 'createInvitation',
  method: 'POST',
  path: '/institutions/users/invitations',
  tag: 'Users',
  summary: 'Invite a user',
  description:
    'Invites a person into your institution. The token is in this answer and, when the network ' +
    'sends mail, in a message to the invited address. Only an OWNER can invite an OWNER.',
  access: user('institution.users.manage'),
  limit_class: 'STANDARD',
  params: {},
  body: request({ email: email(), role: enumeration(Role) }),
  status: 201,
  response: invitation,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: { email: 'dev@harbour.example', role: 'DEVELOPER' },
    response: invitationExample,
  },
});
