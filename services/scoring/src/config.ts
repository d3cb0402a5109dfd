import { count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import { z } from 'zod';

/** The environment of the scoring service. */
export const scoringConfig = serviceConfig.extend(twoDatabases.shape).extend({
  REPORTING_ADDRESS: z.string().min(1),
  /** How long a change may be missing before reporting is asked for the whole subject. */
  SCORING_CATCH_UP_GRACE_MS: count(1_000),
  /** Where documents are fetched from with a ticket, `host:port`; the gateway alone needs it. */
  HTTP_ADDRESS: z.string().regex(/^.+:\d+$/, 'must be host:port'),
  /** How long building one report may take before another process tries. */
  REPORT_LEASE_MS: count(60_000),
  /** How long writing the document may take of that. */
  REPORT_TIMEOUT_MS: count(15_000),
  /** How often reports are looked for that another process was asked for or left behind. */
  REPORT_POLL_MS: count(1_000),
  /** Profiles that are remembered until something changes them; 0 works each out anew. */
  SCORING_PROFILES_KEPT: z.coerce.number().int().min(0).default(5_000),
  /** Pause between two sweeps of what is over. */
  SCORING_SWEEP_MS: count(60_000),
});

/** The parsed environment of the scoring service. */
export type ScoringConfig = z.output<typeof scoringConfig>;
