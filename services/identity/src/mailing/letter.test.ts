import { networkNameOf, writeLetter } from './letter';

const letter = {
  subject: 'Invitation',
  pieces: [
    `Tide <b>& "Sons"</b> has invited you. ${'word '.repeat(30)}`,
    { label: 'Open this page', url: 'https://credit.example/console/join#token=a&b' },
    ['one', "two's"],
  ],
};

test('both parts say the same; the text is folded, and links stand whole', () => {
  const { subject, text } = writeLetter(letter, 'The Network');
  expect(subject).toBe('Invitation');
  expect(text.split('\n').every((line) => line.length <= 78)).toBe(true);
  expect(text).toContain('Tide <b>& "Sons"</b> has invited you.');
  expect(text).toContain(
    "Open this page:\n\n    https://credit.example/console/join#token=a&b\n\n- one\n- two's\n",
  );
  expect(text.endsWith('-- \nThe Network\n')).toBe(true);
});

test('nothing in the HTML part is anybody’s but ours, and nothing is fetched', () => {
  const { html } = writeLetter(letter, 'The <Network>');
  expect(html).toContain('<p>Tide &lt;b&gt;&amp; &quot;Sons&quot;&lt;/b&gt; has invited you.');
  expect(html).toContain('href="https://credit.example/console/join#token=a&amp;b"');
  expect(html).toContain('<li>two&#39;s</li>');
  expect(html).toContain('The &lt;Network&gt;');
  expect(html).not.toMatch(/<(img|link|script|iframe)|src=|url\(/);
});

test.each([
  ['Network <no-reply@network.example>', 'Network'],
  ['"Harbour, Credit" <a@b.example>', 'Harbour, Credit'],
  ['no-reply@network.example', 'The credit-reporting network'],
  ['<no-reply@network.example>', 'The credit-reporting network'],
])('%s is of %s', (from, name) => {
  expect(networkNameOf(from)).toBe(name);
});
