import { createHash } from 'node:crypto';
import { type EventCommand, isEventType } from './accounts.ts';
import { Refused } from './refused.ts';

// What comes in over HTTP, before anything is done with it.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const MOST_MINOR = 99_999_999_999_999;
const FIELDS = new Set(['event_type', 'occurred_at', 'amount', 'balance_after']);
export const PURPOSES = ['ACCOUNT_REVIEW', 'NEW_CREDIT'] as const;
export type Purpose = (typeof PURPOSES)[number];

const invalid = (message: string) => new Refused(422, 'VALIDATION_FAILED', message);

/** The caller's, if it is one, or a new one. */
export function requestIdOf(header: string | undefined, newId: () => string): string {
  return header !== undefined && REQUEST_ID.test(header) ? header : newId();
}

export function readToken(authorization: string | undefined): string {
  if (!authorization?.startsWith('Bearer ')) {
    throw new Refused(401, 'UNAUTHORIZED', 'A bearer token is needed.');
  }
  return authorization.slice('Bearer '.length);
}

export function readId(text: string | undefined, name: string): string {
  const id = (text ?? '').toLowerCase();
  if (!UUID.test(id)) throw invalid(`${name} is no UUID.`);
  return id;
}

export function readIdempotencyKey(header: string | undefined): string {
  if (header === undefined || header.length < 8 || header.length > 255) {
    throw invalid('Idempotency-Key has 8 to 255 characters.');
  }
  return header;
}

export function readPurpose(text: unknown): Purpose {
  const purpose = PURPOSES.find((known) => known === text);
  if (purpose === undefined) throw invalid(`purpose is one of ${PURPOSES.join(', ')}.`);
  return purpose;
}

/** The body of a reported event. */
export function readEvent(body: unknown): EventCommand {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The body is no object.');
  }
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw invalid(`There is no field ${unknown}.`);
  const fields = body as Record<string, unknown>;
  const { event_type, occurred_at } = fields;
  if (typeof event_type !== 'string' || !isEventType(event_type)) {
    throw invalid('event_type is unknown.');
  }
  if (typeof occurred_at !== 'string' || !TIME.test(occurred_at)) {
    throw invalid('occurred_at is no time of RFC 3339 in UTC.');
  }
  const moment = new Date(occurred_at);
  if (Number.isNaN(moment.getTime())) throw invalid('occurred_at does not exist.');
  return {
    event_type,
    occurred_at: moment.toISOString(),
    amount_minor: readMinor(fields.amount, 'amount'),
    balance_after_minor: readMinor(fields.balance_after, 'balance_after'),
  };
}

/** An amount with two decimals at most, in minor units. */
function readMinor(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  const minor = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
  if (!(minor >= 0 && minor <= MOST_MINOR) || minor / 100 !== value) {
    throw invalid(`${name} is no amount with two decimals at most.`);
  }
  return minor;
}

/** What makes another request under the same key another one. */
export function fingerprintOf(account_id: string, command: EventCommand): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([account_id, command]))
    .digest();
}
