import { type Field, WARM_UP_S } from './interleave';

/** All cases together take no longer. */
export const ALL_CASES_S = 15 * 60;
/** Of what a case has left when it is open: the rest is for what is not slices, and for its end. */
const SLICES_SHARE = 0.55;
const LONGEST_SLICE_S = 5;
const SHORTEST_SLICE_S = 1;

/**
 * So long may the slices of a case be that has so much of its bound left; an error when they would be
 * too short to say anything.
 */
export function sliceThatFits(field: Field, rounds: number, left_s: number): number {
  const { runs, beside_s = 0 } = field;
  // The warm-up is a round as well.
  const slices_s = (left_s - beside_s * (rounds + 1)) * SLICES_SHARE;
  const slice_s = slices_s / runs.length / rounds - WARM_UP_S / rounds;
  if (slice_s < SHORTEST_SLICE_S) {
    throw new Error(`It was ready with ${left_s.toFixed(0)} s of its bound left: too few.`);
  }
  return Math.min(LONGEST_SLICE_S, slice_s);
}

/** The work's result, or an error when its bound is over first. */
export async function within<T>(bound_s: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It took longer than its ${bound_s.toFixed(0)} s.`)),
      bound_s * 1_000,
    );
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
