import { characterCount } from '@credit/platform/values';

/** Tells of a text that is not of `minimum` to `maximum` characters, or cannot be kept. */
export function checkText(
  text: string,
  path: string,
  minimum: number,
  maximum: number,
  wrong: (path: string, message: string) => void,
): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    wrong(path, 'must not hold NUL or half a surrogate pair');
    return;
  }
  const length = characterCount(text);
  if (length < minimum || length > maximum) {
    wrong(path, `must have ${minimum} to ${maximum} characters`);
  } else if (text.trim() === '') {
    wrong(path, 'must not be blank');
  }
}
