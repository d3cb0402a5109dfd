import type { CallContext } from '@credit/platform/context';
import { hashSecret, newAccessLinkToken } from '@credit/platform/credentials';
import { institutionOf } from '@credit/platform/requests';
import { inactive } from '../../commands/actor';
import { tellAudit } from '../../commands/tell';
import type { Dependencies } from '../../dependencies';
import { findInstitution } from '../../store/institutions';
import { insertAccessLink } from '../store/access-links';
import { requireOpenDoor } from './door';

/** A link with the secret that is shown once and kept nowhere. */
export interface IssuedAccessLink {
  readonly id: string;
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Makes a link that opens a subject's file to its person, once, in place of one that the institution
 * made before. That the institution furnishes on the subject is looked at before the call.
 */
export async function createAccessLink(
  deps: Dependencies,
  ctx: CallContext,
  subject_id: string,
): Promise<IssuedAccessLink> {
  const institution_id = institutionOf(ctx);
  const { environment } = ctx;
  requireOpenDoor(deps.config, environment);
  const token = newAccessLinkToken();
  const id = deps.newId();
  const lifetime_s = deps.config.ACCESS_LINK_LIFETIME_S;
  return deps.db.transaction(ctx, async (tx) => {
    const institution = await findInstitution(tx, institution_id);
    if (institution?.status !== 'ACTIVE') throw inactive();
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'access_link.created',
      target_type: 'subject',
      target_id: subject_id,
      changes: { access_link_id: id, environment },
    });
    const expires_at = await insertAccessLink(tx, {
      id,
      subject_id,
      environment,
      institution_id,
      token_hash: hashSecret(token),
      lifetime_s,
    });
    return { id, token, expires_at };
  });
}
