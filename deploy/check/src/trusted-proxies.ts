import ipaddr from 'ipaddr.js';
import { type Finding, type Manifest, ofKind, titleOf, workloadsOf } from './manifest';

/** A few proxies, and not whoever else runs on the cluster's network: 16 addresses. */
const HOST_BITS = 4;

/**
 * Whoever is trusted chooses the address that callers are counted by and that `allowed_ips` holds
 * them to: the proxies' own few addresses, never the network of all pods.
 */
export function trustedProxies(manifests: readonly Manifest[]): Finding[] {
  return workloadsOf(manifests)
    .filter(({ labels }) => labels['app.kubernetes.io/name'] === 'gateway')
    .flatMap(({ manifest, pod }) =>
      pod.containers.flatMap(({ env = [], envFrom = [] }) => {
        const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
        const configured = ofKind(manifests, 'ConfigMap')
          .filter(({ metadata }) => maps.includes(metadata.name))
          .flatMap(({ data }) => data?.['TRUSTED_PROXIES'] ?? []);
        const given = env.flatMap(({ name, value }) =>
          name === 'TRUSTED_PROXIES' ? (value ?? '') : [],
        );
        return [...configured, ...given].flatMap((value) =>
          value
            .split(',')
            .map((entry) => entry.trim())
            .filter((entry) => entry !== '' && !isNarrow(entry))
            .map((entry) => ({
              rule: 'trusted proxies',
              title: titleOf(manifest),
              message: `trusts ${entry}, which is more than its proxies`,
            })),
        );
      }),
    );
}

function isNarrow(entry: string): boolean {
  if (!entry.includes('/')) return ipaddr.isValid(entry);
  if (!ipaddr.isValidCIDR(entry)) return false;
  const [address, bits] = ipaddr.parseCIDR(entry);
  return bits >= (address.kind() === 'ipv4' ? 32 : 128) - HOST_BITS;
}
