import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildPortal, type Portal } from '../src/portal';

const DOCS = path.resolve(__dirname, '../../../docs');
const openapi = JSON.parse(readFileSync(path.join(DOCS, 'openapi.json'), 'utf8'));

function pagesOf({ files, missing }: Portal): [string, string][] {
  const pages = [...files].filter(([, { type }]) => type === 'html');
  return [['nowhere', missing], ...pages.map(([url, { body }]): [string, string] => [url, body])];
}

test('whom to write to is on every page, and in the list for programs', () => {
  const portal = buildPortal(openapi, DOCS, 'help@network.example');
  const pages = pagesOf(portal);
  const silent = pages.filter(([, body]) => !body.includes('href="mailto:help@network.example"'));
  expect(silent.map(([url]) => url)).toEqual([]);
  expect(pages.length).toBeGreaterThan(30);
  expect(portal.files.get('/docs/llms.txt')?.body).toContain('help@network.example');
});

test('nobody is named when the operator names nobody', () => {
  const named = pagesOf(buildPortal(openapi, DOCS)).filter(([, body]) => body.includes('mailto:'));
  expect(named).toEqual([]);
});
