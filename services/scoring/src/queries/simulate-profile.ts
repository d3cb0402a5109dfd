import { type Model, type ModelFile, modelInput, type Score } from '../domain/model';
import type { SimulatedFile } from '../reporting-client';

export interface Simulation {
  readonly before: Score;
  readonly after: Score;
  /** Undefined unless both are rated. */
  readonly delta: number | undefined;
}

/** The score as it is, and as it would be; the inquiry that asked is in neither. */
export function simulateScore(
  { before, after }: SimulatedFile,
  exclude_inquiry_id: string,
  model: Model,
  as_of_day: number,
): Simulation {
  const scoreOf = ({ inquiries, ...file }: ModelFile): Score => {
    const others = inquiries.filter(({ inquiry_id }) => inquiry_id !== exclude_inquiry_id);
    return model.score(modelInput({ ...file, inquiries: others }, as_of_day));
  };
  const now = scoreOf(before);
  const then = scoreOf(after);
  const delta =
    now.score === undefined || then.score === undefined ? undefined : then.score - now.score;
  return { before: now, after: then, delta };
}
