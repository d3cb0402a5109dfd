import { AUTHORITIES, secretsMade } from './configuration-rules';
import { embeddedManifests } from './kustomize';
import {
  containersOf,
  type Finding,
  type Manifest,
  ofKind,
  titleOf,
  workloadsOf,
} from './manifest';

/** The second login of a role, as `loginName` of the platform has it. */
const SECOND = '_b';
const LOGIN = '_login';

/**
 * A database password is changed while it is the other login that is used: what a service logs in as is
 * one of two, and provisioning knows the passwords of both.
 */
export function alternatingLogins(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const made = secretsMade(manifests);
  const workloads = workloadsOf(manifests);
  const provisioned = new Set(
    workloads
      .filter(({ manifest }) => manifest.metadata.name === 'provision')
      .flatMap(({ pod }) => pod.volumes ?? [])
      .flatMap(({ projected }) => projected?.sources ?? [])
      .map(({ secret }) => secret?.name),
  );
  for (const { title, pod } of workloads) {
    const say = (message: string) => findings.push({ rule: 'alternating logins', title, message });
    for (const { env = [] } of containersOf(pod)) {
      for (const { name, value } of env) {
        if (!/^DATABASE_URL/.test(name) || value === undefined) continue;
        const used = /^postgres:\/\/\$\((\w+)\)@/.exec(value)?.[1];
        const from = env.find((one) => one.name === used)?.valueFrom?.secretKeyRef;
        if (from === undefined || !from.key.endsWith(LOGIN)) {
          say(`${name} has a login of its own, whose password cannot be changed under it`);
          continue;
        }
        const role = from.key.slice(0, -LOGIN.length);
        for (const login of [role, `${role}${SECOND}`]) {
          if (!made.get(from.name)?.has(login)) say(`${from.name} has no password of ${login}`);
        }
        if (!provisioned.has(from.name)) say(`provisioning does not know ${from.name}`);
      }
    }
  }
  return findings;
}

interface ClusterSpec {
  certificates?: { serverCASecret?: string; serverTLSSecret?: string };
}

/**
 * Whom everything believes is in one place, so that one authority can follow another; and what reads its
 * certificate only when told to is told.
 */
export function oneTrust(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'one trust', title, message });
  const issued = new Set(
    ofKind(manifests, 'Certificate').map(({ spec }) => (spec as { secretName: string }).secretName),
  );
  for (const { title, pod } of workloadsOf(manifests)) {
    for (const { secret, projected } of pod.volumes ?? []) {
      const sources = [
        ...(secret === undefined ? [] : [{ name: secret.secretName, items: secret.items }]),
        ...(projected?.sources ?? []).flatMap((source) => (source.secret ? [source.secret] : [])),
      ];
      for (const { name, items } of sources) {
        if (!issued.has(name)) continue;
        // Its own issuer alone is in there.
        if (items === undefined || items.some(({ key }) => key === 'ca.crt')) {
          say(title, `believes the issuer of ${name}, and not whom ${AUTHORITIES} names`);
        }
      }
    }
  }
  for (const manifest of ofKind([...manifests, ...embeddedManifests(manifests)], 'Cluster')) {
    const { certificates } = manifest.spec as ClusterSpec;
    if (certificates?.serverCASecret !== AUTHORITIES) {
      say(titleOf(manifest), `does not believe whom ${AUTHORITIES} names`);
    }
    const certificate = ofKind(manifests, 'Certificate').find(
      ({ spec }) => (spec as { secretName: string }).secretName === certificates?.serverTLSSecret,
    );
    const { secretTemplate } = (certificate?.spec ?? {}) as {
      secretTemplate?: { labels?: Record<string, string> };
    };
    if (secretTemplate?.labels?.['cnpg.io/reload'] === undefined) {
      say(titleOf(manifest), 'is not told to take up a renewed certificate');
    }
  }
  for (const manifest of ofKind(manifests, 'Certificate')) {
    const { isCA, secretTemplate } = manifest.spec as {
      isCA?: boolean;
      secretTemplate?: { labels?: Record<string, string> };
    };
    if (isCA && secretTemplate?.labels?.['credit-network/authority'] === undefined) {
      say(titleOf(manifest), 'is an authority that authorities.sh does not find');
    }
  }
  return findings;
}
