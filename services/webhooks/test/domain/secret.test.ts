import { randomBytes } from 'node:crypto';
import {
  makeSecret,
  openKeyRing,
  SealError,
  sealSecret,
  unsealSecret,
} from '../../src/domain/secret';

const key = () => randomBytes(32).toString('base64');

describe('signing secrets', () => {
  test('are whsec_ and 43 base62 characters, never twice the same', () => {
    const secrets = Array.from({ length: 200 }, () => makeSecret(randomBytes));
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
    expect(new Set(secrets).size).toBe(200);
  });

  test('use every character about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 1_000; round += 1) {
      for (const character of makeSecret(randomBytes).slice(6)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 43,000 draws of 62: 693 each, standard deviation 26.
    for (const count of counts.values()) expect(Math.abs(count - 693)).toBeLessThan(6 * 26);
  });

  test('a source that gives only biased bytes is noticed', () => {
    expect(() => makeSecret((size) => new Uint8Array(size).fill(255))).toThrow('broken');
  });
});

describe('sealing at rest', () => {
  test('a sealed secret opens for its own subscription only', () => {
    const ring = openKeyRing(key(), []);
    const sealed = sealSecret(ring, 'one', 'whsec_x', randomBytes);
    expect(unsealSecret(ring, 'one', sealed)).toBe('whsec_x');
    expect(sealed.sealed.includes('whsec_x')).toBe(false);
    expect(() => unsealSecret(ring, 'two', sealed)).toThrow(SealError);
  });

  test('an altered byte anywhere is noticed', () => {
    const ring = openKeyRing(key(), []);
    const { key_id, sealed } = sealSecret(ring, 'one', 'whsec_x', randomBytes);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
      expect(() => unsealSecret(ring, 'one', { key_id, sealed: altered })).toThrow(SealError);
    }
  });

  test('a rotated key still opens what it sealed; the new one seals', () => {
    const [first, second] = [key(), key()];
    const before = openKeyRing(first, []);
    const after = openKeyRing(second, [first]);
    const old = sealSecret(before, 'one', 'whsec_x', randomBytes);
    expect(unsealSecret(after, 'one', old)).toBe('whsec_x');
    const fresh = sealSecret(after, 'one', 'whsec_x', randomBytes);
    expect(fresh.key_id).toBe(after.current_id);
    expect(() => unsealSecret(before, 'one', fresh)).toThrow(SealError);
  });

  test('the same secret never seals to the same bytes', () => {
    const ring = openKeyRing(key(), []);
    const [one, two] = [1, 2].map(() => sealSecret(ring, 'one', 'whsec_x', randomBytes));
    expect(one?.sealed.equals(two?.sealed ?? Buffer.alloc(0))).toBe(false);
  });

  test('keys of another length are refused', () => {
    expect(() => openKeyRing('short', [])).toThrow(SealError);
    expect(() => openKeyRing(key(), [randomBytes(16).toString('base64')])).toThrow(SealError);
  });
});
