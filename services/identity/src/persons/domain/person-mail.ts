import { inWords } from '../../domain/dispute-mail';
import { inOneLine, type MailContent, minuteOf, publicPage } from '../../domain/mails';

/** How long the link of a mail is good. */
export const CONFIRM_LIFETIME_S = 86_400;

/** Anybody's address can be given: so many mails a day go to one that nobody has confirmed. */
export const MAX_CONFIRMATIONS_OF_MAILBOX = 3;
/** So many strangers can be mailed a day from one file. */
export const MAX_CONFIRMATIONS_OF_SUBJECT = 10;
export const CONFIRMATIONS_WINDOW_S = 86_400;

/** A person gets at most one mail with news in this time. */
export const NEWS_EVERY_S = 3_600;
/** As many of what has happened are named in a mail. */
export const MAX_NEWS_NAMED = 10;

/** To an address that is told no more. */
export type LastMailKind = 'REPLACED' | 'ENDED';
/** Why a person is mailed. */
export type PersonMailKind = 'CONFIRM' | 'NEWS' | LastMailKind;

/** Something that happened to a file. */
export interface News {
  readonly kind: 'INQUIRY' | 'CORRECTION';
  /** Undefined where its name is not known. */
  readonly institution: string | undefined;
  /** Of an INQUIRY: `CREDIT_APPLICATION` and the like. */
  readonly purpose: string | undefined;
  readonly happened_at: string;
}

const FILE = '/my';

/** Asks whoever has the mailbox whether it is theirs: of whose file it is, it says nothing. */
export function confirmationMail(mail: {
  readonly console_url: string;
  readonly token: string;
  readonly expires_at: string;
}): MailContent {
  const { console_url, expires_at, token } = mail;
  return {
    subject: 'Confirm your address',
    pieces: [
      'Somebody who was at their own file in the credit-reporting network gave this address, to be ' +
        'told there when a lender looks at the file, or when something in it is corrected.',
      {
        label: 'If that was you, confirm it on this page',
        url: `${publicPage(console_url, `${FILE}/confirm`)}#token=${token}`,
      },
      `The link can be used once, until ${minuteOf(expires_at)}.`,
      'If it was not you, you need not do anything: no other mail comes of it.',
    ],
  };
}

/** What has happened to a file, the first first; nothing of a score or an amount. */
export function newsMail(mail: {
  readonly news: readonly News[];
  /** All that has happened, named or not. */
  readonly count: number;
  readonly console_url: string;
}): MailContent {
  const { console_url, count, news } = mail;
  const left = count - news.length;
  const [first] = news;
  return {
    subject:
      count === 1 && first !== undefined ? SUBJECTS[first.kind] : `News of your file: ${count}`,
    pieces: [
      'In your file at the credit-reporting network:',
      [...news.map(inOneSentence), ...(left > 0 ? [`and ${left} more`] : [])],
      { label: 'See your file', url: publicPage(console_url, FILE) },
      'If you know nothing of it, you can freeze your file there, and dispute what is wrong. Both are ' +
        'free. This address can be taken off there, too.',
    ],
  };
}

const SUBJECTS = {
  INQUIRY: 'A lender looked at your file',
  CORRECTION: 'Your file was corrected',
} as const;

function inOneSentence({ happened_at, institution, kind, purpose }: News): string {
  const who = institution === undefined ? 'A lender' : inOneLine(institution);
  const when = minuteOf(happened_at);
  if (kind === 'CORRECTION') return `What ${who} reported was corrected, ${when}`;
  return `${who} looked${purpose === undefined ? '' : ` for: ${inWords(purpose)}`}, ${when}`;
}

/** Tells an address that it is told no more: whoever has a session must not turn mails away unseen. */
export function lastMail(kind: LastMailKind, console_url: string): MailContent {
  const what = {
    REPLACED: 'Another address was confirmed in place of this one.',
    ENDED: 'This address was taken off, or the file became part of another.',
  } as const;
  return {
    subject: 'This address is told no more',
    pieces: [
      `${what[kind]} Mails about your file in the credit-reporting network no longer come here.`,
      'If that was not you, look at your file, freeze it, and set your address again.',
      { label: 'See your file', url: publicPage(console_url, FILE) },
      'This is the last mail, and the address is deleted with it.',
    ],
  };
}
