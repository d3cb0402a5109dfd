import { invalid } from '@credit/platform/errors';
import { CURRENT_MODEL, MODELS, type Model, offeredModel } from '../domain/model';

/** The model that was asked for; the one in force for undefined. */
export function modelFor(version: string | undefined, today: number): Model {
  if (version === undefined) return CURRENT_MODEL;
  const model = offeredModel(version, today);
  if (model !== undefined) return model;
  const offered = MODELS.filter((one) => offeredModel(one.version, today) !== undefined);
  throw invalid(
    'model_version',
    `is not offered; there is ${offered.map((one) => one.version).join(', ')}`,
  );
}
