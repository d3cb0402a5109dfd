import { characterCount, hasUnseen } from '@credit/platform/values';

const MAX_LENGTH = 254;
const SHAPE = /^[^\s@"(),:;<>[\]\\]{1,64}@(?:[^\s@.]{1,63}\.)*[^\s@.]{1,63}$/u;

/** An e-mail as it is compared: the network has one user for it, however it is written. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}

/**
 * Whether the text can be an e-mail address, and does not look like another by what cannot be seen.
 * Whether anybody reads it, only mail can tell.
 */
export function isEmail(email: string): boolean {
  return characterCount(email) <= MAX_LENGTH && SHAPE.test(email) && !hasUnseen(email);
}
