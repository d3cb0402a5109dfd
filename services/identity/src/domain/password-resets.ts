import { consoleLink, type MailContent, minuteOf } from './mails';
import type { User } from './users';

/** How long the link of a mail is good. */
export const RESET_LIFETIME_S = 3_600;

/** An account gets so many mails in an hour, whoever asks for them. */
export const MAX_RESET_MAILS = 5;

/**
 * Whether a mailed link may set the user's password. Who runs the network needs a second factor for
 * it, which still stands then: a mailbox alone must not open all there is.
 */
export function mayResetByMail(
  user: Pick<User, 'status' | 'platform_role' | 'second_factor'>,
): boolean {
  return user.status === 'ACTIVE' && (user.platform_role === undefined || user.second_factor);
}

/** A reset's token of 32 random bytes. */
export function passwordResetToken(random: Buffer): string {
  return `svc_pwr_${random.toString('base64url')}`;
}

export function passwordResetMail(reset: {
  readonly console_url: string;
  readonly token: string;
  /** RFC 3339. */
  readonly expires_at: string;
}): MailContent {
  return {
    subject: 'Set a new password',
    pieces: [
      'Somebody asked to set a new password for the account of this address in the ' +
        'credit-reporting network.',
      {
        label: 'To set one, open this page',
        url: consoleLink(reset.console_url, 'reset-password', reset.token),
      },
      `The link can be used once, until ${minuteOf(reset.expires_at)}. All sessions end with it.`,
      'Whoever holds the link can set the password: do not pass this message on. If you did not ask ' +
        'for it, you need not do anything: your password stays as it is.',
    ],
  };
}
