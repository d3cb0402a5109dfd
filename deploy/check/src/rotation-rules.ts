import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AUTHORITIES, secretsMade } from './configuration-rules';
import { embeddedManifests, ROOT } from './kustomize';
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
      .filter(({ manifest }) => /^provision(?:-|$)/.test(manifest.metadata.name))
      .flatMap(({ pod }) => pod.volumes ?? [])
      .flatMap(({ projected }) => projected?.sources ?? [])
      .map(({ secret }) => secret?.name),
  );
  for (const { title, pod } of workloads) {
    const say = (message: string) => findings.push({ rule: 'alternating logins', title, message });
    for (const { env = [] } of containersOf(pod)) {
      for (const { name, value } of env) {
        if (!/^DATABASE_(?:REPLICA_)?URL/.test(name) || value === undefined) continue;
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
  certificates?: Partial<Record<(typeof CERTIFICATES)[number], string>>;
  superuserSecret?: Named;
  managed?: { roles?: Array<{ passwordSecret?: Named }> };
  monitoring?: { customQueriesConfigMap?: Named[]; customQueriesSecret?: Named[] };
}

interface Named {
  name: string;
}

/** All that CloudNativePG would make itself, and tell nobody when they end. */
const CERTIFICATES = [
  'serverCASecret',
  'serverTLSSecret',
  'clientCASecret',
  'replicationTLSSecret',
] as const;
/** Instances of PostgreSQL take up a change of what has this label; of anything else only a reload by hand. */
const RELOAD = 'cnpg.io/reload';

/** What instances of PostgreSQL read while they run is given to them again when it changes. */
export function reloads(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const made = labelsMade(manifests);
  for (const manifest of [...manifests, ...embeddedManifests(manifests)]) {
    const say = (message: string) =>
      findings.push({ rule: 'reloads', title: titleOf(manifest), message });
    if (manifest.kind === 'Cluster') {
      const { certificates = {} } = manifest.spec as ClusterSpec;
      for (const field of CERTIFICATES) {
        if (certificates[field] === undefined) say(`has a ${field} that nothing watches`);
      }
    }
    for (const name of new Set(readBy(manifest))) {
      if (made.get(name)?.[RELOAD] === undefined) say(`is not told when ${name} changes`);
    }
  }
  return findings;
}

/** The Secrets and ConfigMaps that instances read by this object. */
function readBy({ kind, spec }: Manifest): string[] {
  if (kind === 'ObjectStore') {
    const { configuration } = spec as {
      configuration: { s3Credentials?: Record<string, Named> };
    };
    return Object.values(configuration.s3Credentials ?? {}).map(({ name }) => name);
  }
  if (kind !== 'Cluster') return [];
  const { certificates, superuserSecret, managed, monitoring } = spec as ClusterSpec;
  return [
    ...Object.values(certificates ?? {}),
    ...[
      superuserSecret,
      ...(managed?.roles ?? []).map(({ passwordSecret }) => passwordSecret),
      ...(monitoring?.customQueriesConfigMap ?? []),
      ...(monitoring?.customQueriesSecret ?? []),
    ].flatMap((named) => named?.name ?? []),
  ];
}

type Labels = Readonly<Record<string, string>>;

/** Labels of Secrets and ConfigMaps by name, as whatever makes them gives them. */
function labelsMade(manifests: readonly Manifest[]): Map<string, Labels> {
  const script = readFileSync(path.join(ROOT, 'deploy/k8s/authorities.sh'), 'utf8');
  const made = new Map<string, Labels>();
  if (script.includes(` ${RELOAD}= `)) made.set(AUTHORITIES, { [RELOAD]: '' });
  for (const { kind, metadata, spec } of manifests) {
    if (kind === 'ConfigMap' || kind === 'Secret') made.set(metadata.name, metadata.labels ?? {});
    if (kind === 'Certificate') {
      const { secretName, secretTemplate } = spec as {
        secretName: string;
        secretTemplate?: { labels?: Labels };
      };
      made.set(secretName, secretTemplate?.labels ?? {});
    }
    if (kind === 'ExternalSecret') {
      const { target } = spec as {
        target?: { name?: string; template?: { metadata?: { labels?: Labels } } };
      };
      made.set(target?.name ?? metadata.name, target?.template?.metadata?.labels ?? {});
    }
  }
  return made;
}

/** Whom everything believes is in one place, so that one authority can follow another. */
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
