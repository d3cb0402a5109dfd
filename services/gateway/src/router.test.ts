import { BASE_PATH, type Operation, operations } from '@credit/contract';
import fc from 'fast-check';
import { Router } from './router';

const declared = Object.values(operations) as unknown as Operation[];
const router = new Router(declared);
const ID = '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11';

test.each(declared.map((operation) => [operation.id, operation]))(
  '%s is found by its method and path',
  (_id, operation) => {
    const path = `${BASE_PATH}${operation.path.replace(/\{\w+\}/g, ID)}`;
    const match = router.find(operation.method, path);
    expect(match?.operation).toBe(operation);
    expect(Object.keys(match?.params ?? {})).toEqual(Object.keys(operation.params));
    for (const value of Object.values(match?.params ?? {})) expect(value).toBe(ID);
  },
);

test.each([
  ['HEAD', '/api/v1/accounts'],
  ['OPTIONS', '/api/v1/accounts'],
  ['PUT', '/api/v1/accounts'],
  ['get', '/api/v1/accounts'],
  ['DELETE', '/api/v1/accounts'],
  ['GET', '/api/v1/accounts/'],
  ['GET', '/api/v1//accounts'],
  ['GET', '/api/v1/Accounts'],
  ['GET', '/API/v1/accounts'],
  ['GET', '/api/v2/accounts'],
  ['GET', '/accounts'],
  ['GET', '/api/v1'],
  ['GET', '/api/v1/'],
  ['GET', `/api/v1/accounts/${ID}/`],
  ['GET', `/api/v1/accounts/${ID}/unknown`],
  ['GET', '/api/v1/accounts//events'],
  ['GET', '/api/v1/%zz'],
  ['GET', '/api/v1/accounts%2F1'],
  ['GET', '/'],
  ['GET', ''],
  ['GET', '*'],
])('%s %s is no route', (method, path) => {
  expect(router.find(method, path)).toBeUndefined();
});

test('percent-encoding is read, in names of the path and in parameters', () => {
  expect(router.find('GET', '/api/v1/%61ccounts')?.operation.id).toBe('listAccounts');
  expect(router.find('GET', '/api/v1/accounts/a%2Fb')?.params).toEqual({ account_id: 'a/b' });
});

test('broken percent-encoding in a parameter is told apart from an unknown route', () => {
  for (const segment of ['%', '%zz', '%ff', '%ed%a0%80']) {
    const match = router.find('GET', `/api/v1/accounts/${segment}`);
    expect(match).toMatchObject({ malformed: true, operation: { id: 'getAccount' } });
  }
});

test('a name of the path comes before a parameter, and gives way to it', () => {
  expect(router.find('POST', '/api/v1/accounts/bulk')?.operation.id).toBe('createAccounts');
  expect(router.find('GET', '/api/v1/accounts/bulk')?.operation.id).toBe('getAccount');
  expect(router.find('POST', '/api/v1/webhooks/deliveries/test')?.operation.id).toBe('testWebhook');
});

test('no path makes it fail', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'X'),
      fc.webUrl(),
      fc.string(),
      (method, url, tail) => {
        router.find(method, url);
        router.find(method, `/api/v1/${tail}`);
        router.find(method, `/api/v1/accounts/${tail}`);
      },
    ),
  );
});
