import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Measure, Result } from './interleave';

/** A measured case as it is kept. */
export interface Measured extends Result {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly limit_name: string;
  /** What is compared; a rate where nothing is said. */
  readonly measure?: Measure;
  /** The ratio that is wanted, if one is: at least, or of what costs, at most. */
  readonly target?: number;
  readonly measured_on: string;
  readonly node: string;
  readonly cpus: number;
}

/** Where results are kept. */
export const JSON_FOLDER = path.resolve(__dirname, '../results');

/** All kept results. */
export function readResults(): Measured[] {
  if (!existsSync(JSON_FOLDER)) return [];
  return readdirSync(JSON_FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(JSON_FOLDER, name), 'utf8')));
}
