import type { BenchCase } from './case';
import { profileRead } from './profile-read';
import { singleEvent } from './single-event';
import { webhookDeliveries } from './webhook-deliveries';
import { webhookLatency } from './webhook-latency';

/** All cases by name. */
export const CASES: ReadonlyMap<string, BenchCase> = new Map(
  [profileRead, singleEvent, webhookDeliveries, webhookLatency].map((benchCase) => [
    benchCase.name,
    benchCase,
  ]),
);
