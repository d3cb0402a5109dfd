import { apportion, pointsOf } from './arithmetic';
import { COMBINED_ITEMS, FACTOR_MAX } from './parameters';
import type { AdverseItem, DerogatoryCode } from './rules';

export interface DerogatoryResult {
  readonly points: number;
  readonly lost: ReadonlyMap<DerogatoryCode, number>;
}

/** The worst item counts in full, each further one half as much as the one before it. */
export function derogatory(items: readonly AdverseItem[]): DerogatoryResult {
  if (items.length === 0) return { points: FACTOR_MAX.DEROGATORY, lost: new Map() };
  const worst = [...items]
    .sort((a, b) => b.penalty - a.penalty || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0))
    .slice(0, COMBINED_ITEMS);
  const by_code = new Map<DerogatoryCode, number>();
  let combined = 0;
  worst.forEach(({ code, penalty }, index) => {
    const share = penalty << (COMBINED_ITEMS - index);
    combined += share;
    by_code.set(code, (by_code.get(code) ?? 0) + share);
  });
  const penalty = Math.min(1000, combined >> COMBINED_ITEMS);
  const points = pointsOf(FACTOR_MAX.DEROGATORY, 1000 - penalty);
  const codes = [...by_code.keys()].sort();
  const parts = apportion(
    FACTOR_MAX.DEROGATORY - points,
    codes.map((code) => by_code.get(code) ?? 0),
  );
  return { points, lost: new Map(codes.map((code, index) => [code, parts[index] ?? 0])) };
}
