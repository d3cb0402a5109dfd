import type { Transaction } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import {
  FACTOR_MAIL_WINDOW_S,
  MAX_FACTOR_MAILS,
  type SecondFactorEvent,
} from '../domain/second-factor-mail';
import { countAttempt } from '../store/attempts';
import { oweSecondFactorMail } from '../store/second-factor-mails';

/** Owes the user a mail of what became of its factor, with the change; where the network sends mail. */
export async function tellOfFactor(
  tx: Transaction,
  { mails, newId }: Pick<Dependencies, 'mails' | 'newId'>,
  user_id: string,
  event: SecondFactorEvent,
): Promise<void> {
  if (mails === undefined) return;
  const subject = `factor mails ${user_id}`;
  const [counted] = await countAttempt(tx, [{ subject, window_s: FACTOR_MAIL_WINDOW_S }]);
  if ((counted?.count ?? 1) > MAX_FACTOR_MAILS) return;
  await oweSecondFactorMail(tx, { id: newId(), user_id, event });
  tx.afterCommit(() => mails.wake());
}
