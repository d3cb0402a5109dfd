const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
// The largest multiple of 62 in a byte: bytes from it on would favour some characters.
const UNBIASED = 248;

/** A new signing secret: `whsec_` and 43 base62 characters, 256 bits. */
export function makeSecret(randomBytes: (size: number) => Uint8Array): string {
  let characters = '';
  // Each round yields 62 of 64 characters on average; none more would be a broken source.
  for (let round = 0; round < 16 && characters.length < SECRET_LENGTH; round += 1) {
    for (const byte of randomBytes(64)) {
      if (byte < UNBIASED && characters.length < SECRET_LENGTH) characters += ALPHABET[byte % 62];
    }
  }
  if (characters.length < SECRET_LENGTH) throw new Error('The source of randomness is broken.');
  return `whsec_${characters}`;
}
