// How texts that people write are compared: one rule for every name and identifier of the network.

/** Drawn by no font, or there to steer how others are drawn; U+2800 is a blank that is no space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u{FFF9}-\u{FFFB}]/gu;
const SPACES = /[\p{White_Space}\u{2800}]+/gu;
const SPACE = /[\p{White_Space}\u{FEFF}]/u;
const SEEN = /[^\p{Mark}\p{Separator}]/u;

/**
 * The text as names are compared, after Unicode's NFKC_Casefold: compatible characters and cases
 * made equal, what cannot be seen dropped, spaces collapsed. Case is folded by character, because
 * lower-casing a whole word makes a final sigma of its own.
 */
export function nameKey(text: string): string {
  const seen = text.normalize('NFKC').replace(SPACES, ' ').replace(UNSEEN, '');
  let folded = '';
  for (const character of seen) {
    // Upper-casing would make an i of the dotless one, which is another letter.
    folded += character === 'ı' ? character : foldCase(foldCase(character));
  }
  // Folding and dropping bring characters together that compose, and spaces that were apart.
  return folded.normalize('NFKC').replace(SPACES, ' ').trim();
}

function foldCase(character: string): string {
  return character.toUpperCase().toLowerCase();
}

/** Whether anything of the text can be seen: marks alone sit on nothing. */
export function isVisible(text: string): boolean {
  return SEEN.test(nameKey(text));
}

/** Whether it holds what is dropped when names are compared. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) !== -1;
}

/** An identifier as it is kept and compared: what stands around it by accident is no part of it. */
export function withoutOuterSpace(text: string): string {
  let start = 0;
  let end = text.length;
  // No pattern: one for the end would look at every run of spaces within. All spaces are one unit.
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Characters as people count them: a surrogate pair is one. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const is_pair =
      (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    if (is_pair) count -= 1;
  }
  return count;
}
