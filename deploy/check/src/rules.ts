import {
  connectionBudget,
  images,
  immutableConfiguration,
  oneNamespace,
  references,
  secrets,
  variables,
} from './configuration-rules';
import type { Finding, Manifest } from './manifest';
import { isolation, ownPolicies, promisedConnections } from './network-rules';
import { probes, resources, restricted, rollout } from './pod-rules';

const RULES: ReadonlyArray<(manifests: readonly Manifest[]) => Finding[]> = [
  restricted,
  resources,
  probes,
  rollout,
  isolation,
  ownPolicies,
  promisedConnections,
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
