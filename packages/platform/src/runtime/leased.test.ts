import { workLeased } from './leased';

const token = () => 'token';

test('what was taken is carried out under its token, and a full look means that there may be more', async () => {
  const done: string[] = [];
  const queue = (rows: string[]) => ({
    at_once: 2,
    claim: async (lease_token: string, at_once: number) => {
      expect([lease_token, at_once]).toEqual(['token', 2]);
      return rows;
    },
    carryOut: async (row: string, lease_token: string) => void done.push(`${row} ${lease_token}`),
  });
  expect(await workLeased(queue(['a', 'b']), token)).toBe(true);
  expect(await workLeased(queue(['c']), token)).toBe(false);
  expect(done).toEqual(['a token', 'b token', 'c token']);
});

test("one row's failure is told when the others are done", async () => {
  const done: string[] = [];
  const work = workLeased(
    {
      at_once: 2,
      claim: async () => ['broken', 'whole'],
      carryOut: async (row) => {
        if (row === 'broken') throw new Error('broken');
        await new Promise(setImmediate);
        done.push(row);
      },
    },
    token,
  );
  await expect(work).rejects.toThrow('broken');
  expect(done).toEqual(['whole']);
});
