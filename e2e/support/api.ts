import { BASE_PATH, type Operation, operations } from '@credit/contract';
import { ERRORS, type ErrorCode } from '@credit/platform/errors';

/** Every operation that the API declares, without its types. */
export const declared = Object.values(operations) as unknown as Operation[];

/** An operation's path with its parameters put in, those of its example unless given. */
export function pathOf(operation: Operation, params: Record<string, string> = {}): string {
  const all = { ...operation.examples.params, ...params };
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? '');
}

/** The query of an operation's example, with its question mark. */
export function queryOf(operation: Operation): string {
  const { query } = operation.examples;
  return query === undefined ? '' : `?${new URLSearchParams(query)}`;
}

export const API_PREFIX = BASE_PATH;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Headers by their names in small letters. */
export type HeaderReader = (name: string) => string | null | undefined;

/** What is missing from an answer that every answer must have; empty when nothing is. */
export function faultsOf(status: number, header: HeaderReader, text: string): string[] {
  const faults: string[] = [];
  if (!REQUEST_ID.test(header('x-request-id') ?? '')) faults.push('no X-Request-ID');
  for (const name of ['limit', 'remaining', 'reset']) {
    if (!/^\d+$/.test(header(`x-ratelimit-${name}`) ?? '')) faults.push(`no X-RateLimit-${name}`);
  }
  if (status === 429 && !header('retry-after')) faults.push('no Retry-After');
  if (status < 400) return faults;
  return [...faults, ...envelopeFaults(status, header('x-request-id') ?? '', text)];
}

function envelopeFaults(status: number, request_id: string, text: string): string[] {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return ['no JSON'];
  }
  const { error } = envelope as {
    error?: { code?: ErrorCode; message?: unknown; request_id?: unknown };
  };
  const known = error?.code === undefined ? undefined : ERRORS[error.code];
  if (known === undefined) return ['no error code of the table'];
  const faults: string[] = [];
  if (known.http_status !== status) faults.push(`${status} does not go with ${error?.code}`);
  if (typeof error?.message !== 'string' || error.message === '') faults.push('no message');
  if (error?.request_id !== request_id) faults.push('another request_id than in the header');
  return faults;
}
