import { randomBytes } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import type { Logger } from '@credit/platform/runtime';
import {
  invitationMail,
  knownAddressMail,
  MAX_MAIL_ATTEMPTS,
  mailPauseS,
} from '../domain/invitation-mail';
import { invitationToken } from '../domain/invitation-tokens';
import { type Mailer, RefusedAddress } from '../mailing/mailer';
import {
  claimDueMail,
  type DueMail,
  insertInvitationToken,
  markMailFailed,
  markMailSent,
} from '../store/invitation-mails';

/** What sending stands on. */
export interface MailDependencies {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const PAUSES_S = Array.from({ length: MAX_MAIL_ATTEMPTS }, (_, index) => mailPauseS(index + 1));
const MAX_ERROR_LENGTH = 500;

/**
 * Tries to send one mail that is due; false when none is. At least once: a process that
 * dies between the server's word and its own note makes the mail go out again, with
 * another token that is as good.
 */
export async function sendDueMail(deps: MailDependencies): Promise<boolean> {
  const { db, logger } = deps;
  const on = db.read(systemContext('live'));
  const mail = await claimDueMail(on, PAUSES_S);
  if (mail === undefined) return false;
  const { invitation_id, attempts } = mail;
  if (!mail.is_open) {
    await markMailFailed(on, invitation_id, { error: 'no longer wanted', give_up: true });
    return true;
  }
  try {
    await send(deps, mail);
  } catch (error) {
    const give_up = error instanceof RefusedAddress || attempts >= MAX_MAIL_ATTEMPTS;
    await markMailFailed(on, invitation_id, { error: describe(error), give_up });
    const fields = { invitation_id, attempts, reason: describe(error) };
    if (give_up) logger.error(fields, 'an invitation could not be mailed');
    else logger.warn(fields, 'an invitation could not be mailed yet');
    return true;
  }
  await markMailSent(on, invitation_id);
  logger.info({ invitation_id, attempts }, 'invitation mailed');
  return true;
}

async function send({ db, mailer }: MailDependencies, mail: DueMail): Promise<void> {
  if (mail.is_known) {
    await mailer.send({ to: mail.email, ...knownAddressMail(mail) });
    return;
  }
  const token = invitationToken(randomBytes(32));
  // Good before it is out: it may be used the moment it arrives.
  const on = db.read(systemContext('live'));
  await insertInvitationToken(on, hashSecret(token), mail.invitation_id);
  await mailer.send({ to: mail.email, ...invitationMail({ ...mail, token }) });
}

/** What a mail server answers may quote the message: not more than a line of it is kept. */
function describe(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const told = cause instanceof Error ? cause : error;
  const text = told instanceof Error ? told.message : String(told);
  return (text.split('\n', 1)[0] ?? '').replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH);
}
