import type { ErrorCode } from './codes';
import { GENERAL_REASONS, type Reason } from './reasons';

export { ERRORS, type ErrorCode } from './codes';
export { GENERAL_REASONS, isReason, REASONS, type Reason } from './reasons';

/** What is wrong with one field; `path` as in `events[3].amount`. */
export interface ErrorDetail {
  path: string;
  message: string;
  /** What is there already, where several items of a batch have something of their own. */
  existing_id?: string | undefined;
}

/** Options of an {@link AppError}. */
export interface AppErrorOptions {
  details?: ErrorDetail[];
  retry_after_s?: number;
  /** The cause; the general one of the code unless given. */
  reason?: Reason | undefined;
  /** What is there already, where the caller may know of it. */
  existing_id?: string | undefined;
  /** The subject that the one named was merged into. */
  merged_into?: string | undefined;
  /** The scope, permission or role that is missing. */
  required?: string | undefined;
  /** What could happen to the account instead. */
  allowed_event_types?: readonly string[] | undefined;
  cause?: unknown;
}

/**
 * The one error a caller may see. Its message and details are shown as they
 * are, so they never hold internals; `cause` is for logs only.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[];
  readonly retry_after_s: number | undefined;
  readonly reason: Reason;
  readonly existing_id: string | undefined;
  readonly merged_into: string | undefined;
  readonly required: string | undefined;
  readonly allowed_event_types: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.retry_after_s = options.retry_after_s;
    this.reason = options.reason ?? GENERAL_REASONS[code];
    this.existing_id = options.existing_id;
    this.merged_into = options.merged_into;
    this.required = options.required;
    this.allowed_event_types = options.allowed_event_types;
  }
}

/** True for an error that may be shown to the caller. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** 400: malformed or expired workflow input. */
export function requestError(message: string, reason?: Reason): AppError {
  return new AppError('REQUEST_ERROR', message, { reason });
}

/** 401: of a credential that was given, one message and reason for whatever is wrong with it. */
export function unauthenticated(
  message = 'The credential is malformed, expired or revoked.',
  reason?: Reason,
): AppError {
  return new AppError('INVALID_API_KEY', message, { reason });
}

/** 403: the credential is good, and may not do this; `required` names what it lacks. */
export function forbidden(
  message = 'The credential may not do this.',
  options: Pick<AppErrorOptions, 'reason' | 'required'> = {},
): AppError {
  return new AppError('INSUFFICIENT_SCOPE', message, options);
}

/** 404: unknown, or another institution's. */
export function notFound(message: string, reason?: Reason): AppError {
  return new AppError('NOT_FOUND', message, { reason });
}

/** 409: state, order or uniqueness forbids it; retrying unchanged is pointless. */
export function conflict(
  message: string,
  options: Pick<AppErrorOptions, 'existing_id' | 'merged_into' | 'allowed_event_types'> & {
    reason: Reason;
  },
): AppError {
  return new AppError('INVALID_STATE_TRANSITION', message, options);
}

/** 413: the payload or the batch is over its bound. */
export function tooLarge(message: string, reason?: Reason): AppError {
  return new AppError('REQUEST_TOO_LARGE', message, { reason });
}

/** 422: names each field that is wrong. */
export function invalid(details: ErrorDetail[]): AppError;
export function invalid(path: string, message: string): AppError;
export function invalid(first: ErrorDetail[] | string, message = 'is invalid'): AppError {
  const details = typeof first === 'string' ? [{ path: first, message }] : first;
  const shown = details
    .slice(0, 3)
    .map((detail) => (detail.path === '' ? detail.message : `${detail.path}: ${detail.message}`))
    .join('; ');
  const more = details.length > 3 ? ` (and ${details.length - 3} more)` : '';
  return new AppError('VALIDATION_ERROR', `Validation failed: ${shown}${more}`, { details });
}

/** 429: wait that many seconds. */
export function rateLimited(message: string, retry_after_s: number, reason?: Reason): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', message, { retry_after_s, reason });
}

/** 500 with Retry-After: overload or an unreachable peer; safe calls may be repeated. */
export function unavailable(message: string, retry_after_s = 1, cause?: unknown): AppError {
  return new AppError('INTERNAL_ERROR', message, { retry_after_s, cause, reason: 'UNAVAILABLE' });
}
