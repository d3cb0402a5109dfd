// The score model, version svc-score-1.0.0.
export { dayOfDate, dayOfInstant, instantOfDay, monthOfDay } from './calendar';
export { canonicalInput } from './canonical';
export * from './facts';
export { MODEL_VERSION, SCORE_MAX, SCORE_MIN } from './parameters';
export { calculateProfile, type History, type Profile, type Risk } from './profile';
export type { Reason } from './reasons';
export { calculateScore, type FactorPoints, type Score } from './score';
