import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../whole-file';

/** What the demo must remember to change nothing when it is run again. */
export interface DemoState {
  /** The day that all dates are counted from, `YYYY-MM-DD`. */
  first_day: string;
  bank: { institution_id: string; secret: string };
  lender: { institution_id: string; secret: string };
  webhook: { id: string; secret: string; port: number };
  /** Scores read before the loan was made, by row. A second read would be another inquiry. */
  scores: Record<string, number | null>;
  /** Ids of events that the receiver has been sent. */
  received: string[];
}

const NAME = 'demo.json';

/** The state of an earlier run in this data folder. */
export function readState(data_directory: string): DemoState | undefined {
  const file = path.join(data_directory, NAME);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Keeps the state; it holds keys, so it is for its owner only. */
export function writeState(data_directory: string, state: DemoState): void {
  writeWhole(path.join(data_directory, NAME), JSON.stringify(state));
}
