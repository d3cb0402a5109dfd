import { timingSafeEqual } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import { unauthenticated } from '@credit/platform/errors';
import { isUuid } from '@credit/platform/values';
import { isSameContact } from '../domain/contact';
import type { Dispute } from '../domain/dispute';
import { findOpenedDispute, type OpenedDisputeRow } from '../store/disputes';
import { isMailedLink } from '../store/links';

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
  const token_sha256 = hashSecret(access_token);
  const found = isUuid(dispute_id) ? await findOpenedDispute(on, dispute_id) : undefined;
  // No token has a hash of zeros, but nobody should have to know that.
  const given = found?.access_token_sha256;
  const is_given = timingSafeEqual(token_sha256, given ?? NO_HASH) && given !== undefined;
  const is_mailed = isUuid(dispute_id) && (await isMailedLink(on, dispute_id, token_sha256));
  if (found === undefined || !(is_given || is_mailed)) throw unauthenticated();
  return asItsOpenerReads(found, is_mailed);
}

/**
 * What was written to somebody else is for whoever came with the same contact only. Anybody can
 * give an address; who has a mailed token reads what comes to it.
 */
function asItsOpenerReads(dispute: OpenedDisputeRow, is_mailed: boolean): Dispute {
  const { contact_email, decided_with, opened_by } = dispute;
  if (decided_with === undefined) return dispute;
  const told = [dispute.decided_with_opened_by, dispute.decided_with_contact_email];
  const is_own =
    isSameContact(dispute.decided_with_opened_by ?? '', opened_by) ||
    (is_mailed && told.some((other) => isSameContact(other ?? '', contact_email ?? '')));
  return is_own ? dispute : { ...dispute, resolution: undefined };
}
