import type { CallContext } from '@credit/platform/context';
import { conflict, type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import { TEXTS } from '@credit/platform/values';
import type { Dependencies } from '../dependencies';
import { type Application, assertReviewable, type Verdict } from '../domain/applications';
import { emailKey } from '../domain/emails';
import type { Institution } from '../domain/institutions';
import { optionalText } from '../domain/texts';
import { lockApplication, recordReview } from '../store/applications';
import { findUserByEmail, lockAccess } from '../store/users';
import { requirePlatformRole } from './actor';
import { type IssuedInvitation, invite } from './invite';
import { makeInstitution } from './make-institution';
import { tellAudit, withNulls } from './tell';

/** A reviewed application, and what its approval made. */
export interface Review {
  readonly application: Application;
  readonly institution?: Institution;
  readonly issued?: IssuedInvitation;
}

/** Approves, which makes the institution and its first OWNER's invitation, or rejects. */
export async function reviewApplication(
  deps: Dependencies,
  ctx: CallContext,
  review: {
    application_id: string;
    verdict: Verdict;
    review_note?: string | undefined;
    confirm_distinct: boolean;
  },
): Promise<Review> {
  const faults: ErrorDetail[] = [];
  const note = optionalText(faults, 'review_note', review.review_note, TEXTS.review_note);
  if (faults.length > 0) throw invalid(faults);
  const { verdict } = review;
  return deps.db.transaction(ctx, async (tx) => {
    // Whoever takes the reviewer's right away waits, and then finds the invitation.
    await lockAccess(tx);
    const reviewer = await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    const application = await lockApplication(tx, review.application_id);
    if (application === undefined) throw notFound('There is no such application.');
    assertReviewable(application);

    const record = async (institution_id: string | undefined) => {
      tellAudit(tx, deps.clock, {
        institution_id: undefined,
        action: verdict === 'APPROVED' ? 'application.approved' : 'application.rejected',
        target_type: 'application',
        target_id: application.id,
        changes: withNulls({
          status: { from: application.status, to: verdict },
          note,
          institution_id,
        }),
      });
      return recordReview(tx, application.id, {
        verdict,
        note,
        reviewed_by: reviewer.id,
        institution_id,
      });
    };
    if (verdict === 'REJECTED') return { application: await record(undefined) };

    // Who reviews may list all users: here it is no secret, and nobody could own the institution.
    if ((await findUserByEmail(tx, emailKey(application.contact_email))) !== undefined) {
      throw conflict('A user with the contact’s e-mail exists already.', { reason: 'EMAIL_TAKEN' });
    }
    const institution = await makeInstitution(tx, deps, {
      name: application.institution_name,
      website: application.website,
      status: 'ACTIVE',
      confirm_distinct: review.confirm_distinct,
    });
    const issued = await invite(tx, deps, {
      institution_id: institution.id,
      email: application.contact_email,
      role: 'OWNER',
      invited_by: reviewer.id,
      invited_as: 'PLATFORM',
    });
    return { application: await record(institution.id), institution, issued };
  });
}
