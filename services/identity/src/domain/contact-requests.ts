import { conflict } from '@credit/platform/errors';

/** Standing of a message to the network's operators. */
export const CONTACT_REQUEST_STATUSES = ['OPEN', 'ANSWERED', 'CLOSED'] as const;
export type ContactRequestStatus = (typeof CONTACT_REQUEST_STATUSES)[number];
/** How it can end. */
export type ContactRequestEnd = Exclude<ContactRequestStatus, 'OPEN'>;

/** A message to the network's operators. */
export interface ContactRequest {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly subject: string | undefined;
  readonly message: string;
  readonly status: ContactRequestStatus;
  readonly answer: string | undefined;
  readonly answered_by: string | undefined;
  readonly answered_at: string | undefined;
  readonly created_at: string;
}

/** Throws INVALID_STATE_TRANSITION when somebody has dealt with it. */
export function assertAnswerable(request: Pick<ContactRequest, 'status'>): void {
  if (request.status !== 'OPEN') {
    throw conflict(`The contact request is ${request.status} already.`, {
      reason: 'ALREADY_DECIDED',
    });
  }
}
