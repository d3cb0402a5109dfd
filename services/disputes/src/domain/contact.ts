// Whether two intakes came from the same person, as far as a free text can say: by an address.

const SEPARATORS = /[\s<>()[\]",;:]/u;
/** Between words, with the separators kept. */
const WORDS = /([\s<>()[\]",;:])/u;
const HIDDEN = '…';

/**
 * The e-mail address in what somebody wrote as `opened_by`; undefined without one, or with several.
 * A name is no contact: many have it, and anybody can write it.
 */
export function contactIn(opened_by: string): string | undefined {
  const [contact, ...others] = opened_by
    .normalize('NFKC')
    .toLowerCase()
    .split(SEPARATORS)
    .filter(isAddress);
  return others.length === 0 ? contact : undefined;
}

/** The same without any address in it: whoever is contested learns who contests, not how to reach them. */
export function withoutContacts(opened_by: string): string {
  return opened_by
    .normalize('NFKC')
    .split(WORDS)
    .map((word) => (isAddress(word) ? HIDDEN : word))
    .join('');
}

/** Whether both name one address, and the same. */
export function isSameContact(one: string, other: string): boolean {
  const contact = contactIn(one);
  return contact !== undefined && contact === contactIn(other);
}

function isAddress(word: string): boolean {
  const [local = '', domain = '', ...more] = word.split('@');
  return more.length === 0 && local !== '' && domain.includes('.');
}
