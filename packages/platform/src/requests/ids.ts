import type { CallContext } from '../context';
import { forbidden, invalid } from '../errors';
import { isUuid } from '../values';

/** The caller's institution; 403 when it acts for none. */
export function institutionOf(ctx: CallContext): string {
  if (ctx.institution_id === '') {
    throw forbidden('This is for members: it takes a credential of an institution.', {
      reason: 'NO_INSTITUTION',
    });
  }
  return ctx.institution_id;
}

/** The subject whose person calls, and whose file alone it may act on; 403 of anybody else. */
export function personOf({ actor }: CallContext): string {
  if (actor.type === 'person' && isUuid(actor.id)) return actor.id;
  throw forbidden('This takes the session of the person whom the record is about.', {
    reason: 'CREDENTIAL_KIND',
  });
}

/** Refuses what is about live data: the sandbox is of the test environment alone. */
export function requireTest(ctx: CallContext): void {
  if (ctx.environment === 'test') return;
  throw forbidden('The sandbox is in the test environment only.', { reason: 'TEST_KEYS_ONLY' });
}

/** The id as the database writes it; VALIDATION_ERROR that names the path when it is none. */
export function uuidFrom(path: string, text: string): string {
  if (!isUuid(text)) throw invalid(path, 'must be a UUID');
  return text.toLowerCase();
}

/** {@link uuidFrom} of a field that may be left out; empty is proto's way of saying so. */
export function uuidIfGiven(path: string, text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : uuidFrom(path, text);
}

/** A 64-bit number of the wire that counts something, from 1; larger than can be counted here, it is refused. */
export function countFrom(path: string, number: bigint): number {
  if (number < 1n || number > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw invalid(path, `must be between 1 and ${Number.MAX_SAFE_INTEGER}`);
  }
  return Number(number);
}
