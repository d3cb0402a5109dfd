import { consolePage, type MailContent, minuteOf } from './mails';

/** What is told to the user whose factor it is. */
export type SecondFactorEvent = 'SET_UP' | 'REMOVED' | 'RESET' | 'CODES_RENEWED' | 'CODE_USED';

/** A user gets so many of these mails in an hour; what comes on top is in the audit log alone. */
export const MAX_FACTOR_MAILS = 20;
export const FACTOR_MAIL_WINDOW_S = 3_600;

const SAYS: Readonly<
  Record<SecondFactorEvent, { readonly subject: string; readonly what: string }>
> = {
  SET_UP: {
    subject: 'A second factor was set up',
    what: 'Your account asks for a code of an authenticator at each sign-in from now on.',
  },
  REMOVED: {
    subject: 'Your second factor was removed',
    what: 'Your account takes the password alone at a sign-in from now on.',
  },
  RESET: {
    subject: 'Your second factor was taken off',
    what:
      'An administrator took the second factor off your account and ended its sessions: the ' +
      'password alone signs you in. Set up another one.',
  },
  CODES_RENEWED: {
    subject: 'You have new recovery codes',
    what: 'New recovery codes were given for your account: those of before are good no more.',
  },
  CODE_USED: {
    subject: 'A recovery code was used',
    what: 'A recovery code of your account was used in place of the authenticator.',
  },
};

/** What a mail about one's second factor says. */
export function secondFactorMail(mail: {
  readonly event: SecondFactorEvent;
  /** RFC 3339. */
  readonly happened_at: string;
  /** Undefined while there is no factor. */
  readonly recovery_codes_left: number | undefined;
  readonly console_url: string;
}): MailContent {
  const { console_url, event, happened_at, recovery_codes_left: left } = mail;
  const { subject, what } = SAYS[event];
  return {
    subject,
    pieces: [
      what,
      event === 'CODE_USED' && left !== undefined
        ? `It was on ${minuteOf(happened_at)}. ${codesLeft(left)}`
        : `It was on ${minuteOf(happened_at)}.`,
      { label: 'See your second factor', url: consolePage(console_url, 'second-factor') },
      'If it was you, or you asked for it, you need not do anything. If not, somebody else may know ' +
        'your password: change it at once, end the sessions that you do not know, and tell an ' +
        'administrator.',
    ],
  };
}

function codesLeft(left: number): string {
  if (left === 0) return 'No recovery code is left: get new ones.';
  return left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`;
}
