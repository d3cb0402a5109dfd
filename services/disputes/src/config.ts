import { serviceConfig, twoDatabases } from '@credit/platform/runtime';
import type { z } from 'zod';

/** The environment of the disputes service. */
export const disputesConfig = serviceConfig.extend(twoDatabases.shape);

/** The parsed environment of the disputes service. */
export type DisputesConfig = z.output<typeof disputesConfig>;
