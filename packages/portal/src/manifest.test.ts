import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readManifest } from './manifest';
import { buildPortal } from './portal';

const DOCS = path.resolve(__dirname, '../../../docs');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'docs-'));
  for (const name of ['guides/a.md', 'guides/b.md', 'guides/c.md', 'grpc/guide.md']) write(name);
  write('grpc/reference/one.md');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text = '# Title\n'): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

function order(...sections: { title: string; pages: string[]; folder?: string }[]) {
  write('guides/index.json', JSON.stringify({ sections }));
  return readManifest(folder).map(({ title, pages }) => [title, ...pages.map(({ file }) => file)]);
}

test('listed files come first, the rest of the folder follows, nothing comes twice', () => {
  expect(
    order(
      { title: 'Start', pages: ['guides/b.md'] },
      { title: 'Guides', pages: ['guides/c.md'], folder: 'guides' },
      { title: 'Inside', pages: [], folder: 'grpc' },
      { title: 'Nothing yet', pages: [], folder: 'elsewhere' },
    ),
  ).toEqual([
    ['Start', 'guides/b.md'],
    ['Guides', 'guides/c.md', 'guides/a.md'],
    ['Inside', 'grpc/guide.md', 'grpc/reference/one.md'],
  ]);
});

test('a file that is listed and missing is named', () => {
  expect(() => order({ title: 'Start', pages: ['guides/gone.md'] })).toThrow(
    'lists guides/gone.md, which does not exist',
  );
});

test('a file that is listed twice is named', () => {
  const pages = ['guides/a.md'];
  expect(() => order({ title: 'One', pages }, { title: 'Two', pages })).toThrow(
    'guides/a.md twice',
  );
});

test('a link to a file that is not there is an error that names the document', () => {
  write('guides/a.md', '# A\n\n[data](missing.json)\n');
  order({ title: 'Start', pages: ['guides/a.md'] });
  const openapi = {
    info: { title: 'T', version: '1', description: '' },
    servers: [],
    tags: [],
    paths: {},
    webhooks: {},
    components: { schemas: {}, securitySchemes: {} },
  };
  expect(() => buildPortal(openapi, folder)).toThrow(
    'docs/guides/a.md: it links to missing.json, which does not exist',
  );
});

test("the repository's own guides are all there, each with an address of its own", () => {
  const urls = readManifest(DOCS).flatMap(({ pages }) => pages.map(({ url }) => url));
  expect(new Set(urls).size).toBe(urls.length);
  expect(urls).toEqual(expect.arrayContaining(['/docs/guides/quick-start', '/docs/glossary']));
});
