import type { BenchCase } from './case';
import { profileRead } from './profile-read';
import { singleEvent } from './single-event';

/** All cases by name. */
export const CASES: ReadonlyMap<string, BenchCase> = new Map(
  [profileRead, singleEvent].map((benchCase) => [benchCase.name, benchCase]),
);
