import type { Queryable } from '@credit/platform/db';
import { type Counter, metrics } from '@opentelemetry/api';
import type { RateLimits } from '../domain/rate-limits';
import { authorizeGroups, type CheckedGroup, type CheckGroup } from './authorization';

/** Where requests are counted. */
export interface RateStore {
  /** Authenticates and counts; the answer is in no particular order. */
  authorize(
    on: Queryable,
    groups: readonly CheckGroup[],
    limits: RateLimits,
    is_person_door_open: boolean,
  ): Promise<CheckedGroup[]>;
}

/** With the credentials, in the one statement that looks these up. */
export const DATABASE_RATE_STORE: RateStore = { authorize: authorizeGroups };

/** Shown from the start, and where there is nothing to stand in for: an alert sees no rise from nothing. */
export function openFallbackCounter(): Counter {
  const fallbacks = metrics.getMeter('@credit/identity').createCounter('rate_store.fallbacks', {
    description: 'Batches of credentials that the database counted because Valkey did not.',
  });
  fallbacks.add(0);
  return fallbacks;
}
