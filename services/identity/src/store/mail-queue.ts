import { type Queryable, statement } from '@credit/platform/db';

/** A mail that this process may try to send, until the pause is over. */
export interface ClaimedMail {
  /** What it is about. */
  readonly id: string;
  /** This one counted in. */
  readonly attempts: number;
}

/** Mails of a kind that are owed. Only ids wait: what a mail says is made when it is sent. */
export interface MailQueue {
  /** Owes a mail, with what it is about. */
  insert(on: Queryable, id: string): Promise<void>;
  /** Takes the mail that is due the longest; `pauses_s` are those after the 1st attempt and so on. */
  claim(on: Queryable, pauses_s: readonly number[]): Promise<ClaimedMail | undefined>;
  markSent(on: Queryable, id: string): Promise<void>;
  markFailed(
    on: Queryable,
    id: string,
    failure: { error: string; give_up: boolean },
  ): Promise<void>;
}

/**
 * The queue of a table `(<key> uuid PRIMARY KEY, due_at, attempts, last_error, sent_at,
 * given_up_at)`; the names are of the code, never of a request.
 */
export function mailQueue(table: string, key: string): MailQueue {
  const insert = statement(`${table}_insert`, `INSERT INTO ${table} (${key}) VALUES ($1)`);
  const claim = statement<ClaimedMail>(
    `${table}_claim`,
    `WITH due AS (
       SELECT ${key} FROM ${table}
       WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= now()
       ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     UPDATE ${table} AS mail
     SET attempts = attempts + 1,
       due_at = now() + make_interval(secs => ($1::integer[])[least(attempts + 1, cardinality($1))])
     FROM due WHERE mail.${key} = due.${key}
     RETURNING mail.${key} AS id, mail.attempts`,
  );
  const sent = statement(
    `${table}_sent`,
    `UPDATE ${table} SET sent_at = now(), last_error = NULL WHERE ${key} = $1`,
  );
  const failed = statement(
    `${table}_failed`,
    `UPDATE ${table}
     SET last_error = $2, given_up_at = CASE WHEN $3::boolean THEN now() END
     WHERE ${key} = $1 AND sent_at IS NULL`,
  );
  return {
    async insert(on, id) {
      await on.execute(insert, [id]);
    },
    claim: (on, pauses_s) => on.maybe(claim, [pauses_s]),
    async markSent(on, id) {
      await on.execute(sent, [id]);
    },
    async markFailed(on, id, { error, give_up }) {
      await on.execute(failed, [id, error, give_up]);
    },
  };
}
