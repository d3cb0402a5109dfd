import { invalid } from '@credit/platform/errors';
import { TEXTS, textFault } from '@credit/platform/values';
import { COMMON_PASSWORDS, KEYBOARD_RUNS } from './common-passwords';
import { emailKey } from './emails';

/** A local part as short as this is in too many harmless words. */
const MIN_LOCAL_PART_LENGTH = 4;
/** A repeated unit up to this long adds nothing. */
const MAX_REPEATED_LENGTH = 4;

/** The text that is hashed: one password, whichever way a device composes its accents. */
export function passwordText(password: string): string {
  return password.normalize('NFKC');
}

/** Throws VALIDATION_ERROR at `path` when the password is one that would be guessed. */
export function assertPassword(password: string, email: string, path: string): void {
  const fault = passwordFault(password, email);
  if (fault !== undefined) throw invalid(path, fault);
}

/**
 * What is wrong with a password, if anything. No rules of composition: they make
 * passwords worse. Length, not the e-mail, and nothing that is on every list.
 */
export function passwordFault(password: string, email: string): string | undefined {
  const fault = textFault(password, TEXTS.password);
  if (fault !== undefined) return fault;
  if (holdsEmail(password, email)) return 'must not contain the e-mail address';
  if (isCommon(password)) return 'is a commonly used password';
  return undefined;
}

function holdsEmail(password: string, email: string): boolean {
  const text = emailKey(password);
  const address = emailKey(email);
  const [local_part = ''] = address.split('@', 1);
  if (address !== '' && text.includes(address)) return true;
  return local_part.length >= MIN_LOCAL_PART_LENGTH && text.includes(local_part);
}

/** Whether the password, folded, is on the list, a run over the keyboard, or one short unit repeated. */
export function isCommon(password: string): boolean {
  const text = passwordText(password).toLowerCase();
  const plain = withoutSymbols(text);
  const core = withoutOuterSymbols(text);
  const folded = [plain, withoutSymbols(core), spelledOut(text), spelledOut(core)];
  if (
    folded.some((form) => COMMON_PASSWORDS.has(form) || COMMON_PASSWORDS.has(repeatedUnit(form)))
  ) {
    return true;
  }
  if (repeatedUnit(text).length <= MAX_REPEATED_LENGTH) return true;
  return [text, plain].some(
    (form) => form !== '' && KEYBOARD_RUNS.some((run) => run.includes(form)),
  );
}

/** What is left between the first and the last letter. */
function withoutOuterSymbols(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => !/[\d\s\p{P}\p{S}]/u.test(character);
  const first = characters.findIndex(isLetter);
  if (first < 0) return '';
  return characters.slice(first, characters.findLastIndex(isLetter) + 1).join('');
}

function withoutSymbols(text: string): string {
  return text.replace(/[\s\p{P}\p{S}]/gu, '');
}

/** Symbols and digits read as the letters they stand for, as in p@$$w0rd. */
function spelledOut(text: string): string {
  return withoutSymbols(
    text.replace(/[013457@$!]/g, (character) => SUBSTITUTES[character] ?? character),
  );
}

const SUBSTITUTES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** The shortest text whose repetition (the last one may be cut) makes the whole. */
function repeatedUnit(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit;
  }
  return text;
}
