import fc from 'fast-check';
import { auc, badRates, ks, type Outcome } from '../../research/statistics';

const good = (score: number): Outcome => ({ score, bad: false });
const bad = (score: number): Outcome => ({ score, bad: true });

describe('auc', () => {
  test('is 1 when every good is above every bad, 0 the other way round, a half for ties', () => {
    expect(auc([good(700), good(701), bad(500)])).toBe(1);
    expect(auc([good(500), bad(700), bad(701)])).toBe(0);
    expect(auc([good(600), bad(600)])).toBe(0.5);
  });

  test('is null when there is nothing to compare', () => {
    expect(auc([])).toBeNull();
    expect(auc([good(1), good(2)])).toBeNull();
    expect(auc([bad(1)])).toBeNull();
  });

  test('is the share of pairs that are in order, ties counting half', () => {
    const outcome = fc.record({ score: fc.integer({ min: 0, max: 9 }), bad: fc.boolean() });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 40 }), (outcomes) => {
        const goods = outcomes.filter((one) => !one.bad);
        const bads = outcomes.filter((one) => one.bad);
        let wins = 0;
        for (const a of goods) {
          for (const b of bads) wins += a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0;
        }
        const pairs = goods.length * bads.length;
        expect(auc(outcomes)).toBe(pairs === 0 ? null : wins / pairs);
      }),
    );
  });
});

describe('ks', () => {
  test('is the widest gap between bads and goods up to a score', () => {
    expect(ks([bad(1), bad(2), good(3), good(4)])).toBe(1);
    expect(ks([bad(1), good(2), bad(3), good(4)])).toBe(0.5);
    expect(ks([good(1), bad(1)])).toBe(0);
    expect(ks([good(1)])).toBeNull();
  });
});

test('bad rates keep the order of the groups and leave empty ones without a rate', () => {
  const outcomes = [
    { grade: 'A', bad: false },
    { grade: 'A', bad: true },
    { grade: 'C', bad: true },
  ];
  expect(badRates(outcomes, ['A', 'B', 'C'], ({ grade }) => grade)).toEqual([
    { group: 'A', count: 2, bads: 1, bad_rate: 0.5 },
    { group: 'B', count: 0, bads: 0, bad_rate: null },
    { group: 'C', count: 1, bads: 1, bad_rate: 1 },
  ]);
});
