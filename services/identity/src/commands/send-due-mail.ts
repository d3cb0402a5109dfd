import { randomBytes } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { hashSecret, newContactToken, newDisputeToken } from '@credit/platform/credentials';
import type { Database, Queryable } from '@credit/platform/db';
import type { Logger } from '@credit/platform/runtime';
import { disputeMail, MAX_NAMED, TOLD_ROLES } from '../domain/dispute-mail';
import { invitationMail, knownAddressMail } from '../domain/invitation-mail';
import { invitationToken } from '../domain/invitation-tokens';
import { MAX_MAIL_ATTEMPTS, mailPauseS } from '../domain/mails';
import { type DecidedOutcome, openerMail } from '../domain/opener-mail';
import { passwordResetMail, passwordResetToken } from '../domain/password-resets';
import { secondFactorMail } from '../domain/second-factor-mail';
import { type Mail, type Mailer, RefusedAddress } from '../mailing/mailer';
import {
  confirmationMail,
  lastMail,
  MAX_NEWS_NAMED,
  newsMail,
} from '../persons/domain/person-mail';
import {
  findPersonMail,
  insertContactToken,
  person_mails,
  takeNews,
} from '../persons/store/person-contacts';
import { dispute_mails, disputesOfMail, findDisputeMail } from '../store/dispute-mails';
import {
  dispute_opener_mails,
  findOpenerMail,
  type OpenerMailToWrite,
} from '../store/dispute-openers';
import {
  findInvitationToMail,
  insertInvitationToken,
  invitation_mails,
} from '../store/invitation-mails';
import type { ClaimedMail, MailQueue } from '../store/mail-queue';
import {
  findPasswordReset,
  insertPasswordResetToken,
  password_reset_mails,
} from '../store/password-resets';
import { findSecondFactorMail, second_factor_mails } from '../store/second-factor-mails';

/** Where mails lead. */
interface Places {
  /** Where the pages are that mails link to. */
  readonly console_url: string;
  /** How members reach the network, where that is known. */
  readonly public_origin: string | undefined;
}

/** What writing a mail stands on. */
interface WritingDependencies extends Places {
  readonly db: Database;
}

/** What sending stands on. */
export interface MailDependencies extends WritingDependencies {
  readonly mailer: Mailer;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A kind of mail. */
interface MailKind {
  readonly name: string;
  readonly queue: MailQueue;
  /** Undefined when it is not wanted any more. Its token is good before it is out. */
  write(on: Queryable, id: string, deps: WritingDependencies): Promise<Mail | undefined>;
}

// What somebody waits for in front of a screen comes first, and last what strangers can ask for.
const KINDS: readonly MailKind[] = [
  { name: 'password reset', queue: password_reset_mails, write: writePasswordReset },
  { name: 'second factor', queue: second_factor_mails, write: writeSecondFactor },
  { name: 'invitation', queue: invitation_mails, write: writeInvitation },
  { name: 'own file', queue: person_mails, write: writeToPerson },
  { name: 'disputes', queue: dispute_mails, write: writeDisputes },
  { name: 'dispute opener', queue: dispute_opener_mails, write: writeToOpener },
];

const PAUSES_S = Array.from({ length: MAX_MAIL_ATTEMPTS }, (_, index) => mailPauseS(index + 1));
const MAX_ERROR_LENGTH = 500;
/** No further is counted what a mail is about. */
const MAX_COUNTED = 1_000;

/**
 * Tries to send one mail that is due; false when none is. At least once: a process that
 * dies between the server's word and its own note makes the mail go out again, with
 * another token that is as good.
 */
export async function sendDueMail(deps: MailDependencies): Promise<boolean> {
  const on = deps.db.read(systemContext('live'));
  for (const kind of KINDS) {
    const claimed = await kind.queue.claim(on, PAUSES_S);
    if (claimed === undefined) continue;
    await send(deps, on, kind, claimed);
    return true;
  }
  return false;
}

async function send(
  { mailer, logger, ...writing }: MailDependencies,
  on: Queryable,
  { name, queue, write }: MailKind,
  { id, attempts }: ClaimedMail,
): Promise<void> {
  const fields = { kind: name, id, attempts };
  try {
    const mail = await write(on, id, writing);
    if (mail === undefined) {
      await queue.markFailed(on, id, { error: 'no longer wanted', give_up: true });
      return;
    }
    await mailer.send(mail);
  } catch (error) {
    const give_up = error instanceof RefusedAddress || attempts >= MAX_MAIL_ATTEMPTS;
    const reason = describe(error);
    await queue.markFailed(on, id, { error: reason, give_up });
    if (give_up) logger.error({ ...fields, reason }, 'a mail could not be sent');
    else logger.warn({ ...fields, reason }, 'a mail could not be sent yet');
    return;
  }
  await queue.markSent(on, id);
  logger.info(fields, 'mail sent');
}

async function writeInvitation(
  on: Queryable,
  id: string,
  { public_origin, console_url }: Places,
): Promise<Mail | undefined> {
  const invitation = await findInvitationToMail(on, id);
  if (!invitation?.is_open) return undefined;
  const { email: to } = invitation;
  if (invitation.is_known) return { to, ...knownAddressMail({ ...invitation, public_origin }) };
  const token = invitationToken(randomBytes(32));
  await insertInvitationToken(on, hashSecret(token), id);
  return { to, ...invitationMail({ ...invitation, token, public_origin, console_url }) };
}

async function writePasswordReset(
  on: Queryable,
  id: string,
  { console_url }: Places,
): Promise<Mail | undefined> {
  const reset = await findPasswordReset(on, id);
  if (!reset?.is_open) return undefined;
  const { email: to, expires_at } = reset;
  const token = passwordResetToken(randomBytes(32));
  await insertPasswordResetToken(on, hashSecret(token), id);
  return { to, ...passwordResetMail({ console_url, token, expires_at }) };
}

async function writeSecondFactor(
  on: Queryable,
  id: string,
  { console_url }: Places,
): Promise<Mail | undefined> {
  const mail = await findSecondFactorMail(on, id);
  if (mail === undefined) return undefined;
  const { email: to, ...what } = mail;
  return { to, ...secondFactorMail({ ...what, console_url }) };
}

async function writeDisputes(
  on: Queryable,
  id: string,
  { console_url }: Places,
): Promise<Mail | undefined> {
  const mail = await findDisputeMail(on, id, TOLD_ROLES);
  if (!mail?.is_wanted) return undefined;
  const { email: to, institution_id, kind } = mail;
  const found = await disputesOfMail(on, id, institution_id, MAX_COUNTED);
  if (found.length === 0) return undefined;
  const disputes = found.slice(0, MAX_NAMED);
  return { to, ...disputeMail({ kind, disputes, count: found.length, console_url }) };
}

async function writeToOpener(
  on: Queryable,
  id: string,
  { console_url, db }: WritingDependencies,
): Promise<Mail | undefined> {
  const found = await findOpenerMail(on, id);
  if (found === undefined) return undefined;
  const { dispute_id, email: to, kind } = found;
  const outcome = outcomeOf(found);
  // What was decided meanwhile has a mail of its own.
  if (kind === 'RECEIVED' && outcome !== undefined) return undefined;
  const token = newDisputeToken();
  const token_sha256 = hashSecret(token);
  await db.transaction(systemContext('live'), async (tx) => {
    tx.outbox({
      partition_key: dispute_id,
      payload: { $case: 'dispute_link_mailed', value: { dispute_id, token_sha256 } },
    });
  });
  return { to, ...openerMail({ dispute: found, outcome, console_url, token }) };
}

async function writeToPerson(
  on: Queryable,
  id: string,
  { console_url }: Places,
): Promise<Mail | undefined> {
  const found = await findPersonMail(on, id);
  if (found?.email === undefined) return undefined;
  const { email: to, expires_at, kind, request_id, subject_id } = found;
  if (kind === 'NEWS') {
    const all = await takeNews(on, id, subject_id, MAX_COUNTED);
    if (all.length === 0) return undefined;
    const news = all.slice(0, MAX_NEWS_NAMED);
    return { to, ...newsMail({ news, count: all.length, console_url }) };
  }
  if (kind !== 'CONFIRM') return { to, ...lastMail(kind, console_url) };
  if (request_id === undefined || expires_at === undefined) return undefined;
  const token = newContactToken();
  await insertContactToken(on, hashSecret(token), request_id);
  return { to, ...confirmationMail({ console_url, token, expires_at }) };
}

function outcomeOf({
  correction_pending = false,
  is_corrected = false,
  status,
  voided_inquiry_count = 0,
}: OpenerMailToWrite): DecidedOutcome | undefined {
  if (status === undefined) return undefined;
  return { status, is_corrected, correction_pending, voided_inquiry_count };
}

/** What a mail server answers may quote the message: not more than a line of it is kept. */
function describe(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const told = cause instanceof Error ? cause : error;
  const text = told instanceof Error ? told.message : String(told);
  return (text.split('\n', 1)[0] ?? '').replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH);
}
