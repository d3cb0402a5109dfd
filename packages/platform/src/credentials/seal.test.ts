import { randomBytes } from 'node:crypto';
import { openKeyRing, SealError, sealSecret, unsealSecret } from './seal';

const key = () => randomBytes(32).toString('base64');

describe('sealing at rest', () => {
  test('a sealed secret opens for its own owner only', () => {
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
