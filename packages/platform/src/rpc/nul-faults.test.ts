import { nulFaults } from './nul-faults';

const faultsOf = (request: unknown) =>
  nulFaults(request, Buffer.from('\0')).map(({ path }) => path);

test('texts with NUL are named by their fields, at any depth', () => {
  const request = { q: 'a\0', list: ['b', '\0'], inner: { items: [{ name: '\0' }] }, count: 0 };
  expect(faultsOf(request)).toEqual(['q', 'list[1]', 'inner.items[0].name']);
});

test('bytes may hold anything, and a request without a zero byte is not looked through', () => {
  expect(faultsOf({ content: Buffer.from('\0'), size: 0n, at: undefined })).toEqual([]);
  expect(nulFaults({ q: 'a' }, Buffer.from('a'))).toEqual([]);
});

test('a request with NUL everywhere is an error of bounded length', () => {
  expect(faultsOf({ items: Array(1_000).fill('\0') })).toHaveLength(10);
});
