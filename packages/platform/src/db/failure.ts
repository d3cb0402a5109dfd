import { unavailable } from '../errors';

/** SQLSTATE of a database error, or the code of a socket error. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Serialisation failure and deadlock: running the transaction again is right. */
export function isSerialisationFailure(error: unknown): boolean {
  const code = errorCode(error);
  return code === '40001' || code === '40P01';
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  '53300', // too many connections
  '55P03', // lock not available within lock_timeout
  '57014', // statement_timeout
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
  '25P03', // idle in transaction timeout
]);

/**
 * Turns "the database is away or overloaded" into an error that invites a retry;
 * any other error is a bug and stays as it is.
 */
export function translateFailure(error: unknown): unknown {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : '';
  if (
    UNREACHABLE.has(code) ||
    code.startsWith('08') ||
    message.startsWith('timeout exceeded when trying to connect') ||
    message.startsWith('Connection terminated') ||
    message.startsWith('Client has encountered a connection error')
  ) {
    return unavailable('The service is busy; try again shortly.', 1, error);
  }
  return error;
}
