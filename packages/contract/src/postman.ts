import { BASE_PATH, describeForReader, securityOf } from './openapi';
import type { Operation } from './operation';
import { operations } from './operations';
import { TAG_GROUPS, TAGS } from './tags';
import { innermost, type JsonSchema, wires } from './wire';

/** The variable of the credential that most operations need. */
const API_KEY = 'api_key';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const DESCRIPTION = `Every operation of the API, with its examples.

1. Set \`base_url\` to the network's address, ending in \`${BASE_PATH}\`.
2. Set \`api_key\` to a key of your institution; a test key reaches test data only.
3. For what needs a user, send *Sign in* under Users: it sets \`user_token\`.
   *Create an API key* sets \`api_key\` in the same way.`;

/** What is kept of an answer for the requests after it. */
const KEPT: Readonly<Record<string, { readonly variable: string; readonly field: string }>> = {
  login: { variable: 'user_token', field: 'access_token' },
  refresh: { variable: 'user_token', field: 'access_token' },
  createApiKey: { variable: API_KEY, field: 'secret' },
  openDispute: { variable: 'dispute_token', field: 'access_token' },
};

function bearer(variable: string): JsonSchema {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }] };
}

/** The variable that holds the credential of a security scheme: `userToken` as `user_token`. */
function variableOf(scheme: string): string {
  return scheme.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Of the scheme that is named first; undefined where nothing is needed. */
function credentialOf({ access }: Operation): string | undefined {
  const [scheme] = Object.keys(securityOf(access)[0] ?? {});
  return scheme === undefined ? undefined : variableOf(scheme);
}

/** Undefined where the collection's own key will do. */
function authOf(operation: Operation): JsonSchema | undefined {
  const credential = credentialOf(operation);
  if (credential === undefined) return { type: 'noauth' };
  return credential === API_KEY ? undefined : bearer(credential);
}

function descriptionOf(schema: unknown): string {
  const known = wires.get(innermost(schema as Parameters<typeof innermost>[0]))?.json_schema;
  return typeof known?.description === 'string' ? known.description : '';
}

function urlOf({ path, params, query, examples }: Operation): JsonSchema {
  // A name in braces is a variable of the collection; with a colon it is one of the path.
  const steps = path
    .slice(1)
    .split('/')
    .map((step) => step.replace(/^\{(\w+)\}$/, ':$1'));
  const chosen = Object.entries(examples.query ?? {}).map(
    ([key, value]) => `${key}=${encodeURIComponent(value)}`,
  );
  const search = chosen.length === 0 ? '' : `?${chosen.join('&')}`;
  return {
    raw: `{{base_url}}/${steps.join('/')}${search}`,
    host: ['{{base_url}}'],
    path: steps,
    query: Object.entries(query ?? {}).map(([key, schema]) => ({
      key,
      value: examples.query?.[key] ?? '',
      description: descriptionOf(schema),
      ...(examples.query?.[key] === undefined ? { disabled: true } : {}),
    })),
    variable: Object.entries(params).map(([key, schema]) => ({
      key,
      value: examples.params?.[key] ?? '',
      description: descriptionOf(schema),
    })),
  };
}

function requestOf(operation: Operation): JsonSchema {
  const { method, idempotent, body, upload, examples } = operation;
  const auth = authOf(operation);
  return {
    method,
    header: [
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...(upload === undefined ? [] : [{ key: 'Content-Type', value: upload.example.type }]),
      ...(idempotent
        ? [{ key: 'Idempotency-Key', value: '{{$guid}}', description: 'One for each change.' }]
        : []),
    ],
    url: urlOf(operation),
    description: describeForReader(operation),
    ...(auth === undefined ? {} : { auth }),
    ...(body === undefined
      ? {}
      : {
          body: {
            mode: 'raw',
            raw: JSON.stringify(examples.body, null, 2),
            options: { raw: { language: 'json' } },
          },
        }),
    ...(upload === undefined
      ? {}
      : {
          body: { mode: 'raw', raw: upload.example.text, options: { raw: { language: 'text' } } },
        }),
  };
}

const STATUS_TEXTS = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' } as const;

function itemOf(operation: Operation): JsonSchema {
  const { id, summary, status, response, examples } = operation;
  const request = requestOf(operation);
  const kept = KEPT[id];
  const script = kept && [
    `if (pm.response.code === ${status}) {`,
    `  pm.collectionVariables.set('${kept.variable}', pm.response.json().${kept.field});`,
    '}',
  ];
  return {
    id,
    name: summary,
    ...(script === undefined
      ? {}
      : { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request,
    response: [
      {
        name: STATUS_TEXTS[status],
        originalRequest: request,
        status: STATUS_TEXTS[status],
        code: status,
        header: response === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
        ...(response === undefined
          ? {}
          : {
              body: JSON.stringify(examples.response, null, 2),
              _postman_previewlanguage: 'json',
            }),
      },
    ],
  };
}

/** A collection of every operation in Postman's format v2.1, which Bruno imports as well. */
export function buildPostmanCollection(): JsonSchema {
  const all = Object.values(operations) as unknown as Operation[];
  const credentials = new Set([
    API_KEY,
    ...all.map(credentialOf).filter((key) => key !== undefined),
  ]);
  return {
    info: { name: 'Credit network', description: DESCRIPTION, schema: FORMAT },
    auth: bearer(API_KEY),
    // What is kept between requests: where the network is, and a credential of each kind.
    variable: [
      { key: 'base_url', value: `http://127.0.0.1:8080${BASE_PATH}`, type: 'string' },
      ...[...credentials].map((key) => ({ key, value: '', type: 'string' })),
    ],
    item: TAG_GROUPS.flatMap(({ tags }) => tags).map((tag) => ({
      name: tag,
      description: TAGS[tag],
      item: all.filter((operation) => operation.tag === tag).map(itemOf),
    })),
  };
}
