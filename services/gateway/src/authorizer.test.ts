import {
  type AuthorizeBatchRequest,
  type AuthorizeBatchResponse,
  type AuthorizeCheck,
  type AuthorizeResult,
  CredentialState,
  LimitClass,
} from '@credit/proto/identity/v1/identity';
import { Authorizer } from './authorizer';

function check(operation: string): AuthorizeCheck {
  return {
    credential_hash: Buffer.alloc(0),
    is_api_key: false,
    client_address: '',
    limit_class: LimitClass.STANDARD,
    operation,
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
  const batches: { operations: string[]; answer(): void; fail(error: Error): void }[] = [];
  const authorizeBatch = (_ctx: unknown, request: AuthorizeBatchRequest) =>
    new Promise<AuthorizeBatchResponse>((resolve, reject) => {
      batches.push({
        operations: request.checks.map(({ operation }) => operation),
        answer: () => resolve({ results: request.checks.map(() => result) }),
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
  expect(batches.map(({ operations }) => operations)).toEqual([['a', 'b', 'c']]);
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
  expect(batches.map(({ operations }) => operations)).toEqual([['a'], ['b']]);
  batches[1]?.answer();
  await turn();
  expect(batches.map(({ operations }) => operations)).toEqual([['a'], ['b'], ['c', 'd']]);
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
  expect(batches.map(({ operations }) => operations)).toEqual([['before'], ['after']]);
  for (const batch of batches) batch.answer();
  await Promise.all([first, second]);
});

test('a batch has a bound', async () => {
  const { authorizer, batches } = manualIdentity();
  const answers = Array.from({ length: 1_200 }, (_, n) => authorizer.check(check(`${n}`)));
  await turn();
  await turn();
  expect(batches.map(({ operations }) => operations.length)).toEqual([500, 500]);
  batches[0]?.answer();
  await turn();
  expect(batches[2]?.operations).toHaveLength(200);
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
  expect(await allowed).toBe(result);
});

test('an answer that is too short lets nobody in', async () => {
  const authorizer = new Authorizer({ authorizeBatch: async () => ({ results: [] }) });
  await expect(authorizer.check(check('a'))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});
