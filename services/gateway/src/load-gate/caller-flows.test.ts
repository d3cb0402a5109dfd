import { randomBytes } from 'node:crypto';
import { CallerFlows } from './caller-flows';

const KEY = randomBytes(32);
const OTHER_KEY = randomBytes(32);

test('keys of an institution stand in line together, wherever they come from', () => {
  const flows = new CallerFlows();
  flows.learn(KEY, 'lender');
  flows.learn(OTHER_KEY, 'lender');
  expect(flows.of(KEY, '192.0.2.1')).toBe('lender');
  expect(flows.of(OTHER_KEY, '192.0.2.2')).toBe('lender');
});

test('what is known to nobody stands with its address, however many are made up', () => {
  const flows = new CallerFlows();
  const made_up = Array.from({ length: 1_000 }, () => flows.of(randomBytes(32), '192.0.2.1'));
  expect(new Set(made_up)).toEqual(new Set([flows.of(undefined, '192.0.2.1')]));
});

test('addresses are few groups, so that having many of them helps little', () => {
  const flows = new CallerFlows();
  const groups = Array.from({ length: 1_000 }, (_, at) => flows.of(undefined, `2001:db8::${at}`));
  expect(new Set(groups).size).toBe(8);
});

test('a credential that is not good any more is nobody’s', () => {
  const flows = new CallerFlows();
  flows.learn(KEY, 'lender');
  flows.learn(KEY, undefined);
  expect(flows.of(KEY, '192.0.2.1')).toBe(flows.of(undefined, '192.0.2.1'));
});

test('remembers so many, and of these those that come', () => {
  const flows = new CallerFlows();
  flows.learn(KEY, 'lender');
  flows.learn(OTHER_KEY, 'bank');
  for (let i = 0; i < 25_000; i += 1) {
    flows.learn(randomBytes(32), 'many');
    flows.of(KEY, '');
  }
  expect(flows.of(KEY, '')).toBe('lender');
  expect(flows.of(OTHER_KEY, '')).not.toBe('bank');
});
