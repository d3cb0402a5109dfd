import type { CallContext } from '@credit/platform/context';
import { hashSecret, isAccessLinkToken } from '@credit/platform/credentials';
import { requestError } from '@credit/platform/errors';
import { toTimestamp } from '@credit/platform/runtime';
import { tellAudit } from '../../commands/tell';
import type { Dependencies } from '../../dependencies';
import { takeAccessLink } from '../store/access-links';
import { beginPersonSession, type PersonTokens } from './begin-person-session';
import { requireOpenDoor } from './door';

const notValid = () =>
  requestError('The link is unknown, was used, or is over.', 'TOKEN_NOT_VALID');

/** Lets the person in who has a link; it is used up by that, and its institution's log says so. */
export async function openAccessLink(
  deps: Dependencies,
  ctx: CallContext,
  token: string,
): Promise<PersonTokens> {
  if (!isAccessLinkToken(token)) throw notValid();
  return deps.db.transaction(ctx, async (tx) => {
    const link = await takeAccessLink(tx, hashSecret(token));
    if (link === undefined) throw notValid();
    const { id, subject_id, environment, institution_id } = link;
    // Thrown here, it leaves the link as it was.
    requireOpenDoor(deps.config, environment);
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'access_link.used',
      target_type: 'subject',
      target_id: subject_id,
      changes: { access_link_id: id, environment },
      actor: { type: 'person', id: subject_id },
    });
    // That the institution's link was used is its proof that the person asked.
    tx.outbox(
      {
        partition_key: subject_id,
        payload: {
          $case: 'subject_asked',
          value: { subject_id, institution_id, asked_at: toTimestamp(deps.clock.now_ms()) },
        },
      },
      { ...tx.ctx, environment },
    );
    return beginPersonSession(tx, deps, {
      subject_id,
      environment,
      proof: 'ACCESS_LINK',
      access_link_id: id,
    });
  });
}
