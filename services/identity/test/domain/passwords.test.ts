import fc from 'fast-check';
import { isCommon, passwordFault, passwordText } from '../../src/domain/passwords';

const email = 'Ada.Owner@harbour.example';

test('length is counted in characters, from 12 to 128', () => {
  expect(passwordFault('seven lamps', email)).toBe('must have 12 to 128 characters');
  expect(passwordFault('seven lamps!', email)).toBeUndefined();
  expect(passwordFault('🦉🌊🪵🧭🫖🧵🪡🧶🪢🧪🧫🧬', email)).toBeUndefined();
  expect(passwordFault('tide '.repeat(25).concat('abc'), email)).toBeUndefined();
  expect(passwordFault('tide '.repeat(25).concat('abcd'), email)).toBe(
    'must have 12 to 128 characters',
  );
});

test('the e-mail and its local part are refused, however they are written', () => {
  for (const password of [
    'x-ada.owner@harbour.example-x',
    'my ADA.OWNER secret',
    'ada.owner@HARBOUR.example',
  ]) {
    expect(passwordFault(password, email)).toBe('must not contain the e-mail address');
  }
  // A local part of three letters is in half of all sentences.
  expect(passwordFault('nine harbour lamps', 'har@lamps.example')).toBeUndefined();
});

test.each([
  'passwordpassword',
  'Password1234',
  'P@ssw0rd1234',
  'p@$$w0rd-2024!!',
  '12345-password',
  'ADMINISTRATOR',
  'Welcome-2024!!!!',
  'i love you so much',
  'Let_Me_In_Please',
  'liverpoolfc1892',
  'qwertyuiop12',
  '1qaz2wsx3edc4rfv',
  'q1w2e3r4t5y6',
  '123456789012',
  'abcdefghijkl',
  'aaaaaaaaaaaa',
  'ab1ab1ab1ab1ab1',
  '!@#$%^&*()_+',
  'letmeinletmeinletmein',
])('%s is on every list', (password) => {
  expect(isCommon(password)).toBe(true);
  expect(passwordFault(password, email)).toBe('is a commonly used password');
});

test.each([
  'correct horse battery',
  'nine quiet harbour lamps',
  'Tr0ub4dor and three',
  'zW8#kq2Lr!9v',
  'passwords are dull to choose',
  '8xk2-3mvp-77qd',
])('%s is not', (password) => {
  expect(passwordFault(password, email)).toBeUndefined();
});

test('random passwords are practically never called common', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
  const random = fc.array(fc.constantFrom(...letters), {
    minLength: 16,
    maxLength: 16,
    size: 'max',
  });
  fc.assert(
    fc.property(random, (characters) => {
      fc.pre(new Set(characters).size > 5);
      expect(isCommon(characters.join(''))).toBe(false);
    }),
  );
});

test('the same password typed on another device is the same text', () => {
  expect(passwordText('cafe\u0301 au lait noir')).toBe(passwordText('caf\u00e9 au lait noir'));
});
