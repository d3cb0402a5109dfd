import type { Contest } from '../interleave';

/** A named benchmark. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** The ratio that is wanted. */
  readonly target: number;
  /** Starts what the contest needs. */
  open(): Promise<OpenCase>;
}

/** A contest that is ready to run. */
export interface OpenCase {
  readonly contest: Contest;
  /** What the started system has printed. */
  output(): string;
  stop(): Promise<void>;
}

export const CONNECTIONS = 32;
export const ACCOUNTS = 500;
