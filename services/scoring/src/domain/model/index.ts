// The score model: every version that is offered, and which of them is in force.

import { dayOfDate } from './calendar';
import { canonicalInput as canonicalInputUnder } from './canonical';
import type { ModelInput } from './facts';
import { calculateProfile as calculateProfileUnder, type Profile } from './profile';
import type { Rules } from './rules';
import { calculateScore as calculateScoreUnder, type Score } from './score';
import { RULES_1_0_0 } from './v1-0-0';
import { RULES_1_1_0 } from './v1-1-0';

export { dayOfDate, dayOfInstant, instantOfDay, monthOfDay } from './calendar';
export * from './facts';
export { SCORE_MAX, SCORE_MIN } from './parameters';
export type { History, Profile, Risk } from './profile';
export type { Reason } from './reasons';
export type { FactorPoints, Score } from './score';
export { standingOf, untoldSpans } from './v1-1-0/episodes';

export interface Model {
  readonly version: string;
  /** The last day that it can be asked for; undefined while it is in force. */
  readonly offered_until_day: number | undefined;
  /** Of the input as `modelInput` makes it, like all three. */
  score(input: ModelInput): Score;
  profile(input: ModelInput): Profile;
  /** The text that the hash of the input is taken of. */
  canonicalInput(input: ModelInput): string;
}

function modelOf(rules: Rules, offered_until_day: number | undefined): Model {
  return {
    version: rules.version,
    offered_until_day,
    score: (input) => calculateScoreUnder(rules, input),
    profile: (input) => calculateProfileUnder(rules, input),
    canonicalInput: (input) => canonicalInputUnder(rules, input),
  };
}

/** In force: what snapshots are made with, and what is answered unless another is asked for. */
export const CURRENT_MODEL: Model = modelOf(RULES_1_1_0, undefined);

/** The newest first. A version that was replaced is offered for a year more. */
export const MODELS: readonly Model[] = [
  CURRENT_MODEL,
  modelOf(RULES_1_0_0, dayOfDate(2027, 11, 28)),
];

export const MODEL_VERSION = CURRENT_MODEL.version;

/** The version of that name, while it is offered. */
export function offeredModel(version: string, today: number): Model | undefined {
  return MODELS.find(
    (model) =>
      model.version === version &&
      (model.offered_until_day === undefined || today <= model.offered_until_day),
  );
}

export const calculateScore = CURRENT_MODEL.score;
export const calculateProfile = CURRENT_MODEL.profile;
export const canonicalInput = CURRENT_MODEL.canonicalInput;
