import { ERRORS } from '@credit/platform/errors';
import { z } from 'zod';
import { type Access, choosesEnvironment } from './access';
import { type WebhookEvent, webhookEvents } from './events';
import { componentReference, componentSchemas, inlineSchema, nameOf } from './json-schema';
import {
  EVERYWHERE,
  errorEnvelope,
  errorReasons,
  errorResponseName,
  errorResponses,
  HEADERS,
  headerReferences,
} from './openapi-answers';
import type { Operation } from './operation';
import { errorsOf } from './operation-errors';
import { operations } from './operations';
import { reasonsOf } from './reasons';
import { TAG_GROUPS, TAGS } from './tags';
import { type JsonSchema, wires } from './wire';

/** Every path of the API begins with it. */
export const BASE_PATH = '/api/v1';

/** Grows with what the document says; the base path changes only when something breaks. */
export const API_VERSION = '1.1.0';

const KIB = 1_024;
/** Of a request's body. */
const MAX_BODY_BYTES = 1_024 * KIB;
/** Of the body of a request that is a batch. */
const MAX_BATCH_BODY_BYTES = 4_096 * KIB;
const MAX_BODY_VALUES = 10_000;
const MAX_BATCH_BODY_VALUES = 250_000;

/** Whom an integrator turns to: the people who run this network. */
export interface ContactSettings {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly email?: string | undefined;
}

const NO_CONTACT = {
  name: 'The operator of this network',
  url: 'https://credit-network.example/contact',
  email: 'integration@credit-network.example',
};

function capitalised(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

/** A body's schema: by name, or for a list by the name of its items. */
function bodySchema(schema: z.ZodType, found: Map<string, z.ZodType>, fallback: string) {
  const encoding = wires.get(schema)?.encoding;
  if (encoding?.kind === 'document') return inlineSchema(schema);
  if (encoding?.kind === 'list' && nameOf(schema) === undefined) {
    const name = nameOf(encoding.item) ?? `${fallback}Item`;
    found.set(name, encoding.item);
    return { type: 'array', items: componentReference(name) };
  }
  const name = nameOf(schema) ?? fallback;
  found.set(name, schema);
  return componentReference(name);
}

/** The security schemes, any of which will do; none for what is open to all. */
export function securityOf(access: Access): Record<string, []>[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'token':
      return [{ disputeToken: [] }];
    case 'person':
      return [{ personToken: [] }];
    case 'scope':
    case 'any':
      return [{ apiKey: [] }, { userToken: [] }];
    case 'user':
    case 'platform':
      return [{ userToken: [] }];
    default:
      return access satisfies never;
  }
}

/** The access rule for those who read the document with a program. */
function accessExtension(access: Access): JsonSchema {
  switch (access.kind) {
    case 'scope':
      return {
        'x-scope': access.scope,
        'x-permission': access.permission,
        ...(access.environment && { 'x-environment': access.environment }),
      };
    case 'user':
      return access.permission === undefined ? {} : { 'x-permission': access.permission };
    case 'platform':
      return { 'x-platform-role': access.role };
    default:
      return {};
  }
}

function accessSentence(access: Access): string {
  const sentence = callersSentence(access);
  if (!choosesEnvironment(access)) return sentence;
  return access.kind === 'scope' && access.environment === 'test'
    ? `${sentence} A user asks for \`environment=test\`.`
    : `${sentence} A user’s call acts on live data unless it asks for \`environment=test\`.`;
}

function callersSentence(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'Needs no credential.';
    case 'token':
      return 'Needs the `access_token` that was shown when the dispute was opened.';
    case 'person':
      return 'Needs the session of the person whom the record is about.';
    case 'scope':
      return (
        `Needs ${access.environment === 'test' ? 'a test key' : 'an API key'} with the scope ` +
        `\`${access.scope}\`, or a user token of a member with the permission \`${access.permission}\`.`
      );
    case 'any':
      return 'Needs an API key or a user token.';
    case 'user':
      return access.permission === undefined
        ? 'Needs a user token.'
        : `Needs a user token with the permission \`${access.permission}\`.`;
    case 'platform':
      return `Needs a user token of a ${access.role}.`;
    default:
      return access satisfies never;
  }
}

/** The rule on how often and how much, for those who read the document with a program. */
function limitExtensions(operation: Operation): JsonSchema {
  const { limit_class, body, batch, upload } = operation;
  return {
    'x-limit-class': limit_class,
    ...(body === undefined ? {} : { 'x-max-body-bytes': maxBodyBytes(operation) }),
    ...(upload === undefined ? {} : { 'x-max-body-bytes': upload.max_bytes }),
    ...(batch === undefined ? {} : { 'x-max-items': { [batch.field]: batch.max } }),
  };
}

/** How large the body of a request may be, whatever it asks for. */
export function maxBodyBytes(operation: Operation | undefined): number {
  return operation?.batch === undefined ? MAX_BODY_BYTES : MAX_BATCH_BODY_BYTES;
}

/** How many values the body of a request may hold: many times what any schema takes. */
export function maxBodyValues(operation: Operation | undefined): number {
  return operation?.batch === undefined ? MAX_BODY_VALUES : MAX_BATCH_BODY_VALUES;
}

const MAY_LAG =
  'What it shows may be some seconds old; with the header `Cache-Control: no-cache` it is not.';

/** What an operation does, who may call it and how often, in Markdown. */
export function describeForReader(operation: Operation): string {
  const rules = `${accessSentence(operation.access)} ${limitSentence(operation)}`;
  const age = operation.may_lag ? ` ${MAY_LAG}` : '';
  return `${operation.description}${age}\n\n${rules}`;
}

/** Whether it is metered by a credential, and not by the address alone. */
function hasMeteredCredential({ access }: Operation): boolean {
  return securityOf(access).some((schemes) => 'apiKey' in schemes || 'userToken' in schemes);
}

function limitSentence(operation: Operation): string {
  switch (operation.limit_class) {
    case 'STANDARD':
      return hasMeteredCredential(operation)
        ? 'Counts against the limits of the credential, a minute and a day.'
        : 'Counts against the limit of your address.';
    case 'PUBLIC_WRITE':
      return 'Limited to 10 requests a minute from one address, counted for this operation alone.';
    case 'BEST_EFFORT':
      return 'Counts against the limit of your address, and is served even when counting fails.';
    default:
      return operation.limit_class satisfies never;
  }
}

/** What a text in a path or a query stands for. */
function exampleOf(text: string, type: unknown): unknown {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function parametersOf(operation: Operation): JsonSchema[] {
  const examples = operation.examples;
  const describe = (
    where: 'path' | 'query',
    name: string,
    field: z.ZodType,
    example: string | undefined,
  ): JsonSchema => {
    const { description, ...schema } = inlineSchema(field);
    const optional = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
    return {
      name,
      in: where,
      required: where === 'path' || !optional,
      ...(description === undefined ? {} : { description }),
      schema,
      ...(example === undefined ? {} : { example: exampleOf(example, schema.type) }),
    };
  };
  return [
    ...Object.entries(operation.params).map(([name, field]) =>
      describe('path', name, field as z.ZodType, examples.params?.[name]),
    ),
    ...Object.entries(operation.query ?? {}).map(([name, field]) =>
      describe('query', name, field, examples.query?.[name]),
    ),
    { $ref: '#/components/parameters/RequestId' },
    ...(operation.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
}

const SUCCESSES = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Done.' } as const;

function describeOperation(operation: Operation, found: Map<string, z.ZodType>): JsonSchema {
  const { id, response, body, upload, examples } = operation;
  const success_headers = [
    ...EVERYWHERE,
    ...(operation.paging === undefined ? [] : ['Link']),
    ...(operation.paging === 'COUNTED_PAGE' ? ['X-Total-Count'] : []),
    ...(operation.query !== undefined && 'updated_since' in operation.query
      ? ['X-Next-Updated-Since']
      : []),
    ...(operation.idempotent ? ['Idempotent-Replayed'] : []),
    ...(operation.stream === undefined ? [] : ['Content-Disposition']),
    ...(operation.digested ? ['Repr-Digest'] : []),
  ];
  const success: JsonSchema = {
    description: SUCCESSES[operation.status],
    headers: headerReferences(success_headers),
  };
  if (operation.stream !== undefined) {
    success.content = Object.fromEntries(
      operation.stream.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
    );
  }
  if (response !== undefined) {
    success.content = {
      'application/json': {
        schema: bodySchema(response, found, `${capitalised(id)}Response`),
        example: examples.response,
      },
    };
  }
  const described: JsonSchema = {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: describeForReader(operation),
    security: securityOf(operation.access),
    ...accessExtension(operation.access),
    ...limitExtensions(operation),
    'x-rpc': operation.rpc,
    'x-error-reasons': reasonsOf(operation),
    parameters: parametersOf(operation),
  };
  if (body !== undefined) {
    described.requestBody = {
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(body, found, `${capitalised(id)}Request`),
          example: examples.body,
        },
      },
    };
  }
  if (upload !== undefined) {
    const content = upload.types.map((type) => [
      type,
      {
        schema: { type: 'string', format: 'binary' },
        ...(type === upload.example.type ? { example: upload.example.text } : {}),
      },
    ]);
    described.requestBody = { required: true, content: Object.fromEntries(content) };
  }
  const rehearsed: JsonSchema = {
    ...success,
    description: 'With `dry_run`: what would have been created.',
    headers: headerReferences([...EVERYWHERE, 'Dry-Run']),
  };
  described.responses = {
    ...(operation.query?.dry_run === undefined || upload !== undefined ? {} : { 200: rehearsed }),
    [operation.status]: success,
    ...Object.fromEntries(
      errorsOf(operation).map((code) => [
        ERRORS[code].http_status,
        { $ref: `#/components/responses/${errorResponseName(code)}` },
      ]),
    ),
  };
  return described;
}

function describeEvent(event: WebhookEvent, found: Map<string, z.ZodType>): JsonSchema {
  found.set(event.schema_name, event.body);
  const header = (name: string, description: string, schema: JsonSchema) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema,
  });
  return {
    post: {
      operationId: `receive${event.schema_name}`,
      tags: ['Webhooks'],
      summary: event.summary,
      description: event.description,
      security: [],
      parameters: [
        header('Svc-Event-ID', 'Stable over all attempts: use it to deduplicate.', {
          type: 'string',
          format: 'uuid',
        }),
        header('Svc-Timestamp', 'Unix seconds, part of what is signed. Refuse stale ones.', {
          type: 'string',
          pattern: '^\\d+$',
        }),
        header(
          'Svc-Signature',
          '`v1=` and the hexadecimal HMAC-SHA256, under the subscription’s secret, of the ' +
            'timestamp, a full stop and the body. Compare in constant time.',
          { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: componentReference(event.schema_name),
            example: event.example,
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. Anything else is tried again, up to eight times.' },
        '410': { description: 'Gone: the subscription is disabled.' },
      },
    },
  };
}

/** The OpenAPI 3.1 document of the API, made from the declarations. */
export function buildOpenApi(contact: ContactSettings = {}): JsonSchema {
  const found = new Map<string, z.ZodType>([['Error', errorEnvelope]]);
  const paths: Record<string, JsonSchema> = {};
  for (const operation of Object.values(operations) as unknown as Operation[]) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, found),
    };
  }
  const webhooks = Object.fromEntries(
    webhookEvents.map((event) => [event.name, describeEvent(event, found)]),
  );
  // What is only found inside other schemas must be known too, to be referred to by name.
  for (const schema of [...found.values()]) collectNamed(schema, found);
  const schemas = componentSchemas(found);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Credit network',
      version: API_VERSION,
      description:
        'Member institutions report accounts and credit events about subjects, and read credit ' +
        'profiles made from them. Amounts are numbers with at most two decimals, times RFC 3339; ' +
        'responses have UTC with milliseconds. A field that is not known is refused.',
      contact: {
        name: contact.name ?? NO_CONTACT.name,
        url: contact.url ?? NO_CONTACT.url,
        email: contact.email ?? NO_CONTACT.email,
      },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0.html' },
    },
    servers: [{ url: BASE_PATH, description: 'The server that this document comes from.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    'x-tagGroups': TAG_GROUPS,
    'x-error-reasons': errorReasons(),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `svc_live_…` or `svc_test_…`. Test and live keys reach isolated data.',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token from the sign-in.',
        },
        disputeToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The access token of one dispute, `svc_dt_…`, shown when it was opened.',
        },
        personToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The session of a person at the own file, `svc_pt_…`, from a link or a sign-in.',
        },
      },
      parameters: {
        RequestId: {
          name: 'X-Request-ID',
          in: 'header',
          required: false,
          description: 'Your own identifier of the request; kept when it is usable.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: true,
          description:
            'One key for one intended change. The same key and body replay the first answer; ' +
            'with another body it is 409.',
          schema: { type: 'string', minLength: 8, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
          example: 'loan-2026-00017-open',
        },
      },
      headers: HEADERS,
      responses: errorResponses(),
      schemas,
    },
  };
}

/** Finds the named schemas inside a schema. */
function collectNamed(schema: z.ZodType, found: Map<string, z.ZodType>): void {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    collectNamed(schema.unwrap() as z.ZodType, found);
    return;
  }
  const name = nameOf(schema);
  if (name !== undefined) found.set(name, schema);
  const encoding = wires.get(schema)?.encoding;
  switch (encoding?.kind) {
    case 'object':
      for (const field of Object.values(encoding.shape)) collectNamed(field, found);
      break;
    case 'list':
      collectNamed(encoding.item, found);
      break;
    case 'map':
      collectNamed(encoding.value, found);
      break;
    case 'or_null':
      collectNamed(encoding.inner, found);
      break;
    case 'json':
      for (const content of encoding.contents ?? []) collectNamed(content, found);
      break;
    case 'variants':
      for (const option of encoding.options.values()) collectNamed(option, found);
      break;
    default:
      break;
  }
}
