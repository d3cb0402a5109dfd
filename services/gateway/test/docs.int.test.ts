import { buildOpenApi, operations } from '@credit/contract';
import { TestGateway } from './support/gateway';

const gateway = new TestGateway();
// The pages are rendered when one is first asked for.
beforeAll(async () => {
  await gateway.start();
  await get('/docs');
}, 60_000);
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  gateway.call({ as: null, path, headers });

const openapi = buildOpenApi() as {
  tags: { name: string }[];
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, unknown> };
};

/** All pages that can be reached from the first one, by path. */
async function pages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const open = ['/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const { status, text } = await get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    found.set(path, text);
    for (const [, target = ''] of text.matchAll(/href="(\/docs[^"#?]*)/g)) {
      if (!/\.[a-z]+$/.test(target) && !found.has(target)) open.push(target);
    }
  }
  return found;
}

test('every operation, event and schema is in the reference, and every guide in the navigation', async () => {
  const all = [...(await pages())];
  const everything = all.map(([, text]) => text).join('\n');
  for (const { id } of Object.values(operations)) {
    expect(everything.split(`<article id="${id}"`)).toHaveLength(2);
  }
  for (const name of Object.keys(openapi.webhooks)) expect(everything).toContain(`<code>${name}`);
  for (const name of Object.keys(openapi.components.schemas)) {
    expect(everything).toContain(`<section id="schema-${name}"`);
  }
  const paths = all.map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '/docs/guides/quick-start',
      '/docs/guides/authentication',
      '/docs/guides/going-live',
      '/docs/guides/reporting',
      '/docs/guides/webhooks',
      '/docs/guides/errors',
      '/docs/guides/versioning',
      '/docs/glossary',
      '/docs/reference/webhook-events',
      '/docs/reference/schemas',
    ]),
  );
});

test('an operation says who may call it, what it counts against, and how it can fail', async () => {
  const { text } = await get('/docs/reference/events');
  const [, article = ''] = /<article id="reportEvent"([\s\S]*?)<\/article>/.exec(text) ?? [];
  expect(article).toContain('<code>events:write</code>');
  expect(article).toContain('minute and day limits');
  expect(article).toContain('Idempotency-Key');
  for (const status of [400, 401, 403, 404, 409, 413, 422, 429, 500]) {
    expect(article).toContain(`<th scope="row">${status}</th>`);
  }
  for (const field of ['event_type', 'occurred_at', 'balance_after', 'supersedes_event_id']) {
    expect(article.replaceAll('<wbr>', '')).toContain(`<code>${field}</code>`);
  }
});

test('pages run nothing inline, and load nothing from elsewhere', async () => {
  for (const [path, text] of await pages()) {
    const inline =
      /<script(?![^>]* src=)|<style|\son\w+=|style="|(?:src|<link[^>]*href)="(?:https?:)?\/\//;
    expect({ path, found: inline.exec(text)?.[0] }).toEqual({ path, found: undefined });
  }
  const { headers } = await get('/docs');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('every anchor that a page links to is there, once', async () => {
  const all = await pages();
  const ids = new Map(
    [...all].map(([path, text]) => [
      path,
      [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id),
    ]),
  );
  for (const [path, found] of ids) {
    expect({ path, twice: found.filter((id, at) => found.indexOf(id) !== at) }).toEqual({
      path,
      twice: [],
    });
  }
  for (const [path, text] of all) {
    for (const [, target = '', anchor] of text.matchAll(/href="([^"#]*)#([^"]+)"/g)) {
      expect({ path, anchor, known: ids.get(target || path)?.includes(anchor) }).toEqual({
        path,
        anchor,
        known: true,
      });
    }
  }
});

test.each([
  ['/docs/static/docs.css', 'text/css; charset=utf-8'],
  ['/docs/static/main.js', 'text/javascript; charset=utf-8'],
  ['/static/icon.svg', 'image/svg+xml'],
  ['/docs/search.json', 'application/json; charset=utf-8'],
  ['/docs/guides/webhook-vectors.json', 'application/json; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/', 'text/html; charset=utf-8'],
  ['/favicon.ico', 'image/svg+xml'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/docs/llms.txt', 'text/plain; charset=utf-8'],
  ['/docs/guides/webhooks.md', 'text/plain; charset=utf-8'],
  ['/docs/reference/accounts.md', 'text/plain; charset=utf-8'],
  ['/docs/errors.md', 'text/plain; charset=utf-8'],
  ['/docs/credit-network.postman_collection.json', 'application/json; charset=utf-8'],
])('%s is %s', async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers['content-type']]).toEqual([200, type]);
});

test('a page is packed for who can unpack it, and not sent again while it stays the same', async () => {
  const plain = await get('/docs');
  expect(plain.headers['content-encoding']).toBeUndefined();
  // Asks for it packed and unpacks it.
  const packed = await fetch(`http://127.0.0.1:${gateway.port}/docs`);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(await packed.text()).toBe(plain.text);
  const again = await get('/docs', { 'If-None-Match': String(plain.headers.etag) });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('every page is there as markdown too, and the list for programs names each', async () => {
  const list = (await get('/docs/llms.txt')).text;
  const all = await pages();
  for (const path of all.keys()) {
    if (path === '/docs') continue;
    const { status, text } = await get(`${path}.md`);
    expect({ path, status, listed: list.includes(`(${path}.md)`) }).toEqual({
      path,
      status: 200,
      listed: true,
    });
    expect(text).toMatch(/^(<!--[^>]*-->\s*)?# /);
  }
  const accounts = (await get('/docs/reference/accounts.md')).text;
  for (const part of [
    'POST /api/v1/accounts',
    '`original_principal`',
    'EXTERNAL_ID_TAKEN',
    'curl',
  ]) {
    expect(accounts).toContain(part);
  }
});

test('a person who goes astray gets a page, a program an error', async () => {
  const page = await get('/docs/nowhere', { Accept: 'text/html' });
  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.text).toContain('href="/docs"');
  expect(JSON.parse((await get('/docs/nowhere')).text)).toMatchObject({
    error: { code: 'NOT_FOUND' },
  });
});
