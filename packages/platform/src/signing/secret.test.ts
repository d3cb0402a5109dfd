import { randomBytes } from 'node:crypto';
import { makeSecret } from './secret';

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
