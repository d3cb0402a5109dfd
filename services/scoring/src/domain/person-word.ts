// What a person has put on its file for whoever reads it. It moves no score.

import { type AccountFacts, dayOfInstant, standingOf, untoldSpans } from './model';

export type AlertKind = 'FRAUD';

/** A warning, with what to do about it. */
export interface FileAlert {
  readonly kind: AlertKind;
  readonly placed_at: string;
  readonly ends_at: string;
}

/** What the person has to say about a record. */
export interface FileStatement {
  readonly record_kind: 'EVENT' | 'ACCOUNT';
  readonly record_id: string;
  /** The account, or the event's one. */
  readonly account_id: string;
  /** Who reports the record. */
  readonly institution_id: string;
  /** Of an event. */
  readonly occurred_at: string | undefined;
  readonly text: string;
  readonly set_at: string;
}

/** All of it. */
export interface PersonWord {
  readonly alerts: readonly FileAlert[];
  readonly statements: readonly FileStatement[];
}

export const ALERT_INSTRUCTIONS: Readonly<Record<AlertKind, string>> = {
  FRAUD:
    'The person has warned that somebody may be borrowing in its name. Before you grant credit or ' +
    'raise a limit, verify the identity of the applicant by other means than what the application says.',
};

/** The statements about records that are told: not of what was taken off the file or is too old. */
export function toldStatements(
  statements: readonly FileStatement[],
  accounts: readonly AccountFacts[],
  as_of_day: number,
): readonly FileStatement[] {
  if (statements.length === 0) return statements;
  const byId = new Map(accounts.map((account) => [account.account_id, account]));
  return statements.filter(({ account_id, occurred_at }) => {
    const account = byId.get(account_id);
    if (account === undefined || account.voided) return false;
    if (standingOf(account, as_of_day) === undefined) return false;
    if (occurred_at === undefined) return true;
    const day = dayOfInstant(Date.parse(occurred_at));
    return untoldSpans(account, as_of_day).every(
      ({ from_day, until_day }) => day < from_day || day > until_day,
    );
  });
}
