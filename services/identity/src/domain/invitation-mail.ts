import type { Role } from '@credit/platform/values';
import { consoleLink, inOneLine, type MailContent, minuteOf } from './mails';

/** What a mail to an invited person says. */
export interface Invited {
  readonly institution_name: string;
  readonly role: Role;
  readonly token: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** Where the console is, which has the page that the mail links to. */
  readonly console_url: string;
  /** How members reach the network, where that is known. */
  readonly public_origin: string | undefined;
}

export function invitationMail(invited: Invited): MailContent {
  const { institution_name, role, token, expires_at, console_url } = invited;
  const name = inOneLine(institution_name);
  return {
    subject: `Invitation to join ${name}`,
    pieces: [
      `You are invited to join ${name} on the credit-reporting network, as ${role}.`,
      {
        label: 'Open this page, and choose a name and a password there',
        url: consoleLink(console_url, 'join', token),
      },
      `It works once, until ${minuteOf(expires_at)}. What stands behind "token=" is your ` +
        'invitation token: POST /api/v1/auth/accept-invitation takes it too.',
      'Whoever has the link can join in your place: do not pass this message on. If you did not ' +
        'expect it, you need not do anything.',
    ],
  };
}

/** To somebody who has an account already, and is the only one to learn why nothing comes of it. */
export function knownAddressMail(
  invited: Pick<Invited, 'institution_name' | 'role' | 'public_origin'>,
): MailContent {
  const { public_origin, role } = invited;
  const name = inOneLine(invited.institution_name);
  return {
    subject: `Invitation to join ${name}`,
    pieces: [
      `${name} has invited this address to join on the credit-reporting network, as ${role}. The ` +
        'address has an account in the network already, and an account belongs to one institution, ' +
        'so the invitation cannot be accepted. Whoever invited you was not told.',
      'To join all the same, ask for an invitation to another address of yours, or have the people ' +
        'who run the network move your account. If you did not expect this, you need not do ' +
        'anything: nothing about your account has changed.',
      ...(public_origin === undefined ? [] : [{ label: 'The network', url: public_origin }]),
    ],
  };
}
