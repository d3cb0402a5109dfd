import { type Queryable, statement } from '@credit/platform/db';
import type { Role } from '@credit/platform/values';
import type { DisputeMailKind, NamedDispute } from '../domain/dispute-mail';
import { mailQueue } from './mail-queue';

/** Mails about disputes, by their own ids. */
export const dispute_mails = mailQueue('dispute_mails', 'id');

/** A dispute that an institution's people are told of. */
export interface DisputeNotice extends NamedDispute {
  readonly institution_id: string;
}

const KEEP = statement<{ is_settled: boolean }>(
  'dispute_notices_keep',
  // One that was settled first has left its row.
  `INSERT INTO dispute_notices (institution_id, dispute_id, reason, due_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (institution_id, dispute_id) DO UPDATE
     SET reason = excluded.reason, due_at = excluded.due_at
   RETURNING settled_at IS NOT NULL AS is_settled`,
);

/** Keeps a dispute; false when it is answered or decided already. */
export async function keepNotice(on: Queryable, notice: DisputeNotice): Promise<boolean> {
  const { dispute_id, due_at, institution_id, reason } = notice;
  return !(await on.one(KEEP, [institution_id, dispute_id, reason, due_at])).is_settled;
}

const SETTLE = statement(
  'dispute_notices_settle',
  `INSERT INTO dispute_notices (institution_id, dispute_id, reason, due_at, settled_at)
   SELECT institution_id, $2, $3, now(), now() FROM unnest($1::uuid[]) AS concerned (institution_id)
   ON CONFLICT (institution_id, dispute_id) DO UPDATE SET settled_at = now()`,
);

/** Nobody of these institutions has to be reminded of a dispute any more. */
export async function settleNotices(
  on: Queryable,
  { dispute_id, reason }: Pick<NamedDispute, 'dispute_id' | 'reason'>,
  institution_ids: readonly string[],
): Promise<void> {
  await on.execute(SETTLE, [institution_ids, dispute_id, reason]);
}

const TAKE_DUE = statement<DisputeNotice>(
  'dispute_notices_take_due',
  `UPDATE dispute_notices AS notice SET reminded_at = now()
   FROM (
     SELECT institution_id, dispute_id FROM dispute_notices
     WHERE settled_at IS NULL AND reminded_at IS NULL
       AND due_at < now() + make_interval(days => $1)
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ) AS due
   WHERE notice.institution_id = due.institution_id AND notice.dispute_id = due.dispute_id
   RETURNING notice.institution_id, notice.dispute_id, notice.reason, notice.due_at`,
);

/** Takes disputes that are due within so many days and wait for an answer; each once. */
export function takeNoticesDue(
  on: Queryable,
  days: number,
  limit: number,
): Promise<DisputeNotice[]> {
  return on.query(TAKE_DUE, [days, limit]);
}

const TOLD = statement<{ id: string }>(
  'dispute_mails_told',
  `SELECT id FROM users
   WHERE institution_id = $1 AND status = 'ACTIVE' AND role = ANY ($2::text[])
   ORDER BY id LIMIT $3`,
);

/** Who of an institution is told, up to a bound. */
export async function peopleTold(
  on: Queryable,
  institution_id: string,
  roles: readonly Role[],
  limit: number,
): Promise<string[]> {
  return (await on.query(TOLD, [institution_id, roles, limit])).map(({ id }) => id);
}

const OWE = statement(
  'dispute_mails_owe',
  // One that waits takes the dispute along. One that is being tried does not: its words are out.
  `WITH wanted AS (
     SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS wanted (id, user_id) ORDER BY user_id
   ), waiting AS (
     INSERT INTO dispute_mails (id, user_id, kind, due_at)
     SELECT id, user_id, $3, greatest(now(), (
       SELECT max(earlier.created_at) FROM dispute_mails AS earlier
       WHERE earlier.user_id = wanted.user_id AND earlier.kind = $3
     ) + make_interval(secs => $5))
     FROM wanted
     ON CONFLICT (user_id, kind) WHERE attempts = 0 DO UPDATE SET kind = excluded.kind
     RETURNING id
   )
   INSERT INTO dispute_mail_items (mail_id, dispute_id) SELECT id, $4 FROM waiting
   ON CONFLICT (mail_id, dispute_id) DO NOTHING`,
);

/** Owes each of these people a mail about a dispute, together with others that wait. */
export async function oweDisputeMails(
  on: Queryable,
  mails: readonly { readonly id: string; readonly user_id: string }[],
  { dispute_id, every_s, kind }: { dispute_id: string; every_s: number; kind: DisputeMailKind },
): Promise<void> {
  const ids = mails.map(({ id }) => id);
  const user_ids = mails.map(({ user_id }) => user_id);
  await on.execute(OWE, [ids, user_ids, kind, dispute_id, every_s]);
}

/** A mail about disputes, as it is to be written. */
export interface DisputeMailToWrite {
  readonly email: string;
  readonly kind: DisputeMailKind;
  /** The person still works there, and may still answer. */
  readonly is_wanted: boolean;
  readonly institution_id: string;
}

const FIND = statement<DisputeMailToWrite>(
  'dispute_mails_find',
  `SELECT users.email, mail.kind, users.institution_id,
     users.status = 'ACTIVE' AND users.role = ANY ($2::text[])
       AND institution.status = 'ACTIVE' AS is_wanted
   FROM dispute_mails AS mail
   JOIN users ON users.id = mail.user_id
   JOIN institutions AS institution ON institution.id = users.institution_id
   WHERE mail.id = $1`,
);

export function findDisputeMail(
  on: Queryable,
  id: string,
  roles: readonly Role[],
): Promise<DisputeMailToWrite | undefined> {
  return on.maybe(FIND, [id, roles]);
}

const ITEMS = statement<NamedDispute>(
  'dispute_mails_items',
  // What is settled meanwhile is no news. Of the person's institution, should it have changed.
  `SELECT notice.dispute_id, notice.reason, notice.due_at
   FROM dispute_mail_items AS item JOIN dispute_notices AS notice USING (dispute_id)
   WHERE item.mail_id = $1 AND notice.institution_id = $2 AND notice.settled_at IS NULL
   ORDER BY notice.due_at, notice.dispute_id LIMIT $3`,
);

/** The disputes that a mail is about and that still wait, what is due first at the head. */
export function disputesOfMail(
  on: Queryable,
  id: string,
  institution_id: string,
  limit: number,
): Promise<NamedDispute[]> {
  return on.query(ITEMS, [id, institution_id, limit]);
}

const SWEEP_MAILS = statement(
  'dispute_mails_sweep',
  `DELETE FROM dispute_mails WHERE id = ANY (ARRAY(
     SELECT id FROM dispute_mails WHERE created_at < now() - interval '90 days' LIMIT $1))`,
);
const SWEEP_NOTICES = statement(
  'dispute_notices_sweep',
  `DELETE FROM dispute_notices WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM dispute_notices WHERE created_at < now() - interval '90 days' LIMIT $1))`,
);

/** Deletes mails that were sent long ago. */
export function sweepDisputeMails(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_MAILS, [limit]);
}

/** Deletes disputes long past their due date. */
export function sweepDisputeNotices(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP_NOTICES, [limit]);
}
