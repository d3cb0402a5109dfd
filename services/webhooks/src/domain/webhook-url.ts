import { isIP } from 'node:net';
import { invalid } from '@credit/platform/errors';
import { characterCount, TEXTS } from '@credit/platform/values';
import { type AddressRange, isReachableAddress } from './address';

/** Where a receiver is. */
export interface Receiver {
  /** A lower-case name, or an address without brackets. */
  readonly host: string;
  /** True when the host is an address and needs no resolution. */
  readonly is_address: boolean;
}

/**
 * Checks a receiver's URL; VALIDATION_ERROR at `url` says what is wrong. Texts
 * that a lenient parser would repair (backslashes, line breaks, addresses in
 * decimal, octal or hexadecimal) are refused: what is stored is what is meant.
 */
export function parseWebhookUrl(text: string, opened: readonly AddressRange[]): Receiver {
  const refuse = (message: string) => invalid('url', message);
  if (characterCount(text) > TEXTS.link.max) {
    throw refuse(`must have at most ${TEXTS.link.max} characters`);
  }
  if (!/^https:\/\/[^/]/i.test(text)) throw refuse('must be an absolute https URL');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/.test(text)) {
    throw refuse('must not contain spaces, control characters or backslashes');
  }
  if (text.includes('#')) throw refuse('must not have a fragment');
  const authority = /^https:\/\/([^/?]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) throw refuse('must not contain user information');
  if (!URL.canParse(text)) throw refuse('is not a URL');
  const { hostname, port } = new URL(text);
  if (port === '0') throw refuse('must have a port above 0');
  const given = authority.replace(/:\d*$/, '').toLowerCase();
  if (given.endsWith('.') || given.includes('%')) {
    throw refuse('must name its host plainly, without a trailing dot or escapes');
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family === 4 && given !== host) throw refuse('must write an IPv4 address in dotted decimal');
  if (family !== 0 && !isReachableAddress(host, opened)) throw refusedAddress();
  return { host, is_address: family !== 0 };
}

/** The refusal of a host that is, or resolves to, an address not on the public internet. */
export function refusedAddress() {
  return invalid('url', 'must lead to a public address');
}
