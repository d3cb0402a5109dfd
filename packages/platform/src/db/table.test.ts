import { batchStatement, column, columns, nullable, type RowOf } from './table';

const KEYS = columns({ subject_id: column('uuid'), id: column('uuid') });
const FACTS = columns({
  kind: column<'text', 'A' | 'B'>('text'),
  amount_minor: nullable(column('bigint')),
});
const ROWS = KEYS.with(FACTS);

test('lists, types and assignments come from the columns as they are declared', () => {
  expect(ROWS.names()).toBe('subject_id, id, kind, amount_minor');
  expect(ROWS.names('rows')).toBe('rows.subject_id, rows.id, rows.kind, rows.amount_minor');
  expect(ROWS.pick('id', 'kind').names()).toBe('id, kind');
  expect(ROWS.assignments('new', 'subject_id', 'id')).toBe(
    'kind = new.kind, amount_minor = new.amount_minor',
  );
  expect(ROWS.types).toEqual(['uuid', 'uuid', 'text', 'bigint']);
});

test('the parameters of a statement number themselves and follow its parts', () => {
  const wanted = batchStatement(
    'table_test_write',
    { now: 'timestamptz', rows: ROWS, ids: KEYS.pick('id') },
    (sql) =>
      `INSERT INTO rows SELECT *, ${sql.now} FROM unnest(${sql.rows}) WHERE id IN (${sql.ids})`,
  );
  expect(wanted.text).toBe(
    'INSERT INTO rows SELECT *, $1::timestamptz FROM unnest($2::uuid[], $3::uuid[], $4::text[], ' +
      '$5::bigint[]) WHERE id IN ($6::uuid[])',
  );
  const rows: RowOf<typeof ROWS>[] = [
    { subject_id: 's1', id: 'i1', kind: 'A', amount_minor: 5n },
    { id: 'i2', subject_id: 's2', kind: 'B', amount_minor: undefined },
  ];
  expect(wanted.values({ now: 'then', ids: [{ id: 'i3' }], rows })).toEqual([
    'then',
    ['s1', 's2'],
    ['i1', 'i2'],
    ['A', 'B'],
    expect.any(Buffer),
    ['i3'],
  ]);
});

test('a column without a value has an empty list, but for the first, which counts the rows', () => {
  const wanted = batchStatement(
    'table_test_absent',
    { facts: FACTS.pick('amount_minor', 'kind').with(KEYS) },
    (sql) => `SELECT * FROM unnest(${sql.facts})`,
  );
  const facts = ['s1', 's2'].map((subject_id) => ({ kind: 'A' as const, subject_id, id: 'i' }));
  expect(wanted.values({ facts })).toEqual([
    expect.any(Buffer),
    ['A', 'A'],
    ['s1', 's2'],
    ['i', 'i'],
  ]);
  const nameless = facts.map((fact) => ({ ...fact, amount_minor: 1n, id: undefined as never }));
  expect(wanted.values({ facts: nameless }).at(-1)).toBe('{}');
});
