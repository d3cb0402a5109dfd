// What is signed of a log, and the keys for it. The text is a checkpoint of C2SP's tlog-checkpoint in
// a signed note of C2SP, so that other people's tools can check it too.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Environment } from '../context';
import { HASH_BYTES, type TreeHead } from './tree';

/** A log as it stood at a moment. */
export interface Checkpoint extends TreeHead {
  /** Which log, for example {@link eventsOrigin}. */
  readonly origin: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly signed_at: string;
}

/** A checkpoint with who vouches for it. */
export interface SignedCheckpoint extends Checkpoint {
  /** Eight hexadecimal digits that a note names the key by. */
  readonly key_id: string;
  readonly signature: Buffer;
}

/** A key as anybody may see it. */
export interface PublicKey {
  readonly key_id: string;
  /** 32 bytes. */
  readonly public_key: Buffer;
  /** What new checkpoints are signed with. */
  readonly current: boolean;
}

/** Names the signer in notes; no space and no plus may be in it. */
export const SIGNER = 'credit-network';

/** The log of the credit events of an institution. */
export function eventsOrigin(environment: Environment, institution_id: string): string {
  return `${SIGNER}/events/${environment}/${institution_id}`;
}

/** What is signed. The time is the one line of ours beside the three of the format. */
function textOf({ origin, size, root, signed_at }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n${signed_at}\n`;
}

/** The checkpoint as it is kept and checked elsewhere. */
export function noteOf(checkpoint: SignedCheckpoint): string {
  const signed = Buffer.concat([Buffer.from(checkpoint.key_id, 'hex'), checkpoint.signature]);
  return `${textOf(checkpoint)}\n— ${SIGNER} ${signed.toString('base64')}\n`;
}

const NOTE_LINES = 7;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;

/** Reads a note back; undefined when it is none of ours. Its signature is not checked here. */
export function parseNote(note: string): SignedCheckpoint | undefined {
  const lines = note.split('\n');
  const [origin = '', size = '', root_text = '', signed_at = '', , signed_line = ''] = lines;
  const root = Buffer.from(root_text, 'base64');
  const signed = Buffer.from(signed_line.slice(`— ${SIGNER} `.length), 'base64');
  if (!/^[1-9]\d{0,14}$/.test(size) || root.length !== HASH_BYTES) return undefined;
  if (signed.length !== KEY_ID_BYTES + SIGNATURE_BYTES) return undefined;
  const checkpoint = {
    origin,
    size: Number(size),
    root,
    signed_at,
    key_id: signed.subarray(0, KEY_ID_BYTES).toString('hex'),
    signature: signed.subarray(KEY_ID_BYTES),
  };
  return lines.length === NOTE_LINES && noteOf(checkpoint) === note ? checkpoint : undefined;
}

// What RFC 8410 puts before the 32 bytes of a key.
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
const ED25519 = 1;

/** A key from its base64; throws when it is none. */
export function readKey(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text) {
    throw new Error('A key must be 32 bytes in base64.');
  }
  return bytes;
}

function publicKeyOf(bytes: Buffer): KeyObject {
  return createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, bytes]),
    format: 'der',
    type: 'spki',
  });
}

/** As the signed note's format derives it. */
export function keyIdOf(public_key: Buffer): string {
  return createHash('sha256')
    .update(`${SIGNER}\n`)
    .update(Buffer.of(ED25519))
    .update(public_key)
    .digest('hex')
    .slice(0, 2 * KEY_ID_BYTES);
}

/** Why a checkpoint is not believed. */
export type SignatureFault = 'unknown key' | 'forged';

/** Public keys by their ids: what checkpoints are held against. */
export class CheckpointVerifier {
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(public_keys: readonly Buffer[]) {
    if (
      new Set(public_keys.map(keyIdOf)).size <
      new Set(public_keys.map((key) => key.toString('hex'))).size
    ) {
      throw new Error('Two keys share an id.');
    }
    this.#keys = new Map(public_keys.map((key) => [keyIdOf(key), publicKeyOf(key)]));
  }

  /** How many keys there are. */
  get size(): number {
    return this.#keys.size;
  }

  faultOf(checkpoint: SignedCheckpoint): SignatureFault | undefined {
    const key = this.#keys.get(checkpoint.key_id);
    if (key === undefined) return 'unknown key';
    const text = Buffer.from(textOf(checkpoint));
    return verify(null, text, key, checkpoint.signature) ? undefined : 'forged';
  }
}

/** The key that signs, and those beside it that are good for checking. */
export class CheckpointKeys {
  readonly verifier: CheckpointVerifier;
  readonly published: readonly PublicKey[];
  readonly #key: KeyObject;
  readonly #key_id: string;

  /** The seed of the current key, and other public keys: each 32 bytes in base64. */
  constructor(seed: string, others: readonly string[] = []) {
    this.#key = createPrivateKey({
      key: Buffer.concat([PRIVATE_PREFIX, readKey(seed)]),
      format: 'der',
      type: 'pkcs8',
    });
    const current = createPublicKey(this.#key)
      .export({ format: 'der', type: 'spki' })
      .subarray(PUBLIC_PREFIX.length);
    this.#key_id = keyIdOf(current);
    const further = others.map(readKey).filter((key) => !key.equals(current));
    this.published = [current, ...further].map((public_key) => ({
      key_id: keyIdOf(public_key),
      public_key,
      current: public_key === current,
    }));
    this.verifier = new CheckpointVerifier([current, ...further]);
  }

  sign(checkpoint: Checkpoint): SignedCheckpoint {
    const signature = sign(null, Buffer.from(textOf(checkpoint)), this.#key);
    return { ...checkpoint, key_id: this.#key_id, signature };
  }
}
