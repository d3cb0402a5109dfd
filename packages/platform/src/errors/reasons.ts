import type { ErrorCode } from './codes';

/**
 * Every cause of an error that callers can tell apart, with the code that it comes with: stable
 * words. What each means and what helps stands in the public contract's catalogue.
 */
export const REASONS = {
  // The request itself.
  MALFORMED_REQUEST: 'REQUEST_ERROR',
  MALFORMED_URL: 'REQUEST_ERROR',
  CONTENT_TYPE: 'REQUEST_ERROR',
  MALFORMED_JSON: 'REQUEST_ERROR',
  UNEXPECTED_BODY: 'REQUEST_ERROR',
  // Who asks.
  NO_CREDENTIAL: 'INVALID_API_KEY',
  NOT_BEARER: 'INVALID_API_KEY',
  CREDENTIAL_NOT_VALID: 'INVALID_API_KEY',
  // What they may.
  SCOPE: 'INSUFFICIENT_SCOPE',
  ROLE: 'INSUFFICIENT_SCOPE',
  CREDENTIAL_KIND: 'INSUFFICIENT_SCOPE',
  ADDRESS: 'INSUFFICIENT_SCOPE',
  INSTITUTION_STATUS: 'INSUFFICIENT_SCOPE',
  PASSWORD_CHANGE_REQUIRED: 'INSUFFICIENT_SCOPE',
  // What there is.
  NO_ROUTE: 'NOT_FOUND',
  NO_PAGE: 'NOT_FOUND',
  UNKNOWN_ID: 'NOT_FOUND',
  // What state forbids.
  DUPLICATE_SUBJECT: 'INVALID_STATE_TRANSITION',
  EXTERNAL_ID_TAKEN: 'INVALID_STATE_TRANSITION',
  IDEMPOTENCY_KEY_REUSED: 'INVALID_STATE_TRANSITION',
  REINSERTION: 'INVALID_STATE_TRANSITION',
  STATE_CONFLICT: 'INVALID_STATE_TRANSITION',
  // How much.
  BODY_TOO_LARGE: 'REQUEST_TOO_LARGE',
  BATCH_TOO_LARGE: 'REQUEST_TOO_LARGE',
  TOO_MANY_VALUES: 'REQUEST_TOO_LARGE',
  INVALID_FIELDS: 'VALIDATION_ERROR',
  RATE_LIMIT: 'RATE_LIMIT_EXCEEDED',
  // The network's own.
  UNAVAILABLE: 'INTERNAL_ERROR',
  INTERNAL: 'INTERNAL_ERROR',
} as const satisfies Readonly<Record<string, ErrorCode>>;

export type Reason = keyof typeof REASONS;

/** The reason of an error that was given none: the most common one of its code. */
export const GENERAL_REASONS: Readonly<Record<ErrorCode, Reason>> = {
  REQUEST_ERROR: 'MALFORMED_REQUEST',
  INVALID_API_KEY: 'CREDENTIAL_NOT_VALID',
  INSUFFICIENT_SCOPE: 'ROLE',
  NOT_FOUND: 'UNKNOWN_ID',
  INVALID_STATE_TRANSITION: 'STATE_CONFLICT',
  REQUEST_TOO_LARGE: 'BODY_TOO_LARGE',
  VALIDATION_ERROR: 'INVALID_FIELDS',
  RATE_LIMIT_EXCEEDED: 'RATE_LIMIT',
  INTERNAL_ERROR: 'INTERNAL',
};

/** Whether a text, as of another service, is one of the reasons. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}
