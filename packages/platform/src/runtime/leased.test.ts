import { giveBack, workLeased } from './leased';

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

test('a lease that is of no use is given back as soon as the store is there again', async () => {
  const delays: unknown[] = [];
  let tries = 0;
  await new Promise<void>((resolve) => {
    void giveBack({
      lease_ms: 60_000,
      release: async () => {
        tries += 1;
        if (tries < 2) throw new Error('away');
        resolve();
      },
      onDelay: (failure) => void delays.push(failure),
    }).then(() => expect(tries).toBe(1));
  });
  expect(tries).toBe(2);
  expect(delays).toEqual([new Error('away')]);
});
