import { Background } from '@credit/platform/runtime';
import { type MailDependencies, sendDueMail } from '../commands/send-due-mail';
import { remindOfDisputes, type TellingOfDisputes } from '../commands/tell-of-disputes';

/** How long a mail of another process, or one whose pause is over, may go unnoticed. */
const POLL_MS = 5_000;

/**
 * Sends what is due, one mail after the other: they are few, and timeouts bound each. With nothing to
 * send it sees of which disputes people have to be reminded.
 */
export function mailWorker(deps: MailDependencies & TellingOfDisputes): Background {
  return new Background({
    name: 'mails',
    logger: deps.logger,
    pause_ms: POLL_MS,
    work: async () => (await sendDueMail(deps)) || (await remindOfDisputes(deps)),
    close: () => deps.mailer.close(),
  });
}
