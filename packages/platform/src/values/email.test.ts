import { isEmail } from './email';

test.each([
  'ada@harbour.example',
  'a+b@x.y.z',
  "o'hara@example.org",
  'jörg@bücher.example',
  'root@localhost',
])('%s can be an address', (email) => {
  expect(isEmail(email)).toBe(true);
});

test.each([
  '',
  'ada',
  '@harbour.example',
  'ada@',
  'ada@@harbour.example',
  'ada@harbour..example',
  'ada b@harbour.example',
  // It would look like Ada's.
  'a\u200bda@harbour.example',
  'ada@harbour\u00ad.example',
  'ada@harbour.example\u202e',
  'ada@har bour.example',
  'ada@harbour.example\nBcc: eve@x.example',
  'Ada <ada@harbour.example>',
  `${'a'.repeat(65)}@harbour.example`,
  `ada@${'a.'.repeat(130)}example`,
])('%j cannot', (email) => {
  expect(isEmail(email)).toBe(false);
});
