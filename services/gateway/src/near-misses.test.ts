import { type Operation, operations } from '@credit/contract';
import { nearMisses } from './near-misses';

const declared = Object.values(operations) as unknown as Operation[];
const near = (method: string, path: string) => nearMisses(declared, method, path);

test.each([
  ['POST', '/api/v1/acounts', 'POST /api/v1/accounts'],
  ['GET', '/accounts', 'GET /api/v1/accounts'],
  ['GET', '/api/v1/Accounts/', 'GET /api/v1/accounts'],
  ['PUT', '/api/v1/accounts', 'POST /api/v1/accounts'],
  [
    'GET',
    '/api/v1/credits/0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
    'GET /api/v1/credit/{subject_id}',
  ],
])('%s %s may have meant %s', (method, path, meant) => {
  expect(near(method, path)).toContain(meant);
  expect(near(method, path).length).toBeLessThanOrEqual(3);
});

test('what resembles nothing, or is too long to be a slip, meant nothing', () => {
  expect(near('GET', '/api/v1/wp-admin/setup.php')).toEqual([]);
  expect(near('GET', `/api/v1/${'accounts/'.repeat(1_000)}`)).toEqual([]);
});
