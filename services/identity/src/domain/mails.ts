import { backoffMs } from '@credit/platform/values';

/** About half a day of trying. */
export const MAX_MAIL_ATTEMPTS = 18;
const PAUSES = { first_ms: 60_000, longest_ms: 3_600_000 };

/** How long after the `attempt`-th (from 1) the next one may follow. */
export function mailPauseS(attempt: number): number {
  return backoffMs(PAUSES, attempt) / 1_000;
}

/** A name is its owner's text: a line of its own must not look like one of ours. */
export function inOneLine(name: string): string {
  return name.replace(/\s+/g, ' ');
}

/** A time as a mail says it. */
export function minuteOf(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * A page of the console with a token that it needs, in the fragment: no server on the way is sent
 * it, and none writes it down.
 */
export function consoleLink(console_url: string, page: string, token: string): string {
  return `${consolePage(console_url, page)}#token=${token}`;
}

/** What a mail says, in pieces: paragraphs, pages to open, lists. */
export interface MailContent {
  readonly subject: string;
  readonly pieces: readonly (
    | string
    | { readonly label: string; readonly url: string }
    | readonly string[]
  )[];
}

/** A page of the console that needs no token. */
export function consolePage(console_url: string, page: string): string {
  return `${console_url.replace(/\/$/, '')}/${page}`;
}

/** A page of everybody: those stand where the console does, at the root. */
export function publicPage(console_url: string, path: string): string {
  return new URL(path, console_url).href;
}
