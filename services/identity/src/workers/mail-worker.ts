import { Background } from '@credit/platform/runtime';
import { type MailDependencies, sendDueMail } from '../commands/send-due-mail';

/** How long a mail of another process, or one whose pause is over, may go unnoticed. */
const POLL_MS = 5_000;

/** Sends what is due, one mail after the other: invitations are few, and timeouts bound each. */
export function mailWorker(deps: MailDependencies): Background {
  return new Background({
    name: 'mails',
    logger: deps.logger,
    pause_ms: POLL_MS,
    work: () => sendDueMail(deps),
    close: () => deps.mailer.close(),
  });
}
