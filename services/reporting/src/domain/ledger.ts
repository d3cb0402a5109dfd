// An account as it is kept: what it is, and how it stands.

import { type AccountState, shownStatus } from './account';
import type { EventRecord } from './event';
import type { NewAccount } from './new-account';
import type { Settlement } from './reinsertion';
import { isSameChange, type Terms, termsOf, withTerms } from './terms';
import { openTimeline, type Stamp, type Timeline } from './timeline';
import type { AccountStatus, SubjectType } from './vocabulary';

/** What is set at creation; corrections of the opening change its terms. */
export interface AccountFacts
  extends Omit<NewAccount, 'current_balance_minor' | 'status' | 'dates' | 'certification'> {
  readonly id: string;
  readonly institution_id: string;
  readonly subject_type: SubjectType;
  readonly created_at_ms: number;
}

/** An account of an institution. */
export interface Account {
  readonly facts: AccountFacts;
  /** What corrections have changed of the terms began as this; absent while none has. */
  readonly original_terms?: Terms | undefined;
  readonly state: AccountState;
  /** The state is one of earlier rules: what it gives is near, and the records say it right. */
  readonly is_stale: boolean;
  /** What outcomes of disputes have settled about it. */
  readonly settlements: readonly Settlement[];
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
  const { current_balance_minor, status, dates, certification, ...kept } = opened;
  const { timeline, record } = openTimeline(
    {
      organisation: owner.subject_type === 'ORGANISATION',
      status,
      original_principal_minor: opened.original_principal_minor,
      balance_minor: current_balance_minor,
      opened_at_ms: opened.opened_at_ms,
      dates,
      certification,
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
      settlements: [],
      is_stale: false,
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

/** The account as its timeline has it; without history, no correction has changed its terms. */
export function withTimeline(account: Account, timeline: Timeline): Account {
  const { state, version, history } = timeline;
  const changed = { ...account, state, version, is_stale: false };
  if (history === undefined) return changed;
  const original = account.original_terms ?? termsOf(account.facts);
  const terms = withTerms(original, history.corrected_terms);
  if (isSameChange(terms, termsOf(account.facts))) return changed;
  return { ...changed, facts: { ...account.facts, ...terms }, original_terms: original };
}
