// Disputes as far as their count goes: the disputes service tells of them, in any order.

import { type Queryable, statement } from '@credit/platform/db';

/** A dispute and what it contests, as far as the network knows. */
export interface KnownDispute {
  readonly dispute_id: string;
  readonly subject_id?: string | undefined;
  readonly account_id?: string | undefined;
  readonly credit_event_id?: string | undefined;
  readonly institution_ids: readonly string[];
}

// Told of late, its account or its subject may be elsewhere than where it was found.
const PLACE = `coalesce(
     (SELECT subject_id FROM account_directory WHERE account_id = $3), surviving_subject($2))`;

const OPENED = statement(
  'known_dispute_opened',
  // An outcome that came first has left its row.
  `INSERT INTO known_disputes (dispute_id, subject_id, account_id, credit_event_id, institution_ids)
   VALUES ($1, ${PLACE}, $3, $4, $5)
   ON CONFLICT (dispute_id) DO NOTHING`,
);

const RESOLVED = statement(
  'known_dispute_resolved',
  `INSERT INTO known_disputes (dispute_id, subject_id, account_id, credit_event_id, institution_ids,
     resolved_at)
   VALUES ($1, ${PLACE}, $3, $4, $5, $6)
   ON CONFLICT (dispute_id) DO UPDATE SET resolved_at = excluded.resolved_at`,
);

function valuesOf(dispute: KnownDispute): unknown[] {
  return [
    dispute.dispute_id,
    dispute.subject_id,
    dispute.account_id,
    dispute.credit_event_id,
    dispute.institution_ids,
  ];
}

export async function keepOpened(on: Queryable, dispute: KnownDispute): Promise<void> {
  await on.execute(OPENED, valuesOf(dispute));
}

export async function keepResolved(
  on: Queryable,
  dispute: KnownDispute,
  resolved_at: string,
): Promise<void> {
  await on.execute(RESOLVED, [...valuesOf(dispute), resolved_at]);
}

// Scalar subqueries for the statements that read what is contested: no round trip of their own.

/** Of a row of `heads`. */
export const OPEN_DISPUTES_OF_SUBJECT = `(SELECT count(*)::integer FROM known_disputes AS disputes
     WHERE disputes.subject_id = heads.subject_id AND disputes.resolved_at IS NULL
   ) AS open_dispute_count`;

/** Of a row of `accounts`: about it, or about all that its institution reports of the subject. */
export const OPEN_DISPUTES_OF_ACCOUNT = `(SELECT count(*)::integer FROM known_disputes AS disputes
     WHERE disputes.subject_id = accounts.subject_id AND disputes.resolved_at IS NULL
       AND (disputes.account_id = accounts.id OR (disputes.account_id IS NULL
         AND accounts.institution_id = ANY (disputes.institution_ids)))
   ) AS open_dispute_count`;

/** Of a row of `events`. */
export const OPEN_DISPUTES_OF_EVENT = `(SELECT count(*)::integer FROM known_disputes AS disputes
     WHERE disputes.subject_id = events.subject_id AND disputes.resolved_at IS NULL
       AND disputes.credit_event_id = events.id
   ) AS open_dispute_count`;
