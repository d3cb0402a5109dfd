import { SCOPES, TEXTS } from '@credit/platform/values';
import { user } from '../access';
import { operation } from '../operation';
import {
  boolean,
  id,
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
} from '../wire';
import recorded from './recorded-answers.json';

const environment = (description?: string) => oneOf(['live', 'test'], description);

const apiKeyFields = {
  id: id(),
  display_name: label(),
  prefix: label('The first 16 characters of the key; not secret.'),
  scopes: list(oneOf(SCOPES)),
  environment: environment(),
  allowed_ips: list(label(), { description: 'CIDR ranges; empty allows any address.' }),
  expires_at: orNull(timestamp()),
  active: boolean('False once revoked or expired.'),
};

const apiKey = named(
  'ApiKey',
  reply({
    ...apiKeyFields,
    created_by: id('The user who made or rotated it.'),
    last_used_at: orNull(timestamp()),
    created_at: timestamp(),
  }),
);

const apiKeyWithSecret = named(
  'ApiKeyWithSecret',
  reply({ ...apiKeyFields, secret: label('The complete key. Never shown again.') }),
);

export const createApiKey = operation({
  id: 'createApiKey',
  method: 'POST',
  path: '/api-keys',
  tag: 'API keys',
  rpc: ['credit.identity.v1.IdentityService/CreateApiKey'],
  summary: 'Create an API key',
  description:
    'Creates a key for a workload of your institution. The secret is in this answer only; the ' +
    'network keeps a hash of it. A key can never create, rotate or revoke keys. An institution has ' +
    'at most 100 active keys in an environment: one more is 409.',
  access: user('api_keys.create'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    display_name: text({
      ...TEXTS.api_key_name,
      description: 'Name of the workload, not of a person.',
    }),
    scopes: list(oneOf(SCOPES), { min: 1, max: SCOPES.length, unique: true }),
    environment: environment('Which data the key reaches.'),
    allowed_ips: list(text({ max: 49, description: 'An IPv4 or IPv6 address, or a CIDR range.' }), {
      max: 100,
      description: 'Where calls may come from. Left out or empty: anywhere.',
    }).default([]),
    expires_at: timestamp('In the future. Left out: the key does not expire.').optional(),
  }),
  status: 201,
  response: apiKeyWithSecret,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      display_name: 'loan-servicing',
      scopes: ['credit:read', 'accounts:write', 'events:write'],
      environment: 'test',
      allowed_ips: ['203.0.113.0/24'],
      expires_at: '2030-01-01T00:00:00Z',
    },
    response: recorded.createApiKey,
  },
});

export const listApiKeys = operation({
  id: 'listApiKeys',
  method: 'GET',
  path: '/api-keys',
  tag: 'API keys',
  rpc: ['credit.identity.v1.IdentityService/ListApiKeys'],
  summary: 'List API keys',
  description: "Your institution's keys, newest first, without their secrets.",
  access: user('api_keys.read'),
  limit_class: 'STANDARD',
  params: {},
  query: page,
  status: 200,
  response: list(apiKey),
  paging: 'PAGE',
  errors: [],
  examples: {
    response: recorded.listApiKeys,
  },
});

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/api-keys/{key_id}',
  tag: 'API keys',
  rpc: ['credit.identity.v1.IdentityService/RevokeApiKey'],
  summary: 'Revoke an API key',
  description: 'The key stops working before this answer is sent. It cannot be restored.',
  access: user('api_keys.revoke'),
  limit_class: 'STANDARD',
  params: { key_id: id('The API key.') },
  status: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { key_id: recorded.rotateApiKey.id } },
});

export const rotateApiKey = operation({
  id: 'rotateApiKey',
  method: 'POST',
  path: '/api-keys/{key_id}/rotate',
  tag: 'API keys',
  rpc: ['credit.identity.v1.IdentityService/RotateApiKey'],
  summary: 'Rotate an API key',
  description:
    'Revokes the key and issues a replacement with the same name, scopes, networks and expiry. ' +
    'The old key stops working before this answer is sent.',
  access: user('api_keys.create'),
  limit_class: 'STANDARD',
  params: { key_id: id('The API key.') },
  status: 201,
  response: apiKeyWithSecret,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { key_id: recorded.createApiKey.id }, response: recorded.rotateApiKey },
});
