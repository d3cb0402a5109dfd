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
