import { isPermitted, ROLES } from '@credit/platform/values';
import { consolePage, type MailContent, minuteOf } from './mails';

/** Whoever may answer disputes is told of them. */
export const TOLD_ROLES = ROLES.filter((role) => isPermitted(role, 'disputes.respond'));

/** A reminder comes so long before a dispute is due. */
export const REMIND_DAYS = 5;

/** A person gets at most one mail of a kind in this time: anybody can open disputes. */
export const DISPUTE_MAIL_EVERY_S = 3_600;

/** As many of an institution's people are told. */
export const MAX_TOLD = 50;

/** As many disputes are named in a mail. */
export const MAX_NAMED = 10;

/** Why a mail about disputes is sent. */
export type DisputeMailKind = 'OPENED' | 'DUE';

/** A dispute as a mail names it. */
export interface NamedDispute {
  readonly dispute_id: string;
  /** `INCORRECT_BALANCE` and the like. */
  readonly reason: string;
  readonly due_at: string;
}

/** What a mail about disputes says. What somebody claims stays out of it: mails are read on the way. */
export function disputeMail(mail: {
  readonly kind: DisputeMailKind;
  /** What is due first at the head. */
  readonly disputes: readonly NamedDispute[];
  /** All that it is about, named or not. */
  readonly count: number;
  readonly console_url: string;
}): MailContent {
  const { console_url, count, disputes, kind } = mail;
  const [first] = disputes;
  const page = count === 1 && first !== undefined ? `disputes/${first.dispute_id}` : 'disputes';
  const left = count - disputes.length;
  const opening = {
    OPENED: ['Somebody disputes what your institution reports.', 'Disputes about your reporting'],
    DUE: ['Your institution has not answered these disputes yet.', 'Disputes are due soon'],
  } as const;
  const [says, subject] = opening[kind];
  return {
    subject: count === 1 ? subjectOfOne(kind) : `${subject}: ${count}`,
    pieces: [
      says,
      [
        ...disputes.map(({ due_at, reason }) => `${inWords(reason)}, due ${minuteOf(due_at)}`),
        ...(left > 0 ? [`and ${left} more`] : []),
      ],
      { label: 'See the claim beside the record, and answer', url: consolePage(console_url, page) },
      'The network decides by the due date, with your answer or without one. If the record is ' +
        'wrong, report a correction first.',
    ],
  };
}

function subjectOfOne(kind: DisputeMailKind): string {
  return kind === 'OPENED' ? 'A dispute about your reporting' : 'A dispute is due soon';
}

/** A reason as a mail says it. */
export function inWords(reason: string): string {
  const text = reason.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
