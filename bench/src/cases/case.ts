import type { Contest } from '../interleave';

/** A named benchmark. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** The ratio that is wanted. */
  readonly target: number;
  /** Starts what the contest needs. */
  open(): Promise<{ contest: Contest; stop: () => Promise<void> }>;
}

export const CONNECTIONS = 32;
export const ACCOUNTS = 500;
