import type { Clock } from '@credit/platform/runtime';
import { calculateScore, dayOfInstant, type Score } from '../domain/model';
import type { SimulatedFile } from '../reporting-client';

export interface Simulation {
  readonly before: Score;
  readonly after: Score;
  /** Null unless both are rated. */
  readonly delta: number | null;
}

/** The score as it is, and as it would be; the inquiry that asked is in neither. */
export function simulateScore(
  { before, after }: SimulatedFile,
  exclude_inquiry_id: string,
  clock: Clock,
): Simulation {
  const as_of_day = dayOfInstant(clock.now_ms());
  const scoreOf = (file: SimulatedFile['before']): Score =>
    calculateScore({
      ...file,
      as_of_day,
      inquiries: file.inquiries.filter(({ inquiry_id }) => inquiry_id !== exclude_inquiry_id),
    });
  const now = scoreOf(before);
  const then = scoreOf(after);
  const delta = now.score === null || then.score === null ? null : then.score - now.score;
  return { before: now, after: then, delta };
}
