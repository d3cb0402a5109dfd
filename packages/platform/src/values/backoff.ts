/** How pauses grow between attempts at the same thing. */
export interface Backoff {
  readonly first_ms: number;
  readonly longest_ms: number;
  /** By how much each pause is longer than the one before; twice unless said. */
  readonly growth?: number;
}

/** Keeps the power a finite number: every pause has reached its longest by then. */
const MOST_STEPS = 64;

/** The pause after so many failures in a row, from 1. */
export function backoffMs({ first_ms, longest_ms, growth = 2 }: Backoff, failures: number): number {
  const steps = Math.min(Math.max(failures, 1) - 1, MOST_STEPS);
  return Math.min(longest_ms, first_ms * growth ** steps);
}

/**
 * The pause, up to a share of it shorter: what failed or began together does not come back
 * together. `random` is from 0 to 1.
 */
export function sooner(pause_ms: number, share: number, random = Math.random): number {
  return pause_ms * (1 - share * random());
}
