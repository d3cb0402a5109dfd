import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import { z } from 'zod';

/** The environment of the scoring service. */
export const scoringConfig = serviceConfig.extend(twoDatabases.shape).extend({
  REPORTING_ADDRESS: z.string().min(1),
  /** How long a change may be missing before reporting is asked for the whole subject. */
  SCORING_CATCH_UP_GRACE_MS: count(1_000),
});

/** The parsed environment of the scoring service. */
export type ScoringConfig = z.output<typeof scoringConfig>;
