import type { CallContext } from '@credit/platform/context';
import { conflict, notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { emailKey } from '../domain/emails';
import { lockApplication } from '../store/applications';
import { lockInstitution } from '../store/institutions';
import { countUserRows, findUserByEmail, lockAccess } from '../store/users';
import { requirePlatformRole } from './actor';
import { type IssuedInvitation, invite } from './invite';
import { tellAdministration } from './tell';

/** Invites the first OWNER of an approved application anew, in place of the invitation before. */
export async function resendInvitation(
  deps: Dependencies,
  ctx: CallContext,
  application_id: string,
): Promise<IssuedInvitation> {
  return deps.db.transaction(ctx, async (tx) => {
    // As in a review: whoever takes the right away waits, and then finds the invitation.
    await lockAccess(tx);
    const { id: invited_by } = await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    const application = await lockApplication(tx, application_id);
    if (application === undefined) throw notFound('There is no such application.');
    const { institution_id, contact_email: email } = application;
    if (institution_id === undefined) {
      throw conflict('The application was not approved.', { reason: 'NOT_APPROVED' });
    }
    if ((await countUserRows(tx, { institution_id })) > 0) {
      throw conflict('The institution has users already: one of them invites.', {
        reason: 'ALREADY_DECIDED',
      });
    }
    // The address got an account elsewhere: nobody could accept.
    if ((await findUserByEmail(tx, emailKey(email))) !== undefined) {
      throw conflict('A user with the contact’s e-mail exists already.', { reason: 'EMAIL_TAKEN' });
    }
    await lockInstitution(tx, institution_id);
    const issued = await invite(tx, deps, {
      institution_id,
      email,
      role: 'OWNER',
      invited_by,
      invited_as: 'PLATFORM',
    });
    const told = {
      action: 'application.invitation_resent',
      target_type: 'application',
      target_id: application.id,
      changes: { invitation_id: issued.invitation.id },
    };
    tellAdministration(tx, deps.clock, told, []);
    return issued;
  });
}
