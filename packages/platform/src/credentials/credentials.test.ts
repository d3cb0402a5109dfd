import fc from 'fast-check';
import {
  apiKeyChecksum,
  hashSecret,
  isAccessToken,
  isApiKey,
  isRefreshToken,
  newAccessToken,
  newApiKey,
  newRefreshToken,
  parseAuthorization,
} from './index';

test('a new key is well formed and carries its environment', () => {
  const live = newApiKey('live');
  expect(live).toMatch(/^svc_live_[0-9A-Za-z]{49}$/);
  expect(live).toHaveLength(58);
  expect(isApiKey(live)).toBe(true);
  expect(newApiKey('test')).toMatch(/^svc_test_/);
  expect(newApiKey('live')).not.toBe(live);
});

test('any single mistyped character of a key is noticed', () => {
  const key = newApiKey('live');
  fc.assert(
    fc.property(
      fc.integer({ min: 9, max: key.length - 1 }),
      fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
      (at, character) => {
        fc.pre(key[at] !== character);
        expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      },
    ),
  );
});

test('the checksum is fixed for ever: keys in the field depend on it', () => {
  expect(apiKeyChecksum('')).toBe('000000');
  expect(apiKeyChecksum('123456789')).toBe('3jZRME');
  expect(
    isApiKey(`svc_test_${'0'.repeat(43)}${apiKeyChecksum(`svc_test_${'0'.repeat(43)}`)}`),
  ).toBe(true);
});

test('a key of an unknown environment or another length is no key', () => {
  const text = `svc_prod_${'a'.repeat(43)}`;
  expect(isApiKey(text + apiKeyChecksum(text))).toBe(false);
  expect(isApiKey(`${newApiKey('live')}0`)).toBe(false);
  expect(isApiKey('')).toBe(false);
});

test('tokens have shapes of their own', () => {
  expect(isAccessToken(newAccessToken())).toBe(true);
  expect(isRefreshToken(newRefreshToken())).toBe(true);
  expect(isAccessToken(newRefreshToken())).toBe(false);
  expect(isAccessToken(newApiKey('live'))).toBe(false);
});

test('an Authorization header is read without looking anything up', () => {
  const key = newApiKey('live');
  const token = newAccessToken();
  expect(parseAuthorization(`Bearer ${key}`)).toEqual({ kind: 'api_key', secret: key });
  expect(parseAuthorization(`bearer  ${token}`)).toEqual({ kind: 'access_token', secret: token });
  for (const header of [
    undefined,
    '',
    key,
    `Basic ${key}`,
    'Bearer',
    'Bearer ',
    `Bearer ${key} x`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${newRefreshToken()}`,
  ]) {
    expect(parseAuthorization(header)).toBeUndefined();
  }
});

test('the stored hash is SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
