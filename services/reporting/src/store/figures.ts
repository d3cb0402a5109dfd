import { type Queryable, statement } from '@credit/platform/db';
import type { AccountStatus } from '../domain/vocabulary';

/** Figures of an environment that administrators watch. */
export interface Figures {
  readonly subjects: bigint;
  readonly events: bigint;
  readonly inquiries: bigint;
  readonly events_24h: bigint;
  readonly inquiries_24h: bigint;
}

/** How many accounts have a status. */
export interface AccountCount {
  readonly status: AccountStatus;
  readonly count: bigint;
}

const FIGURES = statement<Figures>(
  'figures_read',
  // Ids are made in the order of time and have an index of their own; times of events have none.
  `SELECT coalesce(sum(subjects), 0)::bigint AS subjects,
     coalesce(sum(events), 0)::bigint AS events,
     coalesce(sum(inquiries), 0)::bigint AS inquiries,
     (SELECT count(*) FROM credit_events WHERE id >= $1::uuid) AS events_24h,
     (SELECT count(*) FROM inquiries WHERE created_at >= $2::timestamptz) AS inquiries_24h
   FROM daily_totals`,
);

const ACCOUNTS = statement<AccountCount>(
  'figures_accounts_by_status',
  'SELECT status, count(*) AS count FROM accounts WHERE NOT voided GROUP BY status ORDER BY status',
);

/** `lowest_id` is what no id made since then is below. */
export function readFigures(
  on: Queryable,
  since: { lowest_id: string; at: string },
): Promise<Figures> {
  return on.one(FIGURES, [since.lowest_id, since.at]);
}

export function countAccountsByStatus(on: Queryable): Promise<AccountCount[]> {
  return on.query(ACCOUNTS);
}
