import { status as GrpcStatus } from '@grpc/grpc-js';

/** The network's error codes: the closed set that callers may see. */
export type ErrorCode =
  | 'REQUEST_ERROR'
  | 'INVALID_API_KEY'
  | 'INSUFFICIENT_SCOPE'
  | 'NOT_FOUND'
  | 'INVALID_STATE_TRANSITION'
  | 'REQUEST_TOO_LARGE'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL_ERROR';

/** The one table from a code to what it is on each wire. Never read backwards. */
export const ERRORS: Readonly<
  Record<ErrorCode, { readonly grpc_status: GrpcStatus; readonly http_status: number }>
> = {
  REQUEST_ERROR: { grpc_status: GrpcStatus.INVALID_ARGUMENT, http_status: 400 },
  INVALID_API_KEY: { grpc_status: GrpcStatus.UNAUTHENTICATED, http_status: 401 },
  INSUFFICIENT_SCOPE: { grpc_status: GrpcStatus.PERMISSION_DENIED, http_status: 403 },
  NOT_FOUND: { grpc_status: GrpcStatus.NOT_FOUND, http_status: 404 },
  INVALID_STATE_TRANSITION: { grpc_status: GrpcStatus.FAILED_PRECONDITION, http_status: 409 },
  REQUEST_TOO_LARGE: { grpc_status: GrpcStatus.OUT_OF_RANGE, http_status: 413 },
  VALIDATION_ERROR: { grpc_status: GrpcStatus.INVALID_ARGUMENT, http_status: 422 },
  RATE_LIMIT_EXCEEDED: { grpc_status: GrpcStatus.RESOURCE_EXHAUSTED, http_status: 429 },
  INTERNAL_ERROR: { grpc_status: GrpcStatus.INTERNAL, http_status: 500 },
};

/** What is wrong with one field; `path` as in `events[3].amount`. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** Options of an {@link AppError}. */
export interface AppErrorOptions {
  details?: ErrorDetail[];
  retry_after_s?: number;
  /** A stable word for the cause, where a caller has to tell it from others of the same code. */
  reason?: string;
  /** What is there already, where the caller may know of it. */
  existing_id?: string | undefined;
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
  readonly reason: string | undefined;
  readonly existing_id: string | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.retry_after_s = options.retry_after_s;
    this.reason = options.reason;
    this.existing_id = options.existing_id;
  }
}

/** True for an error that may be shown to the caller. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** 400: malformed or expired workflow input. */
export function requestError(message: string): AppError {
  return new AppError('REQUEST_ERROR', message);
}

/** 401: one message for every reason, so that it tells nothing about the credential. */
export function unauthenticated(
  message = 'The credential is missing, malformed, expired or revoked.',
): AppError {
  return new AppError('INVALID_API_KEY', message);
}

/** 403: one message for every reason; the reason goes to the audit log. */
export function forbidden(
  message = 'The credential may not do this, or not from this address.',
): AppError {
  return new AppError('INSUFFICIENT_SCOPE', message);
}

/** 404: unknown, or another institution's. */
export function notFound(message: string): AppError {
  return new AppError('NOT_FOUND', message);
}

/** 409: state, order or uniqueness forbids it; retrying unchanged is pointless. */
export function conflict(
  message: string,
  options: Pick<AppErrorOptions, 'existing_id' | 'reason'> = {},
): AppError {
  return new AppError('INVALID_STATE_TRANSITION', message, options);
}

/** 413: the payload or the batch is over its bound. */
export function tooLarge(message: string): AppError {
  return new AppError('REQUEST_TOO_LARGE', message);
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
export function rateLimited(message: string, retry_after_s: number): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', message, { retry_after_s });
}

/** 500 with Retry-After: overload or an unreachable peer; safe calls may be repeated. */
export function unavailable(message: string, retry_after_s = 1, cause?: unknown): AppError {
  return new AppError('INTERNAL_ERROR', message, { retry_after_s, cause });
}
