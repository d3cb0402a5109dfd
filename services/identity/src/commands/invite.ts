import { randomBytes } from 'node:crypto';
import { hashSecret } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { conflict, rateLimited } from '@credit/platform/errors';
import type { Role } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { invitationToken } from '../domain/invitation-tokens';
import { type EndedBecause, type InvitedAs, MAX_OPEN_INVITATIONS } from '../domain/invitations';
import { consoleLink } from '../domain/mails';
import { countAttempt } from '../store/attempts';
import { invitation_mails } from '../store/invitation-mails';
import {
  countOpenInvitations,
  endInvitations,
  type Invitation,
  insertInvitation,
  lockWaitingOfAddress,
} from '../store/invitations';
import { tellAudit } from './tell';

/** An institution may invite one address so often in a day: each time is a mail to somebody. */
const MAX_PER_ADDRESS = 10;
const ADDRESS_WINDOW_S = 24 * 3_600;

/** An invitation with the token that is shown once and kept nowhere. */
export interface IssuedInvitation {
  readonly invitation: Invitation;
  readonly token: string;
  /** Where it is accepted; undefined where the network does not know its own address. */
  readonly link: string | undefined;
}

/**
 * Writes an invitation in place of any that waits for the address. Called under a lock of the
 * institution, so that two cannot wait for one address.
 *
 * Whether the address is a user's is not looked at: the answer, its time and the list would tell
 * the inviter who has an account, at whichever lender. Such an invitation cannot be accepted, and
 * its mail says why, to the one who reads the address.
 */
export async function invite(
  tx: Transaction,
  deps: Dependencies,
  wanted: {
    institution_id: string;
    email: string;
    role: Role;
    invited_by: string;
    invited_as: InvitedAs;
  },
): Promise<IssuedInvitation> {
  const { institution_id, role, invited_by, invited_as } = wanted;
  const email = wanted.email.trim();
  const email_key = emailKey(email);
  const [counted] = await countAttempt(tx, [
    { subject: `invited ${institution_id} ${email_key}`, window_s: ADDRESS_WINDOW_S },
  ]);
  if (counted !== undefined && counted.count > MAX_PER_ADDRESS) {
    throw rateLimited(
      'The address was invited too often today.',
      counted.ends_in_s,
      'TOO_MANY_ATTEMPTS',
    );
  }
  await endWaiting(
    tx,
    deps,
    await lockWaitingOfAddress(tx, institution_id, email_key),
    'SUPERSEDED',
  );
  if ((await countOpenInvitations(tx, institution_id)) >= MAX_OPEN_INVITATIONS) {
    throw conflict(`There are ${MAX_OPEN_INVITATIONS} open invitations already: withdraw some.`, {
      reason: 'LIMIT_REACHED',
    });
  }
  const token = invitationToken(randomBytes(32));
  const invitation = await insertInvitation(tx, {
    id: deps.newId(),
    institution_id,
    email,
    email_key,
    role,
    token_hash: hashSecret(token),
    invited_by,
    invited_as,
    lifetime_s: deps.config.INVITATION_LIFETIME_S,
  });
  tellAudit(tx, deps.clock, {
    institution_id,
    action: 'user.invited',
    target_type: 'invitation',
    target_id: invitation.id,
    changes: { email, role, expires_at: invitation.expires_at },
  });
  const { mails } = deps;
  if (mails !== undefined) {
    await invitation_mails.insert(tx, invitation.id);
    tx.afterCommit(() => mails.wake());
  }
  const { console_url } = deps.config;
  return { invitation, token, link: console_url && consoleLink(console_url, 'join', token) };
}

/** Ends invitations that wait, and tells their institutions why. The rows are locked. */
export async function endWaiting(
  tx: Transaction,
  deps: Pick<Dependencies, 'clock'>,
  waiting: readonly Invitation[],
  because: EndedBecause,
): Promise<void> {
  await endInvitations(
    tx,
    waiting.map(({ id }) => id),
    because,
  );
  // One that has expired had no end left to take.
  for (const { id, institution_id, email, role } of waiting.filter(({ is_open }) => is_open)) {
    tellAudit(tx, deps.clock, {
      institution_id,
      action: 'invitation.ended',
      target_type: 'invitation',
      target_id: id,
      changes: { email, role, because },
    });
  }
}
