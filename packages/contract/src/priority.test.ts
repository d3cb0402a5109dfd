import type { Operation } from './operation';
import { type OperationId, operations } from './operations';
import { PRIORITIES, type Priority, priorityOf } from './priority';

const declared = Object.values(operations) as unknown as Operation[];

test.each<[OperationId, Priority]>([
  ['login', 'door'],
  ['refresh', 'door'],
  ['createAccount', 'keyed_write'],
  ['reportEvents', 'keyed_write'],
  ['getCreditProfile', 'decision'],
  ['moveDispute', 'decision'],
  ['revokeApiKey', 'decision'],
  ['openDispute', 'decision'],
  ['getAccount', 'read'],
  ['previewEvent', 'read'],
  ['simulateCredit', 'read'],
  ['getStatus', 'read'],
  ['listAccounts', 'list'],
  ['exportAccounts', 'list'],
  ['getReportDocument', 'list'],
  ['getNetworkStats', 'open'],
])('%s is worth a %s', (id, priority) => {
  expect(priorityOf(operations[id] as unknown as Operation)).toBe(priority);
});

test('every write with a key is dearer than every read', () => {
  const rank = (operation: Operation) => PRIORITIES.indexOf(priorityOf(operation));
  const keyed = declared.filter(({ idempotent }) => idempotent === true).map(rank);
  const reads = declared.filter(({ method }) => method === 'GET').map(rank);
  expect(keyed.length).toBeGreaterThan(5);
  expect(Math.max(...keyed)).toBeLessThan(Math.min(...reads));
});
