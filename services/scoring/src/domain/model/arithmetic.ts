// Integer arithmetic that the factors share. Every division rounds down.

const { floor } = Math;

/** A table of [x, y], ascending in x; y is linear between its points and flat outside them. */
export type Curve = readonly (readonly [number, number])[];

export function onCurve(curve: Curve, x: number): number {
  let [left_x, left_y] = curve[0] ?? [0, 0];
  if (x <= left_x) return left_y;
  for (const [right_x, right_y] of curve) {
    if (x <= right_x) {
      if (x === right_x) return right_y;
      return floor((left_y * (right_x - x) + right_y * (x - left_x)) / (right_x - left_x));
    }
    left_x = right_x;
    left_y = right_y;
  }
  return left_y;
}

/** scale * part / whole, at most 1000. Nothing over nothing is 0, something over nothing 1000. */
export function cappedShare(scale: bigint, part: bigint, whole: bigint): number {
  if (part <= 0n) return 0;
  if (whole <= 0n) return 1000;
  const share = (scale * part) / whole;
  return share >= 1000n ? 1000 : Number(share);
}

export function pointsOf(max: number, per_mille: number): number {
  return floor((max * per_mille) / 1000);
}

/**
 * Shares out `total` in proportion to the weights so that the parts add up to it:
 * rounded down, and what is left goes to the largest remainders, earlier entries first.
 */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum <= 0 || total <= 0) return weights.map(() => 0);
  const parts = weights.map((weight) => floor((total * weight) / sum));
  let left = total - parts.reduce((all, part) => all + part, 0);
  const by_remainder = weights
    .map((weight, index) => ({ index, remainder: (total * weight) % sum }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index, remainder } of by_remainder) {
    if (left === 0 || remainder === 0) break;
    parts[index] = (parts[index] ?? 0) + 1;
    left -= 1;
  }
  return parts;
}
