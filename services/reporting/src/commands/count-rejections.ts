import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { countRejections, type Rejection } from '../store/rejections';

/** More causes than a gateway finds in the time between two calls. */
const MAX_CAUSES = 1_000;
const MAX_LENGTH = 128;

/** Adds to the counts of what was refused of institutions' reporting. */
export async function addRejections(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  ctx: CallContext,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length > MAX_CAUSES) {
    throw invalid('rejections', `must be ${MAX_CAUSES} at most`);
  }
  const causes = new Map<string, Rejection>();
  for (const [index, rejection] of rejections.entries()) {
    const at = `rejections[${index}]`;
    const institution_id = uuidFrom(`${at}.institution_id`, rejection.institution_id);
    const { operation, reason, field, count, request_id } = rejection;
    for (const [name, text] of Object.entries({ operation, reason, field, request_id })) {
      // NUL is the one character that the database does not hold.
      if (text.length > MAX_LENGTH || text.includes('\0'))
        throw invalid(`${at}.${name}`, 'is no text of a cause');
    }
    if (count < 1n) throw invalid(`${at}.count`, 'must be positive');
    const key = [institution_id, operation, reason, field].join('\0');
    const before = causes.get(key)?.count ?? 0n;
    causes.set(key, { ...rejection, institution_id, count: before + count });
  }
  await countRejections(db.read(ctx), toTimestamp(clock.now_ms()), [...causes.values()]);
}
