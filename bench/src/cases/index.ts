import { authorisation, authorisationOfLightRead } from './authorisation';
import { bulkEvents, bulkEventsCopy } from './bulk-events';
import type { BenchCase } from './case';
import { hotAccount } from './hot-account';
import { profileRead } from './profile-read';
import { profileSizes } from './profile-size';
import { recalculation } from './recalculation';
import { rivals } from './rivals';
import { singleEvent } from './single-event';
import { snapshotLatency } from './snapshot-latency';
import { subjectSearch } from './subject-search';
import { telemetryCost } from './telemetry-cost';
import { webhookDeliveries } from './webhook-deliveries';
import { webhookLatency } from './webhook-latency';

/** All cases by name. */
export const CASES: ReadonlyMap<string, BenchCase> = new Map(
  [
    bulkEvents,
    bulkEventsCopy,
    hotAccount,
    profileRead,
    ...profileSizes,
    recalculation,
    singleEvent,
    snapshotLatency,
    telemetryCost,
    subjectSearch,
    authorisation,
    authorisationOfLightRead,
    webhookDeliveries,
    webhookLatency,
    rivals,
  ].map((benchCase) => [benchCase.name, benchCase]),
);
