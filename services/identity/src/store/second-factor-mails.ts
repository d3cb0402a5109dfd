import { type Queryable, statement } from '@credit/platform/db';
import type { SecondFactorEvent } from '../domain/second-factor-mail';
import { mailQueue } from './mail-queue';

/** Mails about second factors, by their own ids. */
export const second_factor_mails = mailQueue('second_factor_mails', 'id');

const OWE = statement(
  'second_factor_mails_owe',
  'INSERT INTO second_factor_mails (id, user_id, event) VALUES ($1, $2, $3)',
);

export async function oweSecondFactorMail(
  on: Queryable,
  mail: { readonly id: string; readonly user_id: string; readonly event: SecondFactorEvent },
): Promise<void> {
  await on.execute(OWE, [mail.id, mail.user_id, mail.event]);
}

/** A mail about a second factor, as it is to be written. */
export interface SecondFactorMailToWrite {
  readonly email: string;
  readonly event: SecondFactorEvent;
  readonly happened_at: string;
  /** When it is written; undefined while there is no factor. */
  readonly recovery_codes_left: number | undefined;
}

// To who is disabled as well: it is told what was done to its account.
const FIND = statement<SecondFactorMailToWrite>(
  'second_factor_mails_find',
  `SELECT users.email, mail.event, mail.created_at AS happened_at,
     (SELECT (SELECT count(*)::int FROM recovery_codes r
         WHERE r.user_id = f.user_id AND r.used_at IS NULL)
       FROM second_factors f
       WHERE f.user_id = users.id AND f.confirmed_at IS NOT NULL) AS recovery_codes_left
   FROM second_factor_mails AS mail JOIN users ON users.id = mail.user_id
   WHERE mail.id = $1`,
);

export function findSecondFactorMail(
  on: Queryable,
  id: string,
): Promise<SecondFactorMailToWrite | undefined> {
  return on.maybe(FIND, [id]);
}

const SWEEP = statement(
  'second_factor_mails_sweep',
  `DELETE FROM second_factor_mails WHERE id = ANY (ARRAY(
     SELECT id FROM second_factor_mails WHERE created_at < now() - interval '90 days' LIMIT $1))`,
);

/** Deletes those of long ago. */
export function sweepSecondFactorMails(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
