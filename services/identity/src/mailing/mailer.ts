import { createTransport } from 'nodemailer';
import { type Letter, networkNameOf, writeLetter } from './letter';

/** A message to one person. */
export interface Mail extends Letter {
  readonly to: string;
}

/** The address was refused for good: trying again is no use. */
export class RefusedAddress extends Error {}

/** Hands mails to a server that sends them on. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** All of it together stays well within the shortest pause between two attempts. */
const CONNECTION_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 15_000;

/** Speaks SMTP with the server of an smtp:// or smtps:// URL. */
export function smtpMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // Nothing in a message may make this process read files or call out.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const network_name = networkNameOf(options.from);
  return {
    async send({ to, ...letter }) {
      const { html, subject, text } = writeLetter(letter, network_name);
      try {
        await transport.sendMail({
          from: options.from,
          // An object, so that the address is one and is not parsed as a list.
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        if (isRefusedAddress(error)) throw new RefusedAddress('refused', { cause: error });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

function isRefusedAddress(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, responseCode } = error as Error & { code?: string; responseCode?: number };
  return code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
}
