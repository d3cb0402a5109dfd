import { ranked, type SearchEntry } from '../../browser/ranking';

const entry = (title: string, where = '', method = '', text = ''): SearchEntry => ({
  url: `/docs/${title}`,
  title,
  where,
  method,
  text,
});

const entries = [
  entry('Idempotency', 'Reporting'),
  entry('Report an event', 'POST /accounts/{account_id}/events', 'POST', 'Appends an event'),
  entry('Report up to 500 events', 'POST /events/bulk', 'POST', 'all or none'),
  entry('Events', 'API reference', '', 'Dated facts about accounts'),
  entry('Search subjects', 'GET /subjects', 'GET', 'searchSubjects by name'),
];

const titles = (query: string) => ranked(entries, query).map(({ title }) => title);

test('the best comes first: the very title, then words of the title, then the rest', () => {
  expect(titles('events')).toEqual(['Events', 'Report up to 500 events', 'Report an event']);
});

test('every word has to occur, in any place and any case', () => {
  expect(titles('BULK report')).toEqual(['Report up to 500 events']);
  expect(titles('bulk nowhere')).toEqual([]);
});

test('an operation is found by its path, its method and its id', () => {
  expect(titles('/subjects')[0]).toBe('Search subjects');
  expect(titles('get subjects')).toEqual(['Search subjects']);
  expect(titles('searchsubjects')).toEqual(['Search subjects']);
});

test('nothing is found for nothing, and never more than can be looked at', () => {
  expect(titles('  ')).toEqual([]);
  const many = Array.from({ length: 50 }, (_, at) => entry(`Event ${at}`));
  expect(ranked(many, 'event')).toHaveLength(12);
});
