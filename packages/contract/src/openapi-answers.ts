import {
  type AppError,
  conflict,
  ERRORS,
  type ErrorCode,
  forbidden,
  invalid,
  notFound,
  REASONS,
  type Reason,
  rateLimited,
  requestError,
  tooLarge,
  unauthenticated,
  unavailable,
} from '@credit/platform/errors';
import { z } from 'zod';
import { errorBody } from './error-body';
import { componentReference } from './json-schema';
import { ERROR_REASONS, ERRORS_URL } from './reasons';
import { type JsonSchema, names } from './wire';

/** What the document says of an error of the table. */
interface ErrorText {
  readonly name: string;
  readonly description: string;
  /** What to do about it. */
  readonly cure: string;
  /** One as the API says it. */
  readonly example: AppError;
}

const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  REQUEST_ERROR: {
    name: 'RequestError',
    description: 'The request cannot be read, or a token of a workflow is unknown or expired.',
    cure: 'Mend the JSON, the content type or the address; ask for a new token where one has run out.',
    example: requestError('The body is not valid JSON.'),
  },
  INVALID_API_KEY: {
    name: 'InvalidApiKey',
    description: 'The credential is missing, malformed, expired or revoked.',
    cure: 'Send `Authorization: Bearer` with a credential that is whole, not expired and not revoked. A token that has run out is refreshed or a new one is signed in for.',
    example: unauthenticated(),
  },
  INSUFFICIENT_SCOPE: {
    name: 'InsufficientScope',
    description:
      'The credential is good and may not do this: a scope, role or permission is missing, it is a ' +
      'key where a user is needed or the reverse, the institution is not active, a temporary ' +
      'password must be changed first, or the source address is not allowed. Repeating does not help.',
    cure: 'Look at `GET /auth/me`: it names the scopes, the role and the institution’s status. Use a key with the scope, or a user with the role; sign in anew when a temporary password must be changed first; call from an address in `allowed_ips`.',
    example: forbidden('The key lacks the scope credit:report.', {
      reason: 'SCOPE',
      required: 'credit:report',
    }),
  },
  NOT_FOUND: {
    name: 'NotFound',
    description: 'The identifier is unknown, or belongs to another institution.',
    cure: 'Check the id, and the environment: what a test key made does not exist for a live one. Of an address, check method and path.',
    example: notFound('The account does not exist.'),
  },
  INVALID_STATE_TRANSITION: {
    name: 'InvalidStateTransition',
    description:
      'State, order or uniqueness forbids it, or the idempotency key came with another body. ' +
      'Repeating it unchanged does not help.',
    cure: 'Read the record and decide anew; `reason` and `existing_id` say more where they are there.',
    example: conflict('PAYMENT_MADE is impossible on an account that is CANCELLED.', {
      reason: 'TRANSITION_NOT_ALLOWED',
      allowed_event_types: ['ACCOUNT_UPDATED', 'DISPUTE_OPENED'],
    }),
  },
  REQUEST_TOO_LARGE: {
    name: 'RequestTooLarge',
    description: 'The body or the batch is over its bound.',
    cure: 'Send smaller batches.',
    example: tooLarge('events holds 501 items; 500 are allowed.'),
  },
  VALIDATION_ERROR: {
    name: 'ValidationError',
    description: 'Fields are missing or wrong; `details` names each.',
    cure: 'Mend the fields that `details` names, and send it again, with the same `Idempotency-Key` if you like.',
    example: invalid([
      { path: 'balance_after', message: 'must be a number' },
      { path: 'amuont', message: 'is not a known field' },
    ]),
  },
  RATE_LIMIT_EXCEEDED: {
    name: 'RateLimitExceeded',
    description: 'Wait until X-RateLimit-Reset.',
    cure: 'Wait for `Retry-After` seconds, and slow down when `X-RateLimit-Remaining` runs low.',
    example: rateLimited('The rate limit is reached; wait until X-RateLimit-Reset.', 12),
  },
  INTERNAL_ERROR: {
    name: 'InternalError',
    description:
      'The network failed or is overloaded. Safe and idempotent requests can be repeated, after ' +
      'Retry-After when it is there.',
    cure: 'Repeat it with growing pauses, a write with the same `Idempotency-Key`. If it lasts, ask for help with the `request_id`.',
    example: unavailable('The service is temporarily unavailable.', 1),
  },
};

/** The envelope of every error. */
export const errorEnvelope = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    request_id: z.string().describe('As in the X-Request-ID header.'),
    details: z
      .array(z.object({ path: z.string(), message: z.string(), existing_id: z.uuid().optional() }))
      .optional()
      .describe(
        'With 422, and with 409 where several items of a batch are refused: what is wrong where, as ' +
          'in `events[3].amount`, and what is there already.',
      ),
    reason: z.string().describe(
      `A stable word for the cause: ${Object.keys(ERROR_REASONS)
        .map((name) => `\`${name}\``)
        .join(', ')}. More come; each is explained at ${ERRORS_URL}.`,
    ),
    doc_url: z
      .string()
      .describe(
        'Where the reason is explained. Begins with /docs where the network says no origin.',
      ),
    existing_id: z
      .uuid()
      .optional()
      .describe('With 409: what is there already, as the subject that looks the same.'),
    merged_into: z
      .uuid()
      .optional()
      .describe('With SUBJECT_MERGED: the subject that holds the records now.'),
    required: z
      .string()
      .optional()
      .describe('With 403: the scope, permission or role that is missing.'),
    allowed_event_types: z
      .array(z.string())
      .optional()
      .describe('With 409: the events that could be reported of the account instead.'),
  }),
});
names.add(errorEnvelope, { id: 'Error' });

interface HeaderText {
  readonly description: string;
  /** Wherever it is named, it is there. */
  readonly required?: true;
  readonly schema: JsonSchema;
}

/** The headers that answers may have, by the names of their components. */
export const HEADERS: Readonly<Record<string, HeaderText>> = {
  'X-Request-ID': {
    description: 'Of your request when it had a usable one, else made by the network.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'X-RateLimit-Limit': {
    description: 'Of the window, minute or day, that is nearer to its end.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in that window.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'When that window ends, in Unix seconds.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'Seconds to wait. There when waiting helps.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  Link: {
    description: 'The next page, as `<url>; rel="next"`; missing on the last one.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  'X-Total-Count': {
    description: 'Items on all pages.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Next-Updated-Since': {
    description:
      'With `updated_since`: what to ask with next time, once you have read all pages, so that you ' +
      'miss nothing.',
    schema: { type: 'string', format: 'date-time' },
  },
  'Dry-Run': {
    description: '`true`: nothing was written.',
    required: true,
    schema: { type: 'string', const: 'true' },
  },
  'Idempotent-Replayed': {
    description: '`true` when the answer is that of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'Content-Disposition': {
    description: 'A name for the file.',
    required: true,
    schema: { type: 'string' },
  },
  'Repr-Digest': {
    description: 'SHA-256 of the document, as RFC 9530 writes it.',
    required: true,
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
};

/** The headers of every answer. */
export const EVERYWHERE = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

export function headerReferences(header_names: readonly string[]): JsonSchema {
  return Object.fromEntries(
    header_names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const ERROR_HEADERS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  INVALID_API_KEY: ['WWW-Authenticate'],
  RATE_LIMIT_EXCEEDED: ['Retry-After'],
  INTERNAL_ERROR: ['Retry-After'],
};

/** The name of an error's response among the components. */
export function errorResponseName(code: ErrorCode): string {
  return ERROR_TEXTS[code].name;
}

/** A response for each error of the table. */
export function errorResponses(): Record<string, JsonSchema> {
  return Object.fromEntries(
    (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
      const { name, description, cure, example } = ERROR_TEXTS[code];
      const body = errorBody(example, '0198a1c3-0c50-7b11-9d0c-8b7a6f5e4d3c', '');
      return [
        name,
        {
          description,
          'x-error-code': code,
          'x-cure': cure,
          headers: headerReferences([...EVERYWHERE, ...(ERROR_HEADERS[code] ?? [])]),
          content: {
            'application/json': { schema: componentReference('Error'), example: body },
          },
        },
      ];
    }),
  );
}

/** The catalogue of reasons, for those who read the document with a program. */
export function errorReasons(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(ERROR_REASONS).map(([name, { cause, cure }]) => [
      name,
      { code: REASONS[name as Reason], cause, cure },
    ]),
  );
}
