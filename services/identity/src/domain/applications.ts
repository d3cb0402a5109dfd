import { conflict } from '@credit/platform/errors';

/** Standing of a membership application. */
export const APPLICATION_STATUSES = ['PENDING', 'APPROVED', 'REJECTED'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];
/** How a review can end. */
export type Verdict = Exclude<ApplicationStatus, 'PENDING'>;

/** A membership application. */
export interface Application {
  readonly id: string;
  readonly institution_name: string;
  readonly contact_name: string;
  readonly contact_email: string;
  readonly website: string | undefined;
  readonly description: string | undefined;
  readonly status: ApplicationStatus;
  readonly review_note: string | undefined;
  readonly reviewed_by: string | undefined;
  readonly reviewed_at: string | undefined;
  readonly institution_id: string | undefined;
  readonly created_at: string;
}

/** Throws INVALID_STATE_TRANSITION when the application has been reviewed. */
export function assertReviewable(application: Pick<Application, 'status'>): void {
  if (application.status !== 'PENDING') {
    throw conflict(`The application was reviewed already: it is ${application.status}.`, {
      reason: 'ALREADY_DECIDED',
    });
  }
}
