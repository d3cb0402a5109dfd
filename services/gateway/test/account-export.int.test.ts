import { get, type IncomingMessage } from 'node:http';
import { ACCOUNT_COLUMNS, operations } from '@credit/contract';
import { notFound } from '@credit/platform/errors';
import { API_KEY, TestGateway } from './support/gateway';
import { until } from './support/until';

const PATH = '/api/v1/accounts.csv';
const gateway = new TestGateway();
beforeAll(async () => {
  await gateway.start();
  gateway.services.answer('listAccounts', () => ({ accounts: [] }));
  // The channels to the services are open.
  await until(async () => (await gateway.call({ path: '/api/v1/accounts' })).status === 200);
}, 60_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

type Message = Record<string, unknown>;

const example = operations.getAccount.examples.response as Message;
/** The account of the example as services say it. */
const account: Message = {
  ...Object.fromEntries(Object.entries(example).map(([name, value]) => [name, value ?? undefined])),
  original_principal_minor: 1_200_000n,
  current_balance_minor: 842_005n,
  metadata_json: '{"branch":"north, =1"}',
};

const pagesOf = (...pages: Message[][]) =>
  gateway.services.answer('listAccounts', (_ctx, { cursor }: { cursor?: string }) => {
    const at = Number(cursor ?? 0);
    return {
      accounts: pages[at] ?? [],
      next_cursor: at + 1 < pages.length ? String(at + 1) : undefined,
    };
  });

/** A request whose answer is read when the test wants it. */
function open(path = PATH): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get(
      {
        host: '127.0.0.1',
        port: gateway.port,
        path,
        agent: false,
        headers: { authorization: `Bearer ${API_KEY}` },
      },
      (response) => {
        response.pause();
        resolve(response);
      },
    );
    sent.on('error', reject);
  });
}

/** Pages without end, each of half a megabyte. */
function endless(): { calls: () => number } {
  const long = { ...account, external_account_id: 'x'.repeat(20_000) };
  const accounts = Array.from({ length: 25 }, () => long);
  let calls = 0;
  gateway.services.answer('listAccounts', () => {
    calls += 1;
    return { accounts, next_cursor: String(calls) };
  });
  return { calls: () => calls };
}

test('a file has all pages, a header, amounts as the API writes them, and no formula', async () => {
  pagesOf([account, { ...account, external_account_id: '=1+1' }], [], [account]);
  const reply = await gateway.call({ path: `${PATH}?status=CURRENT` });
  expect([reply.status, reply.text.slice(0, 200)]).toEqual([200, expect.stringMatching(/^id,/)]);
  expect(reply.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="accounts.csv"',
    'cache-control': 'no-store',
  });
  expect(reply.headers['x-next-updated-since']).toBeUndefined();
  const lines = reply.text.split('\r\n');
  expect(lines.length).toBe(5);
  expect(lines[0]).toBe(ACCOUNT_COLUMNS.join(','));
  expect(lines[1]).toContain(`,12000,8420.05,`);
  expect(lines[1]).toContain(`"{""branch"":""north,' =1""}"`);
  expect(lines[2]).toContain(",'=1+1,");
  expect([lines[3], lines[4]]).toEqual([lines[1], '']);
  const [first, second] = gateway.services.callsOf('listAccounts').map(({ request }) => request);
  expect(first).toMatchObject({ status: 'CURRENT', limit: 500 });
  expect(second).toMatchObject({ status: 'CURRENT', limit: 500, cursor: '1' });
});

test('the columns are the fields of an account', () => {
  const fields = Object.keys(example).filter((name) => name !== 'institution_id');
  expect([...ACCOUNT_COLUMNS].sort()).toEqual(fields.sort());
});

test('a walk through changes says where the next one begins', async () => {
  const next_updated_since = '2026-11-28T18:00:00.000Z';
  gateway.services.answer('listAccounts', () => ({ accounts: [], next_updated_since }));
  const reply = await gateway.call({ path: `${PATH}?updated_since=2026-11-28T17:00:00Z` });
  expect([reply.status, reply.headers['x-next-updated-since']]).toEqual([200, next_updated_since]);
  expect(reply.text).toBe(`${ACCOUNT_COLUMNS.join(',')}\r\n`);
});

test('what is wrong at the beginning is an error like any other', async () => {
  gateway.services.answer('listAccounts', () => {
    throw notFound('The account does not exist.');
  });
  const reply = await gateway.call({ path: PATH });
  expect([reply.status, reply.headers['content-type']]).toEqual([404, 'application/json']);
  expect((await gateway.call({ path: `${PATH}?status=LATE` })).status).toBe(422);
  // It has left its place: the limit is of those that are read.
  for (let number = 0; number < 3; number += 1) {
    expect((await gateway.call({ path: PATH })).status).toBe(404);
  }
});

test('what fails in the middle breaks the answer off', async () => {
  gateway.services.answer('listAccounts', (_ctx, { cursor }: { cursor?: string }) => {
    if (cursor !== undefined) throw new Error('gone');
    return { accounts: [account], next_cursor: '1' };
  });
  const response = await open();
  expect(response.statusCode).toBe(200);
  const ended = new Promise<string>((resolve) => {
    response.on('error', () => resolve('broken'));
    response.on('end', () => resolve('whole'));
  });
  response.resume();
  expect(await ended).toBe('broken');
  expect(response.complete).toBe(false);
});

test('pages are read no faster than the reader takes them, and none once it has gone', async () => {
  const { calls } = endless();
  const slow = await open();
  let before = -1;
  // It stands still when the buffers on the way are full.
  await until(async () => {
    before = calls();
    await new Promise((resolve) => setTimeout(resolve, 800));
    return before === calls();
  });
  expect(calls()).toBeLessThan(40);
  slow.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const after = calls();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(calls()).toBe(after);
}, 60_000);

test('an institution reads two at once, and another when one has ended', async () => {
  endless();
  const [one, two] = [await open(), await open()];
  const refused = await gateway.call({ path: PATH });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  expect(JSON.parse(refused.text).error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    reason: 'EXPORTS_AT_ONCE',
  });
  one.destroy();
  await until(async () => {
    const next = await open();
    next.destroy();
    return next.statusCode === 200;
  });
  two.destroy();
}, 60_000);
