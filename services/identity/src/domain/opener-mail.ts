import { inWords } from './dispute-mail';
import { emailKey } from './emails';
import { type MailContent, minuteOf, publicPage } from './mails';

/** Anybody can give anybody's address: it is told of so many disputes a day, and of their outcomes. */
export const MAX_RECEIPTS_OF_MAILBOX = 3;
/** One client address can have so many receipts a day sent, to whomever. */
export const MAX_RECEIPTS_OF_PLACE = 20;
export const RECEIPTS_WINDOW_S = 86_400;

/** Why whoever opened a dispute is told of it. */
export type OpenerMailKind = 'RECEIVED' | 'DECIDED';

/** A dispute as its opener is told of it: nothing that anybody has written. */
export interface OpenersDispute {
  readonly dispute_id: string;
  /** `INCORRECT_BALANCE` and the like. */
  readonly reason: string;
  readonly opened_at: string;
  readonly due_at: string;
}

const OUTCOMES = ['RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED'] as const;
type OutcomeStatus = (typeof OUTCOMES)[number];

/** Its outcome. */
export interface DecidedOutcome {
  readonly status: OutcomeStatus;
  /** A correction is on record. */
  readonly is_corrected: boolean;
  /** Something waits for the furnisher. */
  readonly correction_pending: boolean;
  readonly voided_inquiry_count: number;
}

/** The outcome that a status is; undefined of any other. */
export function outcomeStatus(status: string): OutcomeStatus | undefined {
  return OUTCOMES.find((outcome) => outcome === status);
}

/**
 * A mailbox as its mails are counted: many providers take `ada.b+anything@` for `adab@`, and a limit
 * that one sign passes is none.
 */
export function mailboxKey(email: string): string {
  const [local = '', domain = ''] = emailKey(email).split('@');
  return `${local.split('+', 1)[0]?.replaceAll('.', '')}@${domain}`;
}

/** What whoever opened a dispute is told by mail. */
export function openerMail(mail: {
  readonly dispute: OpenersDispute;
  /** Undefined of a receipt. */
  readonly outcome: DecidedOutcome | undefined;
  readonly console_url: string;
  readonly token: string;
}): MailContent {
  const { dispute, outcome } = mail;
  const link = followLink(mail.console_url, dispute.dispute_id, mail.token);
  return outcome === undefined ? receipt(dispute, link) : decision(dispute, outcome, link);
}

function receipt(dispute: OpenersDispute, url: string): MailContent {
  return {
    subject: 'Your dispute was received',
    pieces: [
      'Somebody disputes an entry in the credit-reporting network, and gave this address to be told ' +
        'of it. The network and the lender look at it now.',
      [
        ...aboutIt(dispute),
        `Received: ${minuteOf(dispute.opened_at)}`,
        `A decision is due by: ${minuteOf(dispute.due_at)}`,
      ],
      { label: 'Follow the dispute', url },
      'A mail tells you how it was decided; no other comes. Nobody but the administrators of the ' +
        'network sees this address, and it is deleted 90 days after the decision.',
      notForYou,
    ],
  };
}

function decision(dispute: OpenersDispute, outcome: DecidedOutcome, url: string): MailContent {
  const { changed, decided, next } = inPlainWords(outcome);
  return {
    subject: 'Your dispute was decided',
    pieces: [
      decided,
      aboutIt(dispute),
      ...(changed.length === 0 ? [] : ['What changes:', changed]),
      { label: 'Read what was found', url },
      next,
      'This is the last mail about it, and the address is deleted in 90 days.',
      notForYou,
    ],
  };
}

const notForYou =
  'Whoever has the link reads the dispute: do not pass this message on. If it is not yours, you need ' +
  'not do anything.';

function aboutIt({ dispute_id, reason }: OpenersDispute): string[] {
  return [`Number: ${dispute_id}`, `What is said to be wrong: ${inWords(reason)}`];
}

interface PlainWords {
  readonly decided: string;
  readonly changed: readonly string[];
  readonly next: string;
}

function inPlainWords(outcome: DecidedOutcome): PlainWords {
  const again =
    'If you have something that shows it is wrong, you can open another dispute, and name it there.';
  switch (outcome.status) {
    case 'RESOLVED_CORRECTED':
      return {
        decided: 'Your dispute was decided for you: the record was wrong.',
        changed: changesOf(outcome),
        next: outcome.correction_pending
          ? 'If the lender does not report what is right soon, ask it to, and name the number above.'
          : 'You need not do anything. Should the lender certify that it was right after all and report ' +
            'it again, the page says so, and you can dispute that.',
      };
    case 'RESOLVED_UPHELD':
      return {
        decided: 'Your dispute was decided: the record was checked, and it stays as it is.',
        changed: [],
        next: again,
      };
    case 'REJECTED':
      return {
        decided: 'Your dispute was not taken up. The record stays as it is.',
        changed: [],
        next: again,
      };
    default:
      return outcome.status satisfies never;
  }
}

function changesOf({
  correction_pending,
  is_corrected,
  voided_inquiry_count,
}: DecidedOutcome): string[] {
  const inquiries =
    voided_inquiry_count === 1 ? 'One inquiry counts' : `${voided_inquiry_count} inquiries count`;
  return [
    ...(is_corrected
      ? ['The entry is corrected. Scores and reports go by what is right from now on.']
      : []),
    ...(voided_inquiry_count > 0 ? [`${inquiries} in no score any more.`] : []),
    ...(correction_pending
      ? [
          is_corrected
            ? 'Part of it only the lender can put right. It has been told.'
            : 'Only the lender can put it right. It has been told.',
        ]
      : []),
  ];
}

/** The page of everybody that follows a dispute, with what opens it in the fragment. */
function followLink(console_url: string, dispute_id: string, token: string): string {
  const page = publicPage(console_url, '/dispute/follow');
  return `${page}#${new URLSearchParams({ dispute_id, token })}`;
}
