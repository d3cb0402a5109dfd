// Secrets at rest: AES-256-GCM under a ring of keys, bound to what they belong to.

import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Gives that many random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** A secret as stored: which key sealed it, and nonce, tag and ciphertext. */
export interface SealedSecret {
  readonly key_id: string;
  readonly sealed: Buffer;
}

/** The keys that seal secrets at rest: one seals, all open. */
export interface KeyRing {
  readonly current_id: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** Thrown when no key of the ring opens a secret. */
export class SealError extends Error {}

function readKey(text: string): [string, Buffer] {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new SealError('A key must be 32 bytes in base64.');
  // A key is known by its digest, so that ids need no configuration of their own.
  return [createHash('sha256').update(key).digest('hex').slice(0, 16), key];
}

/** Reads the current key and those before it, each 32 bytes in base64. */
export function openKeyRing(current: string, previous: readonly string[]): KeyRing {
  const [current_id, key] = readKey(current);
  return { current_id, keys: new Map([...previous.map(readKey), [current_id, key]]) };
}

/** Seals a secret for the one thing that it belongs to; what is sealed for another does not open. */
export function sealSecret(
  ring: KeyRing,
  owner: string,
  secret: string,
  randomBytes: RandomBytes,
): SealedSecret {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.current_id), nonce);
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return {
    key_id: ring.current_id,
    sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]),
  };
}

/** Opens a sealed secret; throws {@link SealError} when it was altered or its key is gone. */
export function unsealSecret(ring: KeyRing, owner: string, stored: SealedSecret): string {
  const key = keyOf(ring, stored.key_id);
  const nonce = stored.sealed.subarray(0, NONCE_BYTES);
  const tag = stored.sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(tag);
    const ciphertext = stored.sealed.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealError('What is sealed does not belong here.', { cause: error });
  }
}

function keyOf(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (key === undefined) throw new SealError(`There is no key ${id}.`);
  return key;
}
