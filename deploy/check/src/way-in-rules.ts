import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AUTHORITIES } from './configuration-rules';
import { ROOT } from './kustomize';
import {
  type Container,
  type Finding,
  type Manifest,
  ofKind,
  type Probe,
  selects,
  titleOf,
  type Workload,
  workloadsOf,
} from './manifest';
import { namesShown } from './shown-certificate';

const NGINX = 'nginx.ingress.kubernetes.io/';
const FILES = ['HTTPS_CERT_FILE', 'HTTPS_KEY_FILE'] as const;

interface RouteSpec {
  rules: Array<{ backendRefs?: Array<{ name: string; port?: number }> }>;
}

interface IngressSpec {
  rules: Array<{
    http?: {
      paths: Array<{
        backend: { service: { name: string; port: { name?: string; number?: number } } };
      }>;
    };
  }>;
}

interface PolicySpec {
  targetRefs: Array<{ kind: string; name: string }>;
  validation: { hostname: string; caCertificateRefs?: Array<{ kind: string; name: string }> };
}

/**
 * From the proxies on nothing is in plain text either: what is behind every way in shows a certificate, and
 * the way in checks its name and who issued it.
 */
export function encryptedWayIn(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'encrypted way in', title, message });
  for (const manifest of [...ofKind(manifests, 'HTTPRoute'), ...ofKind(manifests, 'Ingress')]) {
    const title = titleOf(manifest);
    for (const { service, port } of backendsOf(manifest)) {
      const behind = serverBehind(manifests, service, port);
      if (behind === undefined) {
        say(title, `leads to ${service}:${port}, where nothing listens`);
        continue;
      }
      const { workload, container, listens_on } = behind;
      const [cert_file, key_file] = FILES.map((name) => variable(container, name));
      if (!cert_file || !key_file) {
        say(workload.title, `is led to by ${title} and speaks plain HTTP`);
        continue;
      }
      for (const message of probeFindings(container, listens_on)) say(workload.title, message);
      const names = namesShown(manifests, workload.pod, container, cert_file);
      const checks =
        manifest.kind === 'Ingress'
          ? ingressFindings(manifest, names)
          : policyFindings(manifests, service, names);
      for (const message of checks) say(title, message);
    }
  }
  return findings.filter((one, index) => findings.findIndex((other) => same(one, other)) === index);
}

const same = (one: Finding, other: Finding) =>
  one.title === other.title && one.message === other.message;

const variable = ({ env = [] }: Container, wanted: string) =>
  env.find(({ name }) => name === wanted)?.value;

function backendsOf({ kind, spec }: Manifest): Array<{ service: string; port: number | string }> {
  if (kind === 'Ingress') {
    return (spec as IngressSpec).rules
      .flatMap(({ http }) => http?.paths ?? [])
      .map(({ backend: { service } }) => ({
        service: service.name,
        port: service.port.name ?? service.port.number ?? 0,
      }));
  }
  return (spec as RouteSpec).rules
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .map(({ name, port = 0 }) => ({ service: name, port }));
}

interface Behind {
  readonly workload: Workload;
  readonly container: Container;
  /** The number and the name of its port. */
  readonly listens_on: ReadonlyArray<number | string>;
}

function serverBehind(
  manifests: readonly Manifest[],
  service: string,
  port: number | string,
): Behind | undefined {
  const found = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === service);
  const { selector = {}, ports = [] } = (found?.spec ?? {}) as {
    selector?: Record<string, string>;
    ports?: Array<{ name?: string; port: number; targetPort?: number | string }>;
  };
  const chosen = ports.find((one) => one.name === port || one.port === port);
  if (chosen === undefined) return undefined;
  const target = chosen.targetPort ?? chosen.port;
  for (const workload of workloadsOf(manifests)) {
    if (!workload.serves || !selects({ matchLabels: selector }, workload.labels)) continue;
    for (const container of workload.pod.containers) {
      const own = container.ports?.find(
        ({ name, containerPort }) => name === target || containerPort === target,
      );
      if (own === undefined) continue;
      const listens_on = [own.containerPort, ...(own.name === undefined ? [] : [own.name])];
      return { workload, container, listens_on };
    }
  }
  return undefined;
}

/** A probe that speaks plain HTTP to it would never be answered. */
function probeFindings(container: Container, port: ReadonlyArray<number | string>): string[] {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const is_plain = (probe: Probe | undefined) =>
    probe?.httpGet !== undefined &&
    port.includes(probe.httpGet.port) &&
    probe.httpGet.scheme !== 'HTTPS';
  return Object.entries({ startupProbe, livenessProbe, readinessProbe })
    .filter(([, probe]) => is_plain(probe))
    .map(([name]) => `is asked in plain HTTP by its ${name}`);
}

function ingressFindings({ metadata }: Manifest, names: readonly string[]): string[] {
  const said = (name: string) => metadata.annotations?.[`${NGINX}${name}`];
  const findings: string[] = [];
  if (said('backend-protocol') !== 'HTTPS') findings.push('speaks plain HTTP to what is behind it');
  if (said('proxy-ssl-verify') !== 'on') findings.push('believes any certificate');
  if (said('proxy-ssl-secret') !== `${metadata.namespace}/${AUTHORITIES}`) {
    findings.push(`believes others than ${AUTHORITIES} of its namespace names`);
  }
  const asked = said('proxy-ssl-name') ?? '';
  if (!names.includes(asked)) {
    findings.push(`asks for the name ${asked || 'of nobody'}, and is shown ${names.join()}`);
  }
  return findings;
}

function policyFindings(
  manifests: readonly Manifest[],
  service: string,
  names: readonly string[],
): string[] {
  const policy = ofKind(manifests, 'BackendTLSPolicy')
    .map(({ spec }) => spec as PolicySpec)
    .find(({ targetRefs }) =>
      targetRefs.some(({ kind, name }) => kind === 'Service' && name === service),
    );
  if (policy === undefined) return [`speaks plain HTTP to ${service}: it has no BackendTLSPolicy`];
  const { hostname, caCertificateRefs = [] } = policy.validation;
  const findings: string[] = [];
  if (!names.includes(hostname)) {
    findings.push(`asks for the name ${hostname}, and is shown ${names.join()}`);
  }
  // Secrets are not something that every implementation reads here.
  const believed = caCertificateRefs.map(({ kind, name }) => `${kind} ${name}`);
  if (believed.join() !== `ConfigMap ${AUTHORITIES}` || !makesConfigMap()) {
    findings.push(`believes others than the ConfigMap ${AUTHORITIES} names`);
  }
  return findings;
}

function makesConfigMap(): boolean {
  const script = readFileSync(path.join(ROOT, 'deploy/k8s/authorities.sh'), 'utf8');
  return script.includes("for kind in 'secret generic' configmap; do");
}
