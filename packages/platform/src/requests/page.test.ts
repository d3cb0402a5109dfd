import { randomUUID } from 'node:crypto';
import { encodeCursor } from '../db';
import { idFromCursor, readPage } from './page';

const ids = Array.from({ length: 5 }, () => randomUUID());
const asked: number[] = [];
const read = async (limit: number) => {
  asked.push(limit);
  return ids.slice(0, limit);
};

test('a page has a cursor of its last item while another follows', async () => {
  const first = await readPage({ limit: 4 }, read, (last) => [last]);
  expect(first.items).toEqual(ids.slice(0, 4));
  expect(idFromCursor(first.next_cursor)).toBe(ids[3]);
  expect(await readPage({ limit: 5 }, read, (last) => [last])).toEqual({
    items: ids,
    next_cursor: undefined,
  });
  expect(asked).toEqual([5, 6]);
});

test('no limit is 25, or the listing’s own', async () => {
  asked.length = 0;
  await readPage({ limit: 0 }, read, (last) => [last]);
  await readPage({ limit: 0 }, read, (last) => [last], { fallback: 100, maximum: 100 });
  expect(asked).toEqual([26, 101]);
});

test.each([-1, 101])('the limit %i is refused', async (limit) => {
  await expect(readPage({ limit }, read, (last) => [last])).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'limit', message: 'must be between 1 and 100' }],
  });
});

test.each(['', 'x', encodeCursor(['x']), encodeCursor([randomUUID(), 'x'])])(
  'the cursor %j is refused',
  (cursor) => {
    expect(() => idFromCursor(cursor)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path: 'cursor' })] }),
    );
  },
);
