import type { CallContext } from '@credit/platform/context';
import type { InquiryType, Purpose, Subject } from '@credit/proto/reporting/v1/types';
import type { FileAlert } from '../domain/person-word';
import type { ProfileAnswer, ProfileReader } from '../queries/read-profile';
import type { ReportingClient } from '../reporting-client';

export interface ProfileLook {
  readonly subject_id: string;
  /** Undefined for the model in force. */
  readonly model_version: string | undefined;
  readonly purpose: Purpose;
  readonly inquiry_type: InquiryType | undefined;
  readonly consent_reference: string | undefined;
  /** Of the inquiry that is recorded; it is in neither the score nor the count of inquiries. */
  readonly inquiry_id: string;
  /** A past time to show; the present without one. */
  readonly past: { readonly as_of: string; readonly known_at: string } | undefined;
}

export interface SeenProfile {
  readonly profile: ProfileAnswer;
  readonly subject: Subject;
  /** Of now: of a past time nothing is said of it. */
  readonly open_dispute_count: number | undefined;
  /** Of now, or of the past time. */
  readonly alerts: readonly FileAlert[];
}

export interface LookAtProfileDeps {
  readonly profiles: ProfileReader;
  readonly reporting: Pick<ReportingClient, 'recordInquiry'>;
}

/** The profile, shown once the look at it is on record. What is refused is no look at anything. */
export async function lookAtProfile(
  { profiles, reporting }: LookAtProfileDeps,
  ctx: CallContext,
  { purpose, inquiry_type, consent_reference, past, ...look }: ProfileLook,
): Promise<SeenProfile> {
  const { subject_id, model_version, inquiry_id } = look;
  const wanted = { subject_id, model_version, exclude_inquiry_id: inquiry_id };
  const why = { purpose, inquiry_type, consent_reference };
  const record = () => reporting.recordInquiry(ctx, { inquiry_id, subject_id, ...why });
  if (past !== undefined) {
    const profile = await profiles.readPast(ctx, { ...wanted, ...past });
    const { subject } = await record();
    return { profile, subject, open_dispute_count: undefined, alerts: profile.alerts };
  }
  profiles.refuseUnoffered(model_version);
  // The present must include all that was acknowledged before.
  const { subject, profile_version, open_dispute_count, alerts, statements } = await record();
  const minimum_version = profile_version;
  const profile = await profiles.read(ctx, { ...wanted, minimum_version, statements });
  return { profile, subject, open_dispute_count, alerts };
}
