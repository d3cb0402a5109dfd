import { unavailable } from '../errors';

const SERIALISATION_FAILURE = '40001';

/** SQLSTATE of a database error, or the code of a socket error. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Others have changed what a transaction has read: it is run again, from the start. */
export class Overtaken extends Error {
  readonly code = SERIALISATION_FAILURE;

  constructor() {
    super('What was read has changed.');
    this.name = 'Overtaken';
  }
}

/** Serialisation failure and deadlock: running the transaction again is right. */
export function isSerialisationFailure(error: unknown): boolean {
  const code = errorCode(error);
  return code === SERIALISATION_FAILURE || code === '40P01';
}

/** The server follows another by now, as one does whose place was taken. */
const READ_ONLY = '25006';

/** Whether no transaction will succeed on the connection that this came from, as it came or translated. */
export function endsConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(error) === READ_ONLY || errorCode(cause) === READ_ONLY;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  '55P03', // lock not available within lock_timeout
  '57014', // statement_timeout
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
  '25P03', // idle in transaction timeout
  READ_ONLY,
  '58030', // its disk fails
]);
/** Classes of codes: the connection broke; disk, memory or connections have run out. */
const UNREACHABLE_CLASSES = ['08', '53'];

/** The server knows no such login, or not with that password: trying again does not help. */
export function refusesLogin(error: unknown): boolean {
  return ['28P01', '28000'].includes(errorCode(error));
}

/** What a caller is told of a failure that is over soon. */
export function busy(cause: unknown): unknown {
  return unavailable('The service is busy; try again shortly.', 1, cause);
}

/**
 * Turns "the database is away or overloaded" into an error that invites a retry;
 * any other error is a bug and stays as it is.
 */
export function translateFailure(error: unknown): unknown {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : '';
  if (
    UNREACHABLE.has(code) ||
    UNREACHABLE_CLASSES.some((begin) => code.startsWith(begin)) ||
    message.startsWith('timeout exceeded when trying to connect') ||
    message.startsWith('Connection terminated') ||
    message.startsWith('Client has encountered a connection error')
  ) {
    return busy(error);
  }
  return error;
}
