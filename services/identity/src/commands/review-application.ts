import type { CallContext } from '@credit/platform/context';
import { type ErrorDetail, invalid, notFound } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { type Application, assertReviewable, type Verdict } from '../domain/applications';
import type { Institution } from '../domain/institutions';
import { optionalText } from '../domain/texts';
import { lockApplication, recordReview } from '../store/applications';
import { insertInstitution } from '../store/institutions';
import { requirePlatformRole } from './actor';
import { type IssuedInvitation, invite } from './invite';
import { tellAudit, tellInstitution } from './tell';

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
  review: { application_id: string; verdict: Verdict; review_note?: string | undefined },
): Promise<Review> {
  const faults: ErrorDetail[] = [];
  const note = optionalText(faults, 'review_note', review.review_note, 2_000);
  if (faults.length > 0) throw invalid(faults);
  const { verdict } = review;
  return deps.db.transaction(ctx, async (tx) => {
    const reviewer = await requirePlatformRole(tx, ctx, 'PLATFORM_ADMIN');
    const application = await lockApplication(tx, review.application_id);
    if (application === undefined) throw notFound('There is no such application.');
    assertReviewable(application);

    const record = async (institution_id: string | null) => {
      tellAudit(tx, deps.clock, {
        institution_id: null,
        action: verdict === 'APPROVED' ? 'application.approved' : 'application.rejected',
        target_type: 'application',
        target_id: application.id,
        changes: { status: { from: application.status, to: verdict }, note, institution_id },
      });
      return recordReview(tx, application.id, {
        verdict,
        note,
        reviewed_by: reviewer.id,
        institution_id,
      });
    };
    if (verdict === 'REJECTED') return { application: await record(null) };

    const institution = await insertInstitution(tx, {
      id: deps.newId(),
      name: application.institution_name,
      website: application.website,
      status: 'ACTIVE',
    });
    tellInstitution(tx, institution);
    tellAudit(tx, deps.clock, {
      institution_id: institution.id,
      action: 'institution.created',
      target_type: 'institution',
      target_id: institution.id,
      changes: { name: institution.name, status: institution.status },
    });
    const issued = await invite(deps, tx, {
      institution_id: institution.id,
      email: application.contact_email,
      role: 'OWNER',
      invited_by: reviewer.id,
    });
    return { application: await record(institution.id), institution, issued };
  });
}
