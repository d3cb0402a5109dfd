import { auditFiles } from './audit-file-rules';
import {
  connectionBudget,
  images,
  immutableConfiguration,
  oneNamespace,
  references,
  secrets,
  variables,
} from './configuration-rules';
import { databaseAudit, databaseLogs } from './database-logs';
import type { Finding, Manifest } from './manifest';
import { natsRights } from './nats-rules';
import {
  isolation,
  knownAddresses,
  ownPolicies,
  promisedConnections,
  publicCertificates,
} from './network-rules';
import { priority, probes, resources, restricted, rollout } from './pod-rules';
import { rateStore } from './rate-store-rules';
import { leadable, restorable } from './restore-rules';
import { rights } from './rights-rules';
import { alternatingLogins, oneTrust, reloads } from './rotation-rules';
import { oneServerEach } from './server-rules';
import { traces } from './trace-rules';
import { trustedProxies } from './trusted-proxies';
import {
  boundedSlots,
  perServer,
  probedFromOutside,
  scraped,
  selected,
  watched,
} from './watch-rules';
import { encryptedWayIn } from './way-in-rules';

const RULES: ReadonlyArray<(manifests: readonly Manifest[]) => Finding[]> = [
  restricted,
  resources,
  probes,
  rollout,
  priority,
  isolation,
  knownAddresses,
  ownPolicies,
  promisedConnections,
  publicCertificates,
  encryptedWayIn,
  rights,
  natsRights,
  rateStore,
  databaseLogs,
  databaseAudit,
  auditFiles,
  alternatingLogins,
  oneTrust,
  reloads,
  restorable,
  leadable,
  oneServerEach,
  traces,
  trustedProxies,
  watched,
  perServer,
  scraped,
  selected,
  probedFromOutside,
  boundedSlots,
  variables,
  references,
  secrets,
  connectionBudget,
  immutableConfiguration,
  images,
  oneNamespace,
];

/** Everything that is wrong with one overlay's objects. */
export function lint(manifests: readonly Manifest[]): Finding[] {
  return RULES.flatMap((rule) => rule(manifests));
}
