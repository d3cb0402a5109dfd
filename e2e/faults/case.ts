import type { Entry, Intent, Observed, WorldRecord } from './journal';

/** A request and what came of it. */
export interface Exchange {
  readonly id: number;
  readonly sent_ms: number;
  readonly got_ms: number;
  readonly key: string | undefined;
  readonly path: string;
  readonly intent: Intent;
  /** 0 when no answer came. */
  readonly status: number;
  readonly text: string;
}

/** A run, as it is judged. */
export interface Case {
  readonly entries: readonly Entry[];
  readonly seed: number;
  readonly exchanges: readonly Exchange[];
  /** Attempts of each operation. */
  readonly operations: ReadonlyMap<string, readonly Exchange[]>;
  readonly world: WorldRecord;
  readonly deliveries: readonly Extract<Entry, { t: 'delivery' }>[];
  readonly rest: Extract<Entry, { t: 'rest' }>;
  readonly observed: Observed;
}
