import { authorisation } from './authorisation';
import { bulkEvents } from './bulk-events';
import type { BenchCase } from './case';
import { footprint } from './footprint';
import { growth } from './growth';
import { profileRead } from './profile-read';
import { profileSizes } from './profile-size';
import { recalculation } from './recalculation';
import { relay } from './relay';
import { rivals } from './rivals';
import { singleEvent } from './single-event';
import { snapshotLatency } from './snapshot-latency';
import { subjectSearch } from './subject-search';
import { telemetryCost } from './telemetry-cost';
import { webhookDeliveries } from './webhook-deliveries';
import { webhookLatency } from './webhook-latency';

/** All cases by name; those that share a world first. */
export const CASES: ReadonlyMap<string, BenchCase> = new Map(
  [
    // Before those that write to the accounts without telling scoring.
    profileRead,
    authorisation,
    webhookLatency,
    snapshotLatency,
    telemetryCost,
    singleEvent,
    bulkEvents,
    // Its receivers do not answer any more.
    webhookDeliveries,
    ...profileSizes,
    recalculation,
    relay,
    subjectSearch,
    growth,
    footprint,
    rivals,
  ].map((benchCase) => [benchCase.name, benchCase]),
);
