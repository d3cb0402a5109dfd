import { type EntryKind, SearchEngine, type SearchEntry } from '../../browser/ranking';

const entry = (
  title: string,
  where = '',
  kind: EntryKind = 'section',
  text = '',
  also: string[] = [],
): SearchEntry => ({ url: `/docs/${title}`, title, where, kind, also, text });

const engine = new SearchEngine([
  entry('Idempotency', 'Reporting', 'section', 'A key for one change. '.repeat(20)),
  entry('Report an event', 'POST /accounts/{account_id}/events', 'operation', 'Appends an event'),
  entry('Report up to 500 events', 'POST /events/bulk', 'operation', 'all or none'),
  entry('Events', 'API reference', 'page', 'Dated facts about accounts'),
  entry('Search subjects', 'GET /subjects', 'operation', 'searchSubjects by name'),
  entry('PAST_DUE', 'Account status', 'value', 'A payment did not come.'),
  entry('Retrying', 'Errors', 'section', 'Repeat only what can be repeated.', ['backoff']),
  entry('EventService', 'gRPC', 'internal', 'events events events', ['events']),
]);

const titles = (query: string) => engine.find(query).map(({ title }) => title);

test('the very title comes first, internals last', () => {
  const found = titles('events');
  expect(found[0]).toBe('Events');
  expect(found.at(-1)).toBe('EventService');
  expect(found).toEqual(expect.arrayContaining(['Report up to 500 events', 'Report an event']));
});

test('every word has to occur, in any place and any case; when that fails, any will do', () => {
  expect(titles('BULK report')).toEqual(['Report up to 500 events']);
  expect(titles('bulk nowhere')).toEqual(['Report up to 500 events']);
  expect(titles('nowhere')).toEqual([]);
});

test('an operation is found by its path, its method and its id', () => {
  expect(titles('/subjects')[0]).toBe('Search subjects');
  expect(titles('get subjects')[0]).toBe('Search subjects');
  expect(titles('searchsubjects')[0]).toBe('Search subjects');
});

test('a value is found as it is written, by its parts, and by its beginning', () => {
  for (const query of ['PAST_DUE', 'past due', 'past_d']) expect(titles(query)[0]).toBe('PAST_DUE');
});

test('another name finds its place, and so does a word with a slip of the finger', () => {
  expect(titles('backoff')[0]).toBe('Retrying');
  expect(titles('idempotancy')[0]).toBe('Idempotency');
});

test('what is shown of a text is around the hit, and short', () => {
  const [found] = engine.find('change');
  expect(found?.excerpt).toContain('change');
  expect(found?.excerpt.length).toBeLessThan(120);
});

test('nothing is found for nothing, and never more than can be looked at', () => {
  expect(titles('  ')).toEqual([]);
  const many = new SearchEngine(Array.from({ length: 50 }, (_, at) => entry(`Event ${at}`)));
  expect(many.find('event')).toHaveLength(12);
});
