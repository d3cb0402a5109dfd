// How well a score tells good from bad. Higher scores should be better.

export interface Outcome {
  readonly score: number;
  readonly bad: boolean;
}

/** Scores in ascending order with the goods and bads that have them. */
function tally(outcomes: readonly Outcome[]): { goods: number; bads: number }[] {
  const by_score = new Map<number, { goods: number; bads: number }>();
  for (const { score, bad } of outcomes) {
    const counts = by_score.get(score) ?? { goods: 0, bads: 0 };
    if (bad) counts.bads += 1;
    else counts.goods += 1;
    by_score.set(score, counts);
  }
  return [...by_score].sort(([a], [b]) => a - b).map(([, counts]) => counts);
}

/**
 * The chance that a good picked at random scores higher than a bad one, ties counting half: the
 * area under the ROC curve. Null when there are no goods or no bads to compare.
 */
export function auc(outcomes: readonly Outcome[]): number | null {
  let goods = 0;
  let bads = 0;
  let doubled_wins = 0;
  for (const counts of tally(outcomes)) {
    doubled_wins += counts.goods * (2 * bads + counts.bads);
    goods += counts.goods;
    bads += counts.bads;
  }
  return goods === 0 || bads === 0 ? null : doubled_wins / (2 * goods * bads);
}

/** The widest gap between the shares of bads and of goods at or under one score (Kolmogorov-Smirnov). */
export function ks(outcomes: readonly Outcome[]): number | null {
  const counts = tally(outcomes);
  const goods = counts.reduce((sum, one) => sum + one.goods, 0);
  const bads = counts.reduce((sum, one) => sum + one.bads, 0);
  if (goods === 0 || bads === 0) return null;
  let goods_so_far = 0;
  let bads_so_far = 0;
  let widest = 0;
  for (const one of counts) {
    goods_so_far += one.goods;
    bads_so_far += one.bads;
    widest = Math.max(widest, bads_so_far / bads - goods_so_far / goods);
  }
  return widest;
}

export interface GroupRate {
  readonly group: string;
  readonly count: number;
  readonly bads: number;
  /** Null for an empty group. */
  readonly bad_rate: number | null;
}

/** Bad rate of each group, in the order the groups are named. */
export function badRates<Item extends { readonly bad: boolean }>(
  outcomes: readonly Item[],
  groups: readonly string[],
  groupOf: (outcome: Item) => string,
): GroupRate[] {
  return groups.map((group) => {
    const members = outcomes.filter((outcome) => groupOf(outcome) === group);
    const bads = members.filter(({ bad }) => bad).length;
    return {
      group,
      count: members.length,
      bads,
      bad_rate: members.length === 0 ? null : bads / members.length,
    };
  });
}
