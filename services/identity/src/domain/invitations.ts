import type { Role } from '@credit/platform/values';
import { holdsPlatformRole, mayInvite } from './roles';
import type { Access } from './users';

/** By what right somebody invited: as one of the institution's, or in approving of it. */
export type InvitedAs = 'MEMBER' | 'PLATFORM';

/** Why an invitation that nobody accepted is over before its time. */
export type EndedBecause = 'WITHDRAWN' | 'SUPERSEDED' | 'INVITER_LOST_RIGHT';

/** An institution may have so many open at once: each is a mail to a stranger. */
export const MAX_OPEN_INVITATIONS = 1_000;

/** Whether the inviter could give the invitation still, with the access that is left. */
export function mayStillInvite(
  inviter: Access,
  invitation: {
    readonly institution_id: string;
    readonly role: Role;
    readonly invited_as: InvitedAs;
  },
): boolean {
  if (inviter.status !== 'ACTIVE') return false;
  if (invitation.invited_as === 'PLATFORM') {
    return holdsPlatformRole(inviter.platform_role, 'PLATFORM_ADMIN');
  }
  return (
    inviter.institution_id === invitation.institution_id && mayInvite(inviter.role, invitation.role)
  );
}
