import { characterCount, hasUnseen } from './texts';

export const EMAIL_MAX_LENGTH = 254;
const SHAPE = /^[^\s@"(),:;<>[\]\\]{1,64}@(?:[^\s@.]{1,63}\.)*[^\s@.]{1,63}$/u;

/**
 * Whether the text can be an e-mail address, and does not look like another by what cannot be seen.
 * Whether anybody reads it, only mail can tell.
 */
export function isEmail(text: string): boolean {
  return characterCount(text) <= EMAIL_MAX_LENGTH && SHAPE.test(text) && !hasUnseen(text);
}
