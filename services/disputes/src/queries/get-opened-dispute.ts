import { timingSafeEqual } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import { unauthenticated } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';
import { isSameContact } from '../domain/contact';
import type { Dispute } from '../domain/dispute';
import { findOpenedDispute, type OpenedDisputeRow } from '../store/disputes';

const NO_HASH = Buffer.alloc(32);

/**
 * A dispute for whoever opened it: disputes are live. An unknown id and a wrong token are one
 * refusal, as existence must not leak.
 */
export async function getOpenedDispute(
  db: Database,
  ctx: CallContext,
  { access_token, dispute_id }: { readonly access_token: string; readonly dispute_id: string },
): Promise<Dispute> {
  const on = db.read({ ...ctx, environment: 'live' });
  const found = isUuid(dispute_id) ? await findOpenedDispute(on, dispute_id) : undefined;
  const expected = found?.access_token_sha256 ?? NO_HASH;
  const is_openers = timingSafeEqual(hashSecret(access_token), expected);
  // No token has a hash of zeros, but nobody should have to know that.
  if (found === undefined || found.access_token_sha256 === undefined || !is_openers) {
    throw unauthenticated();
  }
  return asItsOpenerReads(found);
}

/** What was written to somebody else is for whoever came with the same contact only. */
function asItsOpenerReads(dispute: OpenedDisputeRow): Dispute {
  const { decided_with_opened_by: other, opened_by } = dispute;
  return other === undefined || isSameContact(other, opened_by)
    ? dispute
    : { ...dispute, resolution: undefined };
}
