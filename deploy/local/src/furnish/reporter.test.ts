import type { Row } from '@credit/furnishing';
import { inLanes } from './reporter';

const rowsOf = (fields: readonly Record<string, string>[]): Row[] =>
  fields.map((of, index) => ({ line: index + 1, fields: of }));
const linesOf = (lanes: readonly Row[][]) => lanes.map((lane) => lane.map(({ line }) => line));

test('rows are spread over lanes of one length', () => {
  const rows = rowsOf(Array.from({ length: 11 }, (_, n) => ({ external_account_id: `a-${n}` })));
  expect(linesOf(inLanes(rows, 3))).toEqual([
    [1, 4, 7, 10],
    [2, 5, 8, 11],
    [3, 6, 9],
  ]);
});

test('the rows of an account stay in one lane, in their order', () => {
  const rows = rowsOf(
    ['a', 'b', 'a', 'c', 'a', 'b', 'd'].map((credit_account_id) => ({ credit_account_id })),
  );
  expect(linesOf(inLanes(rows, 2))).toEqual([
    [1, 3, 5, 7],
    [2, 4, 6],
  ]);
});
