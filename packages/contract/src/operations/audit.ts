import { platform, user } from '../access';
import { operation } from '../operation';
import {
  freeObject,
  id,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  reply,
  text,
  timestamp,
} from '../wire';

const auditEvent = named(
  'AuditEvent',
  reply({
    id: id(),
    at: timestamp(),
    actor: reply({ type: label('user, api_key, system or anonymous.'), id: label() }),
    action: label('For example account.created.'),
    target: reply({ type: label(), id: label() }),
    environment: oneOf(['live', 'test']),
    request_id: label(),
    ip: orNull(label()),
    changes: freeObject('What changed; never a secret.'),
  }),
);

const filters = {
  action: text({ max: 100, description: 'Only this action.' }).optional(),
  actor_id: id('Only what this user or key did.').optional(),
  target_id: id('Only what was done to this, alone or in a batch.').optional(),
  from: timestamp('At this time or later.').optional(),
  to: timestamp('Before this time.').optional(),
  ...page,
};

export const listAuditEvents = operation({
  id: 'listAuditEvents',
  method: 'GET',
  path: '/audit',
  tag: 'Audit',
  rpc: ['credit.identity.v1.IdentityService/ListAuditEvents'],
  summary: 'List audit events',
  description: 'What users, keys and administrators changed at your institution, newest first.',
  access: user('audit.read'),
  limit_class: 'STANDARD',
  params: {},
  query: filters,
  status: 200,
  response: list(auditEvent),
  paging: 'PAGE',
  errors: [],
  examples: {
    query: { action: 'api_key.created' },
    response: [
      {
        id: '0198a1c3-0c70-7a21-8e55-0f1e2d3c4b5a',
        at: '2026-01-12T10:00:00.000Z',
        actor: { type: 'user', id: '0198a1c2-8a44-7f10-b1d3-6c2e9f0a7b21' },
        action: 'api_key.created',
        target: { type: 'api_key', id: '0198a1c3-0c5e-7d1b-9a42-1b7f6e5d4c33' },
        environment: 'live',
        request_id: '0198a1c3-0c50-7b11-9d0c-8b7a6f5e4d3c',
        ip: '203.0.113.9',
        changes: { display_name: 'loan-servicing' },
      },
    ],
  },
});

export const listNetworkAuditEvents = operation({
  id: 'listNetworkAuditEvents',
  method: 'GET',
  path: '/admin/audit',
  tag: 'Administration',
  rpc: ['credit.identity.v1.IdentityService/ListNetworkAuditEvents'],
  summary: 'List the network’s audit events',
  description:
    'What administrators of the platform did, and what belongs to no institution: their logins, ' +
    'applications, contact requests, public disputes. Newest first. What an administrator did ' +
    'at an institution is in that institution’s log too; what its own people and keys did is ' +
    'in its log only.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: {},
  query: filters,
  status: 200,
  response: list(auditEvent),
  paging: 'PAGE',
  errors: [],
  examples: {
    query: { action: 'user.created' },
    response: [
      {
        id: '0198a1c3-1d80-7b32-9f66-1a2b3c4d5e6f',
        at: '2026-01-12T11:00:00.000Z',
        actor: { type: 'user', id: '0198a1c0-0001-7000-8000-000000000001' },
        action: 'user.created',
        target: { type: 'user', id: '0198a1c3-1d7e-7e2c-8b53-2c8a7f6e5d44' },
        environment: 'live',
        request_id: '0198a1c3-1d70-7c22-8e1d-9c8b7a6f5e4d',
        ip: '203.0.113.20',
        changes: { platform_role: 'PLATFORM_ADMIN' },
      },
    ],
  },
});
