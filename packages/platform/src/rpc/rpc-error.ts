import { Error as ErrorMessage } from '@credit/proto/rpc/v1/tunnel';
import { status as GrpcStatus } from '@grpc/grpc-js';

import {
  AppError,
  type AppErrorOptions,
  ERRORS,
  type ErrorCode,
  isAppError,
  isReason,
} from '../errors';

/** How a failed call crosses the wire, on either transport. */
export interface Failure {
  readonly status: GrpcStatus;
  /** Never holds internals. */
  readonly message: string;
  /** The application's error, when there is one. */
  readonly error: ErrorMessage | undefined;
}

/**
 * What a stub throws: the peer's AppError restored, or one that says what became
 * of the call. The gRPC status is for retry policies and logs; no HTTP status is
 * ever derived from it.
 */
export class RpcError extends AppError {
  readonly grpc_status: GrpcStatus;

  constructor(
    grpc_status: GrpcStatus,
    code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(code, message, options);
    this.name = 'RpcError';
    this.grpc_status = grpc_status;
  }
}

/**
 * True when the call may have found nobody: the peer was unreachable, went away
 * or says so itself. Whether it took effect is unknown, so only reads and
 * idempotent writes may be repeated. Overload and deadlines are not retryable:
 * repeating would add to the one and outlive the other.
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof RpcError && error.grpc_status === GrpcStatus.UNAVAILABLE;
}

// Shown to callers as they are, so they name no host, method or status.
const MESSAGES: Partial<Record<GrpcStatus, string>> = {
  [GrpcStatus.CANCELLED]: 'The request was cancelled.',
  [GrpcStatus.UNAVAILABLE]: 'The service is temporarily unavailable.',
  [GrpcStatus.DEADLINE_EXCEEDED]: 'The service did not answer in time.',
  [GrpcStatus.RESOURCE_EXHAUSTED]: 'The service is overloaded.',
};

const RETRY_AFTER_S: Partial<Record<GrpcStatus, number>> = {
  [GrpcStatus.UNAVAILABLE]: 1,
  [GrpcStatus.DEADLINE_EXCEEDED]: 1,
  [GrpcStatus.RESOURCE_EXHAUSTED]: 1,
};

/** A call that ended without an answer of the application. `reason` is for logs only. */
export function transportError(grpc_status: GrpcStatus, reason: string): RpcError {
  return new RpcError(
    grpc_status,
    'INTERNAL_ERROR',
    MESSAGES[grpc_status] ?? 'An internal error occurred.',
    {
      retry_after_s: RETRY_AFTER_S[grpc_status],
      reason: RETRY_AFTER_S[grpc_status] === undefined ? 'INTERNAL' : 'UNAVAILABLE',
      cause: new Error(reason),
    },
  );
}

/** The error a failed call raises at the caller. */
export function restoreError(failure: Failure, path: string): RpcError {
  const { status, message, error } = failure;
  if (error === undefined || !isErrorCode(error.code)) {
    const name = GrpcStatus[status] ?? String(status);
    return transportError(status, `${path}: ${name}: ${message}`);
  }
  return new RpcError(status, error.code, error.message, {
    details: error.details,
    retry_after_s: error.retry_after_s === 0 ? undefined : error.retry_after_s,
    existing_id: error.existing_id,
    merged_into: error.merged_into,
    // Of a peer that is newer it may be a word that nobody here has heard of.
    reason: error.reason !== undefined && isReason(error.reason) ? error.reason : undefined,
    required: error.required,
    allowed_event_types: listed(error.allowed_event_types),
  });
}

/** An empty list says nothing. */
function listed(types: readonly string[]): readonly string[] | undefined {
  return types.length === 0 ? undefined : types;
}

/** What a handler's error looks like on the wire; undefined when it must not be shown. */
export function failureOf(error: unknown): Failure | undefined {
  if (!isAppError(error)) return undefined;
  return {
    status: statusOf(error),
    message: error.message,
    error: {
      code: error.code,
      message: error.message,
      details: error.details,
      retry_after_s: Math.ceil(error.retry_after_s ?? 0),
      existing_id: error.existing_id,
      merged_into: error.merged_into,
      reason: error.reason,
      required: error.required,
      allowed_event_types: [...(error.allowed_event_types ?? [])],
    },
  };
}

/** A call that is turned away before any work was done for it. */
export const SHED: Failure = {
  // Not UNAVAILABLE: retrying at once would add to the overload.
  status: GrpcStatus.RESOURCE_EXHAUSTED,
  message: 'too many calls in flight',
  error: {
    code: 'INTERNAL_ERROR',
    message: 'The service is overloaded.',
    details: [],
    retry_after_s: 1,
    reason: 'UNAVAILABLE',
    allowed_event_types: [],
  },
};

/** Any other failure, with a message that is fixed here and so cannot leak. */
export function plainFailure(status: GrpcStatus, message: string): Failure {
  return { status, message, error: undefined };
}

// Ours is an INTERNAL_ERROR; `unavailable()` says that repeating it makes sense,
// and an error handed on from a further service keeps the status it came with.
function statusOf(error: AppError): GrpcStatus {
  if (error instanceof RpcError) return error.grpc_status;
  if (error.code === 'INTERNAL_ERROR' && error.retry_after_s !== undefined) {
    return GrpcStatus.UNAVAILABLE;
  }
  return ERRORS[error.code].grpc_status;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** The trailer that carries an application error of a plain unary call. */
export const ERROR_TRAILER = 'credit-error-bin';

// Header blocks are small by convention: common clients refuse more than 8 KiB,
// and base64 adds a third.
const MAX_TRAILER_BYTES = 6 * 1024;

/** The error as a trailer's value; details that would burst the header block are cut. */
export function encodeErrorTrailer(error: ErrorMessage): Buffer {
  let kept = error.details.length;
  for (;;) {
    const details = error.details.slice(0, kept);
    if (kept < error.details.length) {
      details.push({ path: '', message: `and ${error.details.length - kept} more` });
    }
    const bytes = ErrorMessage.encode({ ...error, details }).finish();
    if (bytes.length <= MAX_TRAILER_BYTES || kept === 0) return Buffer.from(bytes);
    kept = Math.floor(kept / 2);
  }
}

/** Reads the trailer back; undefined when it is absent or not readable. */
export function decodeErrorTrailer(value: unknown): ErrorMessage | undefined {
  if (!Buffer.isBuffer(value)) return undefined;
  try {
    return ErrorMessage.decode(value);
  } catch {
    return undefined;
  }
}
