import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { SearchEngine, type SearchEntry } from '../browser/ranking';
import { buildPortal } from '../src/portal';
import { SYNONYMS } from '../src/synonyms';

const DOCS = path.resolve(__dirname, '../../../docs');
const LARGEST_PACKED_BYTES = 200 * 1_024;

const openapi = JSON.parse(readFileSync(path.join(DOCS, 'openapi.json'), 'utf8'));
const { files } = buildPortal(openapi, DOCS);
const text = files.get('/docs/search.json')?.body ?? '[]';
const entries: SearchEntry[] = JSON.parse(text);
const engine = new SearchEngine(entries);

test.each([
  ['rate limit', '/docs/guides/limits'],
  ['403', '/docs/errors#INSUFFICIENT_SCOPE'],
  ['default_severity', '/docs/reference/schemas#field-NewEvent.default_severity'],
  ['PH01', '/docs/guides/profiles#reasons'],
  ['PAST_DUE', '/docs/reference/values#account-status-PAST_DUE'],
  ['balance_after', '/docs/reference/schemas#field-NewEvent.balance_after'],
  ['TERM_LOAN', '/docs/reference/values#account-type-TERM_LOAN'],
  ['timeout', '/docs/guides/limits#time'],
  ['sandbox', '/docs/guides/sandbox'],
  ['sdk', '/docs/guides/clients'],
  ['postman', '/docs/guides/clients#postman-and-bruno'],
  ['changelog', '/docs/changelog'],
  ['freeze', '/docs/guides/subjects#freezing-a-file'],
  ['webhook', '/docs/guides/webhooks'],
  ['error 409', '/docs/errors#INVALID_STATE_TRANSITION'],
  ['svc_test', '/docs/guides/sandbox#test-keys'],
  ['python', '/docs/guides/clients#python'],
  ['retry', '/docs/guides/errors#retrying'],
  ['DUPLICATE_SUBJECT', '/docs/errors#DUPLICATE_SUBJECT'],
  ['createSubject', '/docs/reference/subjects#createSubject'],
  ['/accounts/bulk', '/docs/reference/accounts#createAccounts'],
  ['thin file', '/docs/glossary#thin-file'],
  ['credit:read', '/docs/reference/values#scope-of-an-api-key-credit:read'],
])('“%s” finds its page first', (query, url) => {
  expect(engine.find(query).map((found) => found.url)[0]).toBe(url);
});

test('every other name leads to a place, and finds it first', () => {
  const urls = new Set(entries.map(({ url }) => url));
  const missed = Object.entries(SYNONYMS).flatMap(([url, names]) =>
    names.filter((name) => !urls.has(url) || engine.find(name)[0]?.url !== url),
  );
  expect(missed).toEqual([]);
});

test('the services behind the API come after everything else', () => {
  for (const query of ['account', 'ReportEvent', 'idempotency', 'inquiry']) {
    const kinds = engine.find(query).map(({ kind }) => kind);
    const first = kinds.indexOf('internal');
    if (first >= 0) expect(new Set(kinds.slice(first))).toEqual(new Set(['internal']));
  }
  expect(engine.find('reflection')[0]?.url).toContain('/docs/grpc/');
});

test('the text of guides, fields, values and glossary is in it, at a size that a phone can take', () => {
  for (const query of ['canonical JSON', 'fifth shorter', 'trade line']) {
    expect({ query, found: engine.find(query).length > 0 }).toEqual({ query, found: true });
  }
  expect(gzipSync(text).length).toBeLessThan(LARGEST_PACKED_BYTES);
});
