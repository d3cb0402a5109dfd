// An account as it is kept: what it is, and how it stands.

import { type AccountState, shownStatus } from './account';
import type { EventRecord } from './event';
import type { NewAccount } from './new-account';
import { openTimeline, type Stamp } from './timeline';
import type { AccountStatus, SubjectType } from './vocabulary';

/** What is set at creation and never changes. */
export interface AccountFacts extends Omit<NewAccount, 'current_balance_minor' | 'status'> {
  readonly id: string;
  readonly institution_id: string;
  readonly subject_type: SubjectType;
  readonly created_at_ms: number;
}

/** An account of an institution. */
export interface Account {
  readonly facts: AccountFacts;
  readonly state: AccountState;
  /** Counts the account's events. */
  readonly version: number;
  /** The subject's version that the last change made; 0 before the account is numbered. */
  readonly subject_version: number;
  readonly updated_at_ms: number;
}

/** Whose the new account is; ids are chosen by the caller. */
export interface Owner {
  readonly account_id: string;
  readonly institution_id: string;
  readonly subject_type: SubjectType;
}

/** An account and its ACCOUNT_OPENED event. */
export function openLedger(
  opened: NewAccount,
  owner: Owner,
  stamp: Stamp,
): { account: Account; record: EventRecord } {
  const { current_balance_minor, status, ...kept } = opened;
  const { timeline, record } = openTimeline(
    {
      organisation: owner.subject_type === 'ORGANISATION',
      status,
      original_principal_minor: opened.original_principal_minor,
      balance_minor: current_balance_minor,
      opened_at_ms: opened.opened_at_ms,
    },
    stamp,
  );
  return {
    account: {
      facts: {
        ...kept,
        id: owner.account_id,
        institution_id: owner.institution_id,
        subject_type: owner.subject_type,
        created_at_ms: stamp.now_ms,
      },
      state: timeline.state,
      version: timeline.version,
      subject_version: 0,
      updated_at_ms: stamp.now_ms,
    },
    record,
  };
}

export function statusOf(account: Account): AccountStatus {
  return shownStatus(account.state);
}
