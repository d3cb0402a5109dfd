import { conflict } from '@credit/platform/errors';

/** Standing of an institution in the network. */
export const INSTITUTION_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED', 'CLOSED'] as const;
export type InstitutionStatus = (typeof INSTITUTION_STATUSES)[number];

/** A member of the network. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  readonly website: string | undefined;
  readonly status: InstitutionStatus;
  readonly publicly_listed: boolean;
  readonly version: number;
  readonly created_at: string;
}

/** An institution as those who run the network look at it. */
export interface InstitutionDetail extends Institution {
  /** Why it has its status, as the last change of it said. */
  readonly status_reason: string | undefined;
  /** Users who are ACTIVE. */
  readonly user_count: number;
  /** API keys that can be used, of both environments. */
  readonly api_key_count: number;
  /** Invitations that can be accepted. */
  readonly invitation_count: number;
}

const NEXT: Readonly<Record<InstitutionStatus, readonly InstitutionStatus[]>> = {
  PENDING: ['ACTIVE', 'CLOSED'],
  ACTIVE: ['SUSPENDED', 'CLOSED'],
  SUSPENDED: ['ACTIVE', 'CLOSED'],
  CLOSED: [],
};

/** Whether the status can follow the other. */
export function canBecome(from: InstitutionStatus, to: InstitutionStatus): boolean {
  return NEXT[from].includes(to);
}

/** Throws INVALID_STATE_TRANSITION when the status cannot follow the other. */
export function assertTransition(from: InstitutionStatus, to: InstitutionStatus): void {
  if (!canBecome(from, to)) {
    throw conflict(`An institution that is ${from} cannot become ${to}.`, {
      reason: 'INSTITUTION_TRANSITION',
    });
  }
}
