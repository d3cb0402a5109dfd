import { renderMarkdown } from './markdown';

const same = (href: string) => href;

test('the first heading is the title and the first paragraph the summary', () => {
  const { title, summary, body } = renderMarkdown('# The `title`\n\nOne\ntwo.\n\nThree.\n', same);
  expect({ title, summary }).toEqual({ title: 'The title', summary: 'One two.' });
  expect(String(body)).not.toContain('The');
});

test('a comment at the beginning is not shown', () => {
  const { title, summary } = renderMarkdown('<!-- Generated. -->\n\n# T\n\nText.\n', same);
  expect({ title, summary }).toEqual({ title: 'T', summary: 'Text.' });
});

test('a document without a title is refused', () => {
  expect(() => renderMarkdown('Just text.\n', same)).toThrow('it has no title');
});

test('headings get names that stay apart and can be linked to', () => {
  const { body, headings } = renderMarkdown(
    '# T\n\n## Don’t panic\n\n## `a.b_c` and more\n\n## Again\n\n### Again\n',
    same,
  );
  expect(headings).toEqual([
    { id: 'dont-panic', level: 2, text: 'Don’t panic' },
    { id: 'ab_c-and-more', level: 2, text: 'a.b_c and more' },
    { id: 'again', level: 2, text: 'Again' },
    { id: 'again-1', level: 3, text: 'Again' },
  ]);
  expect(String(body)).toContain(
    '<h2 id="dont-panic">Don’t panic <a class="anchor" href="#dont-panic"',
  );
});

test('HTML in a document is shown, not carried out', () => {
  const { body } = renderMarkdown('# T\n\n<script>alert(1)</script> & `<b>`\n', same);
  expect(String(body)).toContain('&lt;script&gt;');
  expect(String(body)).not.toContain('<script');
  const { title } = renderMarkdown('# <img src=x>\n', same);
  expect(title).toBe('<img src=x>');
});

test('a link that leads nowhere in the portal stays as text', () => {
  const { body } = renderMarkdown('# T\n\n[one](a.md) [two **b**](c.md)\n', (href) =>
    href === 'a.md' ? '/docs/a' : undefined,
  );
  expect(String(body)).toContain('<p><a href="/docs/a">one</a> two <strong>b</strong></p>');
});

test('code is marked up where the language is known, and escaped where it is not', () => {
  const { body } = renderMarkdown('# T\n\n```json\n{"a": 1}\n```\n\n```odd\n<x>\n```\n', same);
  expect(String(body)).toContain('<span class="hljs-attr">&quot;a&quot;</span>');
  expect(String(body)).toContain('&lt;x&gt;');
});

test('tables scroll in themselves and name their columns', () => {
  const { body } = renderMarkdown('# T\n\n| A |\n| - |\n| 1 |\n', same);
  expect(String(body)).toContain('<div class="table" tabindex="0"');
  expect(String(body)).toContain('<th scope="col">A</th>');
});
