import { ERRORS, type ErrorCode } from '@credit/platform/errors';
import type { Operation } from './operation';

/** What can go wrong: from access, input and limits, and what the operation adds. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['REQUEST_ERROR', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']);
  const { kind } = operation.access;
  if (kind !== 'public') codes.add('INVALID_API_KEY');
  // A token opens one thing or nothing.
  if (kind !== 'public' && kind !== 'token') codes.add('INSUFFICIENT_SCOPE');
  if (operation.body !== undefined || operation.upload !== undefined)
    codes.add('REQUEST_TOO_LARGE');
  codes.add('VALIDATION_ERROR');
  for (const code of operation.errors) codes.add(code);
  return [...codes].sort((a, b) => ERRORS[a].http_status - ERRORS[b].http_status);
}
