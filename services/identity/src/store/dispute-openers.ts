import { type Queryable, statement } from '@credit/platform/db';
import type { DecidedOutcome, OpenerMailKind, OpenersDispute } from '../domain/opener-mail';
import { mailQueue } from './mail-queue';

/** Mails to those who opened disputes, by their own ids. */
export const dispute_opener_mails = mailQueue('dispute_opener_mails', 'id');

const KEEP_RECEIPT = statement<{ is_decided: boolean }>(
  'dispute_openers_keep_receipt',
  // An address that is there stays: nobody is told in another's place.
  `INSERT INTO dispute_openers AS known (dispute_id, email, reason, opened_at, due_at)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (dispute_id) DO UPDATE SET email = excluded.email WHERE known.email IS NULL
   RETURNING status IS NOT NULL AS is_decided`,
);

/** Keeps where an opener is told; says whether the outcome was heard of first. */
export function keepReceipt(
  on: Queryable,
  { dispute_id, due_at, opened_at, reason }: OpenersDispute,
  email: string,
): Promise<{ readonly is_decided: boolean } | undefined> {
  return on.maybe(KEEP_RECEIPT, [dispute_id, email, reason, opened_at, due_at]);
}

const KEEP_OUTCOME = statement<{ is_told: boolean }>(
  'dispute_openers_keep_outcome',
  `INSERT INTO dispute_openers AS known (dispute_id, reason, opened_at, due_at, status, is_corrected,
     correction_pending, voided_inquiry_count, decided_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now())
   ON CONFLICT (dispute_id) DO UPDATE SET
     status = excluded.status, is_corrected = excluded.is_corrected,
     correction_pending = excluded.correction_pending,
     voided_inquiry_count = excluded.voided_inquiry_count, decided_at = excluded.decided_at
   WHERE known.status IS NULL
   RETURNING email IS NOT NULL AS is_told`,
);

/** Keeps an outcome, the first that is heard of; says whether there is somebody to tell. */
export function keepOutcome(
  on: Queryable,
  { dispute_id, due_at, opened_at, reason }: OpenersDispute,
  outcome: DecidedOutcome,
): Promise<{ readonly is_told: boolean } | undefined> {
  const { correction_pending, is_corrected, status, voided_inquiry_count } = outcome;
  return on.maybe(KEEP_OUTCOME, [
    dispute_id,
    reason,
    opened_at,
    due_at,
    status,
    is_corrected,
    correction_pending,
    voided_inquiry_count,
  ]);
}

const OWE = statement(
  'dispute_opener_mails_owe',
  `INSERT INTO dispute_opener_mails (id, dispute_id, kind) VALUES ($1, $2, $3)
   ON CONFLICT (dispute_id, kind) DO NOTHING`,
);

/** Owes an opener a mail: one of a kind, however often it is asked for. */
export async function oweOpenerMail(
  on: Queryable,
  mail: { readonly id: string; readonly dispute_id: string; readonly kind: OpenerMailKind },
): Promise<void> {
  await on.execute(OWE, [mail.id, mail.dispute_id, mail.kind]);
}

/** A mail to an opener, as it is to be written. */
export type OpenerMailToWrite = OpenersDispute & {
  readonly email: string;
  readonly kind: OpenerMailKind;
} & { readonly [Field in keyof DecidedOutcome]: DecidedOutcome[Field] | undefined };

const FIND = statement<OpenerMailToWrite>(
  'dispute_opener_mails_find',
  `SELECT opener.email, mail.kind, opener.dispute_id, opener.reason, opener.opened_at, opener.due_at,
     opener.status, opener.is_corrected, opener.correction_pending, opener.voided_inquiry_count
   FROM dispute_opener_mails AS mail JOIN dispute_openers AS opener USING (dispute_id)
   WHERE mail.id = $1 AND opener.email IS NOT NULL`,
);

export function findOpenerMail(on: Queryable, id: string): Promise<OpenerMailToWrite | undefined> {
  return on.maybe(FIND, [id]);
}

const SWEEP = statement(
  'dispute_openers_sweep',
  // Their mails go with them.
  `DELETE FROM dispute_openers WHERE dispute_id = ANY (ARRAY(
     SELECT dispute_id FROM dispute_openers WHERE decided_at < now() - interval '90 days'
     ORDER BY decided_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
);

/** Deletes openers, and with them their addresses, whose disputes were decided long ago. */
export function sweepDisputeOpeners(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
