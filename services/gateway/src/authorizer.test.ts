import {
  type AuthorizeBatchRequest,
  type AuthorizeBatchResponse,
  type AuthorizeCheck,
  type AuthorizeResult,
  CredentialState,
  LimitClass,
} from '@credit/proto/identity/v1/identity';
import { Authorizer, type Check } from './authorizer';

function check(client_address: string, change: Partial<Check> = {}): Check {
  return {
    credential_hash: Buffer.alloc(0),
    is_api_key: false,
    is_person: false,
    client_address,
    limit_class: LimitClass.STANDARD,
    operation: 'getCaller',
    ...change,
  };
}

const result: AuthorizeResult = {
  state: CredentialState.ABSENT,
  principal: undefined,
  address_allowed: true,
  rate: undefined,
};

/** An identity that answers when it is told to. */
function manualIdentity() {
  const batches: {
    checks: AuthorizeCheck[];
    addresses: string[];
    answer(found?: Partial<AuthorizeResult>): void;
    fail(error: Error): void;
  }[] = [];
  const authorizeBatch = (_ctx: unknown, request: AuthorizeBatchRequest) =>
    new Promise<AuthorizeBatchResponse>((resolve, reject) => {
      batches.push({
        checks: request.checks,
        addresses: request.checks.map(({ client_address }) => client_address),
        answer: (found) =>
          resolve({ results: request.checks.map(() => ({ ...result, ...found })) }),
        fail: reject,
      });
    });
  return { batches, authorizer: new Authorizer({ authorizeBatch }) };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('the credentials of one turn travel together', async () => {
  const { authorizer, batches } = manualIdentity();
  const answers = Promise.all(['a', 'b', 'c'].map((name) => authorizer.check(check(name))));
  expect(batches).toHaveLength(0);
  await turn();
  expect(batches.map(({ addresses }) => addresses)).toEqual([['a', 'b', 'c']]);
  batches[0]?.answer();
  expect(await answers).toEqual([result, result, result]);
});

test('at most two batches are in flight, what comes meanwhile waits for the next', async () => {
  const { authorizer, batches } = manualIdentity();
  const answers: Promise<unknown>[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    answers.push(authorizer.check(check(name)));
    await turn();
  }
  expect(batches.map(({ addresses }) => addresses)).toEqual([['a'], ['b']]);
  batches[1]?.answer();
  await turn();
  expect(batches.map(({ addresses }) => addresses)).toEqual([['a'], ['b'], ['c', 'd']]);
  batches[0]?.answer();
  batches[2]?.answer();
  await Promise.all(answers);
});

test('a batch holds only what arrived before it began', async () => {
  const { authorizer, batches } = manualIdentity();
  const first = authorizer.check(check('before'));
  await turn();
  const second = authorizer.check(check('after'));
  await turn();
  expect(batches.map(({ addresses }) => addresses)).toEqual([['before'], ['after']]);
  for (const batch of batches) batch.answer();
  await Promise.all([first, second]);
});

test('a batch has a bound', async () => {
  const { authorizer, batches } = manualIdentity();
  const answers = Array.from({ length: 1_200 }, (_, n) => authorizer.check(check(`${n}`)));
  await turn();
  await turn();
  expect(batches.map(({ addresses }) => addresses.length)).toEqual([500, 500]);
  batches[0]?.answer();
  await turn();
  expect(batches[2]?.addresses).toHaveLength(200);
  batches[1]?.answer();
  batches[2]?.answer();
  await Promise.all(answers);
});

test('when identity cannot answer nobody is let in, and the next batch is asked again', async () => {
  const { authorizer, batches } = manualIdentity();
  const refused = authorizer.check(check('a'));
  await turn();
  batches[0]?.fail(new Error('gone'));
  await expect(refused).rejects.toMatchObject({ code: 'INTERNAL_ERROR', retry_after_s: 1 });
  const allowed = authorizer.check(check('b'));
  await turn();
  batches[1]?.answer();
  expect(await allowed).toEqual(result);
});

test('an answer that is too short lets nobody in', async () => {
  const authorizer = new Authorizer({ authorizeBatch: async () => ({ results: [] }) });
  await expect(authorizer.check(check('a'))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});

describe('equal checks of one turn', () => {
  const rate = { limit: 10, remaining: 5, reset_s: 60n, exceeded: false };
  const key = { credential_hash: Buffer.alloc(32, 7), is_api_key: true };

  test('are one question, and each gets a place of its own in the limit', async () => {
    const { authorizer, batches } = manualIdentity();
    const answers = ['createAccount', 'listAccounts', 'listAccounts', 'getAccount'].map(
      (operation) => authorizer.check(check('192.0.2.1', { ...key, operation })),
    );
    await turn();
    expect(batches.map(({ checks }) => checks)).toEqual([
      [{ ...check('192.0.2.1', key), operation: 'createAccount', count: 4 }],
    ]);
    batches[0]?.answer({ rate: { ...rate, remaining: 2 }, granted: 3 });
    expect((await Promise.all(answers)).map((answer) => answer.rate)).toEqual([
      { ...rate, remaining: 2 },
      { ...rate, remaining: 1 },
      { ...rate, remaining: 0 },
      { ...rate, remaining: 0, exceeded: true },
    ]);
  });

  test('are those of one credential from one address, and one public write', async () => {
    const { authorizer, batches } = manualIdentity();
    const write = (operation: string) =>
      check('192.0.2.1', { operation, limit_class: LimitClass.PUBLIC_WRITE });
    const answers = Promise.all(
      [
        check('192.0.2.1', key),
        check('192.0.2.2', key),
        check('192.0.2.1', { ...key, credential_hash: Buffer.alloc(32, 8) }),
        check('192.0.2.1', { ...key, is_api_key: false }),
        check('192.0.2.1'),
        write('openDispute'),
        write('submitContactRequest'),
        write('openDispute'),
      ].map((one) => authorizer.check(one)),
    );
    await turn();
    expect(batches[0]?.checks.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 2, 1]);
    batches[0]?.answer();
    await answers;
  });

  test('are all let in where identity counts one at a time only, as before an upgrade', async () => {
    const { authorizer, batches } = manualIdentity();
    const answers = Promise.all([1, 2].map(() => authorizer.check(check('192.0.2.1', key))));
    await turn();
    batches[0]?.answer({ rate });
    expect((await answers).map((answer) => answer.rate)).toEqual([rate, rate]);
  });
});
