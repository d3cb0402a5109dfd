import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALL_CASES_S } from '../budget';
import { CASES } from '.';
import { script as bulkEvents } from './bulk-events';
import { script as profileRead } from './profile-read';
import { comparisons } from './rivals';
import { script as singleEvent } from './single-event';

// A statement that gained a parameter is noticed here, not at the next measurement.
test.each([
  ['bulk-events', bulkEvents],
  ['profile-read', profileRead],
  ['single-event', singleEvent],
])('the script of %s gives every parameter of its statements a value', (_name, script) => {
  expect(script()).not.toMatch(/\$\d/);
});

it('explains each case in README.md', () => {
  const page = readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8');
  const explained = page.split('\n').flatMap((line) => /^\| `([a-z-]+)`/.exec(line)?.[1] ?? []);
  expect(explained.toSorted()).toEqual([...CASES.keys()].toSorted());
});

it('lets all cases together take a quarter of an hour', () => {
  const sum_s = [...CASES.values()].reduce((sum, { bound_s }) => sum + bound_s, 0);
  expect(sum_s).toBeLessThanOrEqual(ALL_CASES_S);
});

it('compares each rival with the network, by what each took for the same request', () => {
  const all = comparisons(4);
  const places = all
    .filter(({ measure }) => measure === 'rate')
    .map(({ name, system, limit, target }) => [name, system, limit, target]);
  expect(places).toEqual([
    ['rivals-event-monolith', 0, 1, 2],
    ['rivals-event-moleculer', 0, 2, 3],
    ['rivals-event-nest', 0, 3, 5],
    ['rivals-profile-monolith', 4, 5, 2],
    ['rivals-profile-moleculer', 4, 6, 3],
    ['rivals-profile-nest', 4, 7, 5],
  ]);
  expect(all.filter(({ measure }) => measure === 'processor')).toHaveLength(6);
  expect(all.filter(({ measure }) => measure === 'p99')).toHaveLength(6);
});
