// The rules are shown to work on what is really deployed: each test breaks one thing in production's
// objects, and only the rule in question may complain.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import {
  buildOverlay,
  clusterWide,
  embeddedManifests,
  overlayNames,
  ROOT,
  requireKubectl,
} from './kustomize';
import {
  type Container,
  type Manifest,
  type NetworkPolicySpec,
  type PodSpec,
  workloadsOf,
} from './manifest';
import { checkTypes } from './object-types';
import { rights } from './rights-rules';
import { lint } from './rules';

let production: Manifest[];
/** Beside the first server a restored one, to which traffic has moved. */
let moved: Manifest[];
let second_region: Manifest[];
let counted_in_valkey: Manifest[];

/** Where the way in is an Ingress. */
let development: Manifest[];
/** With a database server for each service. */
let large: Manifest[];

beforeAll(() => {
  requireKubectl();
  production = buildOverlay('prod');
  moved = buildOverlay('prod-moved');
  second_region = buildOverlay('prod-second-region');
  counted_in_valkey = buildOverlay('prod-valkey');
  development = buildOverlay('dev');
  large = buildOverlay('prod-large');
});

function find(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find(
    (manifest) => manifest.kind === kind && manifest.metadata.name === name,
  );
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

function pod(manifests: Manifest[], kind: string, name: string): PodSpec {
  const manifest = find(manifests, kind, name);
  const workload = workloadsOf([manifest])[0];
  if (workload === undefined) throw new Error(`${kind} ${name} makes no pods.`);
  return workload.pod;
}

function container(manifests: Manifest[], name: string, kind = 'Deployment'): Container {
  return pod(manifests, kind, name).containers[0] as Container;
}

function spec<T>(manifests: Manifest[], kind: string, name: string): T {
  return find(manifests, kind, name).spec as T;
}

function policy(manifests: Manifest[], name: string): NetworkPolicySpec {
  return spec<NetworkPolicySpec>(manifests, 'NetworkPolicy', name);
}

function remove(manifests: Manifest[], kind: string, name: string): void {
  manifests.splice(manifests.indexOf(find(manifests, kind, name)), 1);
}

function setVariable(target: Container, name: string, value: string | undefined): void {
  target.env = (target.env ?? []).filter((variable) => variable.name !== name);
  if (value !== undefined) target.env.push({ name, value });
}

/** Its URL on another server. */
function leadTo(target: Container, name: string, from: string, to: string): void {
  for (const variable of target.env ?? []) {
    if (variable.name === name) variable.value = variable.value?.replace(`@${from}:`, `@${to}:`);
  }
}

function configuration(manifests: Manifest[], service: string): Manifest {
  const name = container(manifests, service).envFrom?.[0]?.configMapRef?.name ?? '';
  return find(manifests, 'ConfigMap', name);
}

function natsFiles(manifests: Manifest[]): Manifest | undefined {
  return manifests.find(({ data }) => data?.['nats.conf'] !== undefined);
}

function edit(map: Manifest | undefined, file: string, from: string | RegExp, to: string): void {
  const text = map?.data?.[file] ?? '';
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  if (map !== undefined) map.data = { ...map.data, [file]: changed };
}

function databaseSettings(manifests: Manifest[]): Record<string, string> {
  return spec<{ postgresql: { parameters: Record<string, string> } }>(
    manifests,
    'Cluster',
    'credit-db',
  ).postgresql.parameters;
}

interface AlertRule {
  alert?: string;
  expr: string;
}

/** The rules of all groups, to be changed in place. */
function alertRules(manifests: Manifest[]): AlertRule[] {
  return groupsOf(manifests).flatMap(({ rules }) => rules);
}

function groupsOf(manifests: Manifest[]): Array<{ rules: AlertRule[] }> {
  return manifests
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap((manifest) => (manifest.spec as { groups: Array<{ rules: AlertRule[] }> }).groups);
}

function withoutAlerts(manifests: Manifest[], name: string): void {
  for (const group of groupsOf(manifests)) {
    group.rules = group.rules.filter(({ alert }) => alert !== name);
  }
}

/** In every alert of this name. */
function replaceInAlerts(manifests: Manifest[], name: string, from: string, to: string): void {
  const rules = alertRules(manifests).filter(({ alert }) => alert === name);
  expect(rules.some(({ expr }) => expr.includes(from))).toBe(true);
  for (const rule of rules) rule.expr = rule.expr.replaceAll(from, to);
}

/** A step of the drill of the first server. */
function drillStep(manifests: Manifest[], name: string): Container {
  const steps = pod(manifests, 'CronJob', 'restore-drill-credit-db').initContainers;
  const step = steps?.find((one) => one.name === name);
  if (step === undefined) throw new Error(`The drill has no step ${name}.`);
  return step;
}

const OTLP = 'OTEL_EXPORTER_OTLP_ENDPOINT';

type Breakage = (manifests: Manifest[]) => unknown;

/** Rule, what complains, and what was done to it. */
function configurationOf(manifests: Manifest[], name: string): Manifest {
  const found = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${name}-`),
  );
  if (found === undefined) throw new Error(`${name} has no configuration`);
  return found;
}

/** Changes the configuration of a collector, by its name. */
function reconfigure(manifests: Manifest[], name: string, from: string, to: string): void {
  const found = configurationOf(manifests, name);
  const text = found.data?.['config.yaml'] ?? '';
  if (!text.includes(from)) throw new Error(`${name} lacks ${from}`);
  found.data = { ...found.data, 'config.yaml': text.replace(from, to) };
}

const BREAKAGES: ReadonlyArray<readonly [rule: string, message: RegExp, breakage: Breakage]> = [
  [
    'traces',
    /sends traces to .*, where nothing listens/,
    (all) => {
      const found = configurationOf(all, 'otel-collector');
      found.data = { 'collector.yaml': found.data?.['config.yaml'] ?? '' };
    },
  ],
  [
    'traces',
    /which expects none/,
    (all) => setVariable(container(all, 'scoring'), OTLP, 'https://otel-collector:4318'),
  ],
  [
    'traces',
    /before it is known how they end/,
    (all) => setVariable(container(all, 'scoring'), 'OTEL_TRACES_SAMPLER_ARG', '0.05'),
  ],
  [
    'traces',
    /divides traces among samplers/,
    (all) => reconfigure(all, 'otel-collector', 'routing_key: traceID', 'routing_key: service'),
  ],
  [
    'traces',
    /gives traces to otel-sampler, where nothing listens/,
    (all) => reconfigure(all, 'otel-collector', 'port: "4317"', 'port: "4316"'),
  ],
  [
    'traces',
    /does not see the samplers/,
    (all) => {
      delete spec<{ clusterIP?: string }>(all, 'Service', 'otel-sampler').clusterIP;
    },
  ],
  [
    'traces',
    /do not agree on TLS/,
    (all) => reconfigure(all, 'otel-collector', 'tls: { insecure: true }', 'timeout: 5s'),
  ],
  [
    'traces',
    /loses errors/,
    (all) => reconfigure(all, 'otel-sampler', 'status_codes: [ERROR]', 'status_codes: [OK]'),
  ],
  [
    'traces',
    /loses errors/,
    (all) => reconfigure(all, 'otel-sampler', 'memory_limiter, tail_sampling,', 'memory_limiter,'),
  ],
  [
    'audit files',
    /that no job exports/,
    (all) => {
      container(all, 'audit-export', 'CronJob').args = ['verify-audit'];
    },
  ],
  [
    'audit files',
    /writes files that no volume keeps/,
    (all) => {
      const [files] = pod(all, 'CronJob', 'audit-export').volumes?.slice(-1) ?? [];
      if (files !== undefined) delete files.persistentVolumeClaim;
    },
  ],
  [
    'audit files',
    /claims audit-files, which nothing makes/,
    (all) => remove(all, 'PersistentVolumeClaim', 'audit-files'),
  ],
  [
    'restricted',
    /may run as root/,
    (all) => {
      pod(all, 'Deployment', 'gateway').securityContext = {
        seccompProfile: { type: 'RuntimeDefault' },
      };
    },
  ],
  [
    'restricted',
    /has no seccomp profile/,
    (all) => {
      pod(all, 'Job', 'provision').securityContext = { runAsNonRoot: true };
    },
  ],
  [
    'restricted',
    /mounts a service-account token/,
    (all) => {
      pod(all, 'CronJob', 'reconcile').automountServiceAccountToken = true;
    },
  ],
  [
    'restricted',
    /projects a service-account token: token/,
    (all) => {
      pod(all, 'Deployment', 'scoring').volumes?.push({
        name: 'token',
        projected: { sources: [{ serviceAccountToken: { path: 'token' } }] },
      });
    },
  ],
  [
    'restricted',
    /of another workload/,
    (all) => {
      pod(all, 'Deployment', 'webhooks').serviceAccountName = 'identity';
    },
  ],
  [
    'restricted',
    /shares a namespace of its node/,
    (all) => {
      pod(all, 'StatefulSet', 'nats').hostNetwork = true;
    },
  ],
  [
    'restricted',
    /mounts a folder of its node: node/,
    (all) => {
      pod(all, 'Deployment', 'disputes').volumes?.push({ name: 'node', hostPath: { path: '/' } });
    },
  ],
  [
    'restricted',
    /may gain privileges/,
    (all) => {
      Object.assign(container(all, 'identity').securityContext ?? {}, {
        allowPrivilegeEscalation: true,
      });
    },
  ],
  [
    'restricted',
    /verify-record can write to its root filesystem/,
    (all) => {
      const verify = pod(all, 'CronJob', 'restore-drill-credit-db').initContainers?.find(
        ({ name }) => name === 'verify-record',
      );
      Object.assign(verify?.securityContext ?? {}, { readOnlyRootFilesystem: false });
    },
  ],
  [
    'restricted',
    /keeps capabilities/,
    (all) => {
      Object.assign(container(all, 'reporting').securityContext ?? {}, { capabilities: {} });
    },
  ],
  [
    'restricted',
    /gives its token to every pod/,
    (all) => {
      find(all, 'ServiceAccount', 'gateway').automountServiceAccountToken = true;
    },
  ],
  [
    'restricted',
    /does not enforce restricted/,
    (all) => {
      find(all, 'Namespace', 'credit').metadata.labels = {
        'pod-security.kubernetes.io/enforce': 'baseline',
        'pod-security.kubernetes.io/audit': 'restricted',
        'pod-security.kubernetes.io/warn': 'restricted',
      };
    },
  ],
  [
    'resources',
    /says nothing about limits memory/,
    (all) => {
      container(all, 'gateway').resources = { requests: { cpu: '1', memory: '1Gi' } };
    },
  ],
  [
    'probes',
    /has no startupProbe/,
    (all) => {
      delete container(all, 'webhooks').startupProbe;
    },
  ],
  [
    'probes',
    /asks for more than its own life/,
    (all) => {
      container(all, 'scoring').livenessProbe = { grpc: { port: 9091 } };
    },
  ],
  [
    'probes',
    /asks for more than its own life/,
    (all) => {
      container(all, 'gateway').livenessProbe = { httpGet: { path: '/readyz', port: 'http' } };
    },
  ],
  [
    'probes',
    /on a port that it does not have/,
    (all) => {
      container(all, 'identity').readinessProbe = { grpc: { port: 9090 + 9 } };
    },
  ],
  [
    'rollout',
    /takes pods away/,
    (all) => {
      Object.assign(spec<{ strategy: object }>(all, 'Deployment', 'reporting').strategy, {
        rollingUpdate: { maxUnavailable: 1, maxSurge: 1 },
      });
    },
  ],
  [
    'rollout',
    /sets replicas/,
    (all) => {
      spec<{ replicas: number }>(all, 'Deployment', 'gateway').replicas = 3;
    },
  ],
  ['rollout', /has no PodDisruptionBudget/, (all) => remove(all, 'PodDisruptionBudget', 'nats')],
  [
    'rollout',
    /is not spread over zones/,
    (all) => {
      pod(all, 'Deployment', 'disputes').topologySpreadConstraints = [];
    },
  ],
  [
    'rollout',
    /stops before its callers have heard/,
    (all) => {
      delete container(all, 'gateway').lifecycle;
    },
  ],
  [
    'rollout',
    /is killed before it can stop/,
    (all) => {
      pod(all, 'Deployment', 'gateway').terminationGracePeriodSeconds = 25;
    },
  ],
  [
    'rollout',
    /scales gatway, which does not exist/,
    (all) => {
      const scaled = spec<{ scaleTargetRef: { name: string } }>(all, 'ScaledObject', 'gateway');
      scaled.scaleTargetRef.name = 'gatway';
    },
  ],
  [
    'isolation',
    /has no policy that denies everything else/,
    (all) => remove(all, 'NetworkPolicy', 'default-deny'),
  ],
  [
    'isolation',
    /lets webhooks reach 169\.254\.169\.254/,
    (all) => {
      for (const { to } of policy(all, 'webhooks').egress ?? []) {
        for (const { ipBlock } of to ?? []) {
          if (ipBlock?.except) {
            ipBlock.except = ipBlock.except.filter((range) => range !== '169.254.0.0/16');
          }
        }
      }
    },
  ],
  [
    'isolation',
    /lets webhooks reach fd00:ec2::254/,
    (all) => {
      policy(all, 'webhooks').egress?.push({
        to: [{ ipBlock: { cidr: '::/0', except: ['2001:db8::/32'] } }],
        ports: [{ port: 443 }],
      });
    },
  ],
  [
    'isolation',
    /may not name addresses outside/,
    (all) => {
      policy(all, 'scoring').egress?.push({
        to: [{ ipBlock: { cidr: '203.0.113.0/24' } }],
        ports: [{ port: 443 }],
      });
    },
  ],
  [
    'isolation',
    /on every port/,
    (all) => {
      delete policy(all, 'disputes').ingress?.[0]?.ports;
    },
  ],
  [
    'isolation',
    /from or to everybody/,
    (all) => {
      delete policy(all, 'metrics').ingress?.[0]?.from;
    },
  ],
  [
    'isolation',
    /a whole cluster or namespace/,
    (all) => {
      policy(all, 'identity').ingress?.push({
        from: [{ podSelector: {} }],
        ports: [{ port: 9090 }],
      });
    },
  ],
  [
    'isolation',
    /may not name addresses outside \(egress 169\.254\.0\.0\/16\)/,
    (all) => {
      policy(all, 'domain-names').egress?.[0]?.to?.push({ ipBlock: { cidr: '169.254.0.0/16' } });
    },
  ],
  [
    'isolation',
    /lets its pods reach 0\.0\.0\.0\/0, which is more than what it leads to/,
    (all) => {
      policy(all, 'credit-db-archive').egress?.[0]?.to?.push({
        ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16', '127.0.0.0/8'] },
      });
    },
  ],
  [
    'isolation',
    /may not name addresses outside \(egress 198\.51\.100\.0\/24\)/,
    (all) => {
      policy(all, 'credit-db').egress?.push({
        to: [{ ipBlock: { cidr: '198.51.100.0/24' } }],
        ports: [{ port: 443 }],
      });
    },
  ],
  [
    'known addresses',
    /may not reach the archive/,
    (all) => remove(all, 'NetworkPolicy', 'credit-db-archive'),
  ],
  [
    'known addresses',
    /may not reach the kubernetes-api/,
    (all) => remove(all, 'NetworkPolicy', 'restore-drill-kubernetes-api'),
  ],
  [
    'known addresses',
    /may reach what credit-db-kubernetes-api leads to, and has no use for it/,
    (all) => {
      policy(all, 'credit-db-kubernetes-api').podSelector = {};
    },
  ],
  [
    'rights',
    /may update clusters, which nothing uses/,
    (all) => roleRules(all)[1]?.verbs.push('update'),
  ],
  [
    'rights',
    /may delete clusters of other names than its own/,
    (all) => {
      delete roleRules(all)[1]?.resourceNames;
    },
  ],
  [
    'rights',
    /may not watch, which it does/,
    (all) => {
      const [, named] = roleRules(all);
      if (named !== undefined) named.verbs = ['get', 'list', 'delete'];
    },
  ],
  [
    'rights',
    /may not make its copy, which runs docker\.io\/library\/postgres/,
    (all) =>
      edit(
        all.find(({ data }) => data?.['cluster.yaml'] !== undefined),
        'cluster.yaml',
        'ghcr.io/cloudnative-pg/postgresql',
        'docker.io/library/postgres',
      ),
  ],
  [
    'rights',
    /is for all namespaces/,
    (all) => {
      all.push({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'restore-drill-credit-db' },
      });
    },
  ],
  [
    'public certificates',
    /cannot be renewed: nothing lets proxies reach its solver/,
    (all) => remove(all, 'NetworkPolicy', 'acme-solver'),
  ],
  [
    'encrypted way in',
    /is led to by HTTPRoute credit and speaks plain HTTP/,
    (all) => setVariable(container(all, 'gateway'), 'HTTPS_KEY_FILE', undefined),
  ],
  [
    'encrypted way in',
    /it has no BackendTLSPolicy/,
    (all) => remove(all, 'BackendTLSPolicy', 'gateway'),
  ],
  [
    'encrypted way in',
    /asks for the name gatway, and is shown gateway/,
    (all) => {
      validation(all).hostname = 'gatway';
    },
  ],
  [
    'encrypted way in',
    /believes others than the ConfigMap credit-authorities names/,
    (all) => {
      validation(all).caCertificateRefs = [{ kind: 'ConfigMap', name: 'kube-root-ca.crt' }];
    },
  ],
  [
    'encrypted way in',
    /is asked in plain HTTP by its readinessProbe/,
    (all) => {
      container(all, 'gateway').readinessProbe = { httpGet: { path: '/readyz', port: 8443 } };
    },
  ],
  [
    'encrypted way in',
    /leads to gateway:80, where nothing listens/,
    (all) => {
      const { rules } = spec<{ rules: Array<{ backendRefs: Array<{ port: number }> }> }>(
        all,
        'HTTPRoute',
        'credit',
      );
      for (const backend of rules[0]?.backendRefs ?? []) backend.port = 80;
    },
  ],
  [
    'priority',
    /has the priority credit-serving, which nothing makes/,
    (all) => remove(all, 'PriorityClass', 'credit-serving'),
  ],
  [
    'priority',
    /has no priority/,
    (all) => {
      delete pod(all, 'StatefulSet', 'nats').priorityClassName;
    },
  ],
  [
    'secrets',
    /SECOND_FACTOR_KEY is in the environment, where a file would do/,
    (all) => {
      const identity = container(all, 'identity');
      setVariable(identity, 'SECOND_FACTOR_KEY_FILE', undefined);
      identity.env?.push({
        name: 'SECOND_FACTOR_KEY',
        valueFrom: { secretKeyRef: { name: 'identity-factor-keys', key: 'current' } },
      });
    },
  ],
  [
    'variables',
    /SECOND_FACTOR_KYE_FILE is nothing that identity knows/,
    (all) => setVariable(container(all, 'identity'), 'SECOND_FACTOR_KYE_FILE', '/etc/credit/x'),
  ],
  [
    'own policies',
    /has no network policy of its own/,
    (all) => {
      remove(all, 'NetworkPolicy', 'provision');
      // Without it the database is out of reach too, which is another rule's to say.
      setVariable(container(all, 'provision', 'Job'), 'ADMIN_DATABASE_URL', 'postgres:///credit');
    },
  ],
  [
    'promised connections',
    /REPORTING_ADDRESS leads to reporting:9090, which it may not reach/,
    (all) => {
      const scoring = policy(all, 'scoring');
      scoring.egress = scoring.egress?.filter(
        ({ to }) => to?.[0]?.podSelector?.matchLabels?.['app.kubernetes.io/name'] !== 'reporting',
      );
    },
  ],
  [
    'promised connections',
    /WEBHOOKS_ADDRESS leads to webhooks:9090, which does not let it in/,
    (all) => {
      policy(all, 'webhooks').ingress = [];
    },
  ],
  [
    'promised connections',
    /identity:9099, but the Service has no such port/,
    (all) => setVariable(container(all, 'gateway'), 'IDENTITY_ADDRESS', 'dns:///identity:9099'),
  ],
  [
    'promised connections',
    /scorings:9092, but there is no such Service/,
    (all) => setVariable(container(all, 'gateway'), 'SCORING_HTTP_ADDRESS', 'scorings:9092'),
  ],
  [
    'promised connections',
    /nats:4222, but nothing is behind the Service/,
    (all) => {
      spec<{ selector: object }>(all, 'Service', 'nats').selector = { app: 'nats' };
    },
  ],
  [
    'variables',
    /HTTP_ADDRESS is not set/,
    (all) => setVariable(container(all, 'scoring'), 'HTTP_ADDRESS', undefined),
  ],
  [
    'variables',
    /REPORTING_ADRESS is nothing that scoring knows/,
    (all) => setVariable(container(all, 'scoring'), 'REPORTING_ADRESS', 'dns:///reporting:9090'),
  ],
  [
    'variables',
    /TLS_CA_FILE is not set/,
    (all) => setVariable(container(all, 'gateway'), 'TLS_CA_FILE', undefined),
  ],
  [
    'variables',
    /HEALTH_ADDRESS must be host:port/,
    (all) => setVariable(container(all, 'reporting'), 'HEALTH_ADDRESS', '0.0.0.0'),
  ],
  [
    'variables',
    /MAX_IN_FLIGHT/,
    (all) => {
      Object.assign(configuration(all, 'gateway').data ?? {}, { MAX_IN_FLIGHT: 'many' });
    },
  ],
  [
    'variables',
    /\$\(DATABASE_LOGIN_TEST\) stands for nothing/,
    (all) => {
      const { env = [] } = container(all, 'disputes');
      env.push(
        ...env.splice(
          env.findIndex(({ name }) => name === 'DATABASE_LOGIN_TEST'),
          1,
        ),
      );
    },
  ],
  [
    'variables',
    /PASSWORDS_DIRECTORY is not set/,
    (all) => setVariable(container(all, 'provision', 'Job'), 'PASSWORDS_DIRECTORY', undefined),
  ],
  [
    'references',
    /needs webhooks_live_login in the Secret webhooks-database/,
    (all) => {
      const { target } = spec<{ target: { template: { data: Record<string, string> } } }>(
        all,
        'ExternalSecret',
        'webhooks-database',
      );
      delete target.template.data['webhooks_live_login'];
    },
  ],
  [
    'alternating logins',
    /DATABASE_URL_LIVE has a login of its own/,
    (all) =>
      setVariable(
        container(all, 'scoring'),
        'DATABASE_URL_LIVE',
        'postgres://scoring_live:$(DATABASE_LOGIN_LIVE)@database:5432/credit',
      ),
  ],
  [
    'alternating logins',
    /identity-database has no password of identity_b/,
    (all) => {
      const { target } = spec<{ target: { template: { data: Record<string, string> } } }>(
        all,
        'ExternalSecret',
        'identity-database',
      );
      delete target.template.data['identity_b'];
    },
  ],
  [
    'alternating logins',
    /provisioning does not know disputes-database/,
    (all) => {
      const { volumes = [] } = pod(all, 'Job', 'provision');
      for (const { projected } of volumes) {
        if (projected === undefined) continue;
        projected.sources = projected.sources.filter(
          ({ secret }) => secret?.name !== 'disputes-database',
        );
      }
    },
  ],
  [
    'one trust',
    /believes the issuer of webhooks-tls, and not whom credit-authorities names/,
    (all) => {
      const volume = pod(all, 'Deployment', 'webhooks').volumes?.find(({ name }) => name === 'tls');
      if (volume === undefined) throw new Error('webhooks has no certificate.');
      delete volume.projected;
      volume.secret = { secretName: 'webhooks-tls' };
    },
  ],
  [
    'one trust',
    /does not believe whom credit-authorities names/,
    (all) => {
      const { certificates } = spec<{ certificates: { serverCASecret: string } }>(
        all,
        'Cluster',
        'credit-db',
      );
      certificates.serverCASecret = 'credit-db-tls';
    },
  ],
  [
    'reloads',
    /is not told when credit-db-tls changes/,
    (all) => {
      delete spec<{ secretTemplate?: unknown }>(all, 'Certificate', 'credit-db').secretTemplate;
    },
  ],
  [
    'reloads',
    /is not told when backup-store changes/,
    (all) => {
      delete spec<{ target?: unknown }>(all, 'ExternalSecret', 'backup-store').target;
    },
  ],
  [
    'reloads',
    /is not told when more-queries changes/,
    (all) => {
      Object.assign(find(all, 'Cluster', 'credit-db').spec as object, {
        monitoring: { customQueriesConfigMap: [{ name: 'more-queries', key: 'queries' }] },
      });
      all.push({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'more-queries', namespace: 'credit' },
        immutable: true,
        data: { queries: '' },
      });
    },
  ],
  [
    'reloads',
    /has a replicationTLSSecret that nothing watches/,
    (all) => {
      const { certificates } = spec<{ certificates: Record<string, string> }>(
        all,
        'Cluster',
        'credit-db',
      );
      delete certificates['replicationTLSSecret'];
    },
  ],
  [
    'one trust',
    /is an authority that authorities.sh does not find/,
    (all) => {
      delete spec<{ secretTemplate?: unknown }>(all, 'Certificate', 'credit-authority')
        .secretTemplate;
    },
  ],
  ['references', /needs the Secret nats-tls/, (all) => remove(all, 'Certificate', 'nats')],
  [
    'references',
    /needs the ConfigMap otel/,
    (all) => {
      const volume = pod(all, 'Deployment', 'otel-collector').volumes?.[0];
      if (volume?.configMap) volume.configMap.name = 'otel';
    },
  ],
  [
    'references',
    /mounts spool, which is no volume/,
    (all) => {
      container(all, 'webhooks').volumeMounts?.push({ name: 'spool', mountPath: '/spool' });
    },
  ],
  [
    'secrets',
    /is in a file/,
    (all) => {
      all.push({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'mine', namespace: 'credit' },
      });
    },
  ],
  [
    'secrets',
    /WEBHOOK_SECRET_KEY is in a file/,
    (all) => setVariable(container(all, 'webhooks'), 'WEBHOOK_SECRET_KEY', 'AAAA'),
  ],
  [
    'secrets',
    /NATS_URL is in a file/,
    (all) => setVariable(container(all, 'identity'), 'NATS_URL', 'tls://me:mine@nats:4222'),
  ],
  [
    'connection budget',
    /up to \d+ are wanted: .*Deployment reporting 176/,
    (all) => {
      spec<{ maxReplicas: number }>(all, 'HorizontalPodAutoscaler', 'reporting').maxReplicas = 10;
    },
  ],
  [
    'immutable configuration',
    /can change under running processes/,
    (all) => {
      configuration(all, 'identity').immutable = false;
    },
  ],
  [
    'images',
    /may be any version/,
    (all) => {
      container(all, 'nats', 'StatefulSet').image = 'docker.io/library/nats';
    },
  ],
  [
    'images',
    /may be any version/,
    (all) => {
      container(all, 'gateway').image = 'registry.example.com/credit-network/gateway:latest';
    },
  ],
  [
    'one namespace',
    /is in default/,
    (all) => {
      find(all, 'Service', 'gateway').metadata.namespace = 'default';
    },
  ],
  [
    'one namespace',
    /asks for metrics of staging/,
    (all) => {
      const { triggers } = spec<{ triggers: Array<{ metadata: Record<string, string> }> }>(
        all,
        'ScaledObject',
        'scoring',
      );
      Object.assign(triggers[0]?.metadata ?? {}, { query: 'up{namespace="staging"}' });
    },
  ],
  [
    'NATS rights',
    /has other rights in authorization.conf than services use/,
    (all) =>
      edit(
        natsFiles(all),
        'authorization.conf',
        /"credit.v1.\*.\*.account_changed"/,
        '"credit.v1.>"',
      ),
  ],
  [
    'NATS rights',
    /has other rights in authorization.conf than services use/,
    (all) => edit(natsFiles(all), 'authorization.conf', '$JS.API.STREAM.INFO', '$JS.API.STREAM.*'),
  ],
  [
    'NATS rights',
    /does not take authorization.conf in/,
    (all) => edit(natsFiles(all), 'nats.conf', /^include "auth/m, '# include "auth'),
  ],
  [
    'NATS rights',
    /does not know its clients by their certificates/,
    (all) => edit(natsFiles(all), 'nats.conf', 'verify_and_map: true', 'verify: true'),
  ],
  [
    'NATS rights',
    /another way in: accounts in cluster.conf/,
    (all) =>
      edit(natsFiles(all), 'cluster.conf', /$/, '\naccounts { OTHER: { jetstream: enabled } }\n'),
  ],
  [
    'NATS rights',
    /knows webhooks, who has no certificate of that name/,
    (all) => {
      Object.assign(find(all, 'Certificate', 'webhooks').spec as object, {
        dnsNames: ['webhooks', 'reporting'],
      });
    },
  ],
  [
    'database logs',
    /log_parameter_max_length is not set and must be 0/,
    (all) => delete databaseSettings(all)['log_parameter_max_length'],
  ],
  [
    'database logs',
    /log_parameter_max_length_on_error is 64 and must be 0/,
    (all) => Object.assign(databaseSettings(all), { log_parameter_max_length_on_error: '64' }),
  ],
  [
    'database logs',
    /log_statement is ddl and must be none/,
    (all) => Object.assign(databaseSettings(all), { log_statement: 'ddl' }),
  ],
  [
    'database logs',
    /log_error_verbosity is default and must be terse/,
    (all) => Object.assign(databaseSettings(all), { log_error_verbosity: 'default' }),
  ],
  [
    'database logs',
    /log_min_error_statement is error/,
    (all) => Object.assign(databaseSettings(all), { log_min_error_statement: 'error' }),
  ],
  [
    'database logs',
    /log_min_messages is warning/,
    (all) => Object.assign(databaseSettings(all), { log_min_messages: 'warning' }),
  ],
  [
    'database logs',
    /auto_explain prints values/,
    (all) => Object.assign(databaseSettings(all), { 'auto_explain.log_min_duration': '1s' }),
  ],
  [
    'database logs',
    /pgaudit.log prints values/,
    (all) => Object.assign(databaseSettings(all), { 'pgaudit.log': 'ddl, role, write' }),
  ],
  [
    'database logs',
    /pgaudit.log_parameter prints values/,
    (all) => Object.assign(databaseSettings(all), { 'pgaudit.log_parameter': 'on' }),
  ],
  [
    'database audit',
    /logs no role statements/,
    (all) => Object.assign(databaseSettings(all), { 'pgaudit.log': 'ddl' }),
  ],
  [
    'database audit',
    /logs no ddl statements/,
    (all) =>
      edit(
        all.find(({ data }) => data?.['cluster.yaml'] !== undefined),
        'cluster.yaml',
        'pgaudit.log: ddl, role',
        'pgaudit.log: role',
      ),
  ],
  [
    'database audit',
    /logs nothing that superusers do/,
    (all) => {
      const { bootstrap } = spec<{ bootstrap: { initdb: { postInitApplicationSQL?: string[] } } }>(
        all,
        'Cluster',
        'credit-db',
      );
      delete bootstrap.initdb.postInitApplicationSQL;
    },
  ],
  [
    'database audit',
    /runs ghcr\.io\/cloudnative-pg\/postgresql:18\.1-minimal-trixie, which has no pgaudit/,
    (all) => {
      const cluster = spec<{ imageName: string }>(all, 'Cluster', 'credit-db');
      cluster.imageName = 'ghcr.io/cloudnative-pg/postgresql:18.1-minimal-trixie';
    },
  ],
  [
    'database logs',
    /debug_print_plan prints values/,
    (all) => Object.assign(databaseSettings(all), { debug_print_plan: 'on' }),
  ],
  [
    'database logs',
    /loads auto_explain/,
    (all) => {
      const { postgresql } = spec<{ postgresql: Record<string, unknown> }>(
        all,
        'Cluster',
        'credit-db',
      );
      postgresql['shared_preload_libraries'] = ['auto_explain'];
    },
  ],
  [
    'database logs',
    /log_parameter_max_length is not set/,
    (all) => {
      const map = all.find(({ data }) => data?.['cluster.yaml'] !== undefined);
      edit(map, 'cluster.yaml', /.*log_parameter_max_length:.*\n/, '');
    },
  ],
  [
    'trusted proxies',
    /trusts 10.244.0.0\/16, which is more than its proxies/,
    (all) => {
      configuration(all, 'gateway').data = { TRUSTED_PROXIES: '10.244.255.240/28,10.244.0.0/16' };
    },
  ],
  [
    'trusted proxies',
    /trusts ::\/0/,
    (all) => setVariable(container(all, 'gateway'), 'TRUSTED_PROXIES', '::/0'),
  ],
  [
    'trusted proxies',
    /trusts 10.0.0.0\/27/,
    (all) => setVariable(container(all, 'gateway'), 'TRUSTED_PROXIES', '10.0.0.0/27'),
  ],
  [
    'watched',
    /has no alert that asks for cnpg_pg_replication_streaming_replicas/,
    (all) => withoutAlerts(all, 'StandbyMissing'),
  ],
  [
    'watched',
    /has no alert that asks for restore_drill_lost_seconds/,
    (all) => withoutAlerts(all, 'RestorePromiseBroken'),
  ],
  [
    'restorable',
    /does not ask credit-db what was written last/,
    (all) => {
      const begin = drillStep(all, 'begin');
      setVariable(
        begin,
        'DATABASE_URL_LIVE',
        'postgres://$(DATABASE_LOGIN_LIVE)@restore-drill-credit-db-rw:5432/credit',
      );
    },
  ],
  [
    'restorable',
    /does not run verify-audit on its copy/,
    (all) => {
      drillStep(all, 'verify-audit').args = ['verify-record'];
    },
  ],
  [
    'restorable',
    /is not restored from s3:/,
    (all) => {
      const map = all.find(({ data }) => data?.['cluster.yaml'] !== undefined);
      edit(map, 'cluster.yaml', 'serverName: credit-db', 'serverName: scoring-db');
    },
  ],
  [
    'scraped',
    /lets no Prometheus read port 9464/,
    (all) => {
      policy(all, 'restore-drill-credit-db').ingress = [];
    },
  ],
  [
    'watched',
    /has no alert that asks for gnatsd_varz_jetstream_stats_storage/,
    (all) => withoutAlerts(all, 'NatsStorageFilling'),
  ],
  [
    'watched',
    /has no alert that asks for certmanager_certificate_expiration_timestamp_seconds/,
    (all) => withoutAlerts(all, 'CertificateNotRenewed'),
  ],
  [
    'watched',
    /has no alert that asks for kubelet_volume_stats_available_bytes/,
    (all) => withoutAlerts(all, 'VolumeFilling'),
  ],
  [
    'watched',
    /has no alert that asks for kube_horizontalpodautoscaler_spec_max_replicas/,
    (all) => withoutAlerts(all, 'AutoscalerAtMaximum'),
  ],
  [
    'watched',
    /has no alert that asks for db_group_commit_oldest_wait_seconds/,
    (all) => withoutAlerts(all, 'WritesWaiting'),
  ],
  [
    'watched',
    /has no alert that asks for absent\(http_server_request_duration_seconds_count\)/,
    (all) => withoutAlerts(all, 'NoRequests'),
  ],
  [
    'watched',
    /goes by a share alone/,
    (all) => {
      const burn = alertRules(all).find(({ alert }) => alert === 'GatewayAvailabilityBurn');
      if (burn !== undefined) burn.expr = burn.expr.replace(/\nand .*:count_.*/, '');
    },
  ],
  [
    'per server',
    /takes cnpg_pg_replication_streaming_replicas of all servers together/,
    (all) => replaceInAlerts(all, 'StandbyMissing', 'max by (server) (cnpg', 'max(cnpg'),
  ],
  [
    'per server',
    /takes cnpg_pg_database_xid_age of all servers together/,
    (all) => replaceInAlerts(all, 'TransactionIdsOld', '(server, datname)', '(datname)'),
  ],
  [
    'per server',
    /does not miss barman_cloud_\w+ of one server while another's is there/,
    (all) => replaceInAlerts(all, 'BackupTooOld', 'unless max by (server)', 'and max by (server)'),
  ],
  [
    'per server',
    /does not say by the label server whose instance it is/,
    (all) => {
      const { podMetricsEndpoints } = spec<{ podMetricsEndpoints: object[] }>(
        all,
        'PodMonitor',
        'credit-db',
      );
      podMetricsEndpoints.splice(0, 1, { port: 'metrics' });
    },
  ],
  [
    'scraped',
    /lets no Prometheus read port 7777/,
    (all) => {
      const nats = policy(all, 'nats');
      nats.ingress = nats.ingress?.filter(({ ports }) => ports?.[0]?.port !== 7777);
    },
  ],
  [
    'scraped',
    /shows no metrics/,
    (all) => {
      pod(all, 'StatefulSet', 'nats').initContainers = [];
    },
  ],
  [
    'scraped',
    /shows metrics that no PodMonitor asks for/,
    (all) => remove(all, 'PodMonitor', 'credit-db'),
  ],
  [
    'scraped',
    /finds no port metric$/,
    (all) => {
      const { podMetricsEndpoints } = spec<{ podMetricsEndpoints: Array<{ port: string }> }>(
        all,
        'PodMonitor',
        'credit-db',
      );
      podMetricsEndpoints.push({ port: 'metric' });
    },
  ],
  [
    'watched',
    /has no alert that asks for probe_ssl_earliest_cert_expiry/,
    (all) => withoutAlerts(all, 'PublicCertificateExpires'),
  ],
  ['watched', /has no alert that asks for vector\(1\)/, (all) => withoutAlerts(all, 'Watchdog')],
  [
    'probed from outside',
    /is asked for by no Probe/,
    (all) => remove(all, 'Probe', 'public-address'),
  ],
  [
    'probed from outside',
    /is asked for by no Probe/,
    (all) => {
      spec<{ hostnames: string[] }>(all, 'HTTPRoute', 'credit').hostnames = ['credit.example.org'];
    },
  ],
  [
    'probed from outside',
    /asks by blackbox.monitoring.svc:9115, which nothing here is/,
    (all) => {
      spec<{ prober: { url: string } }>(all, 'Probe', 'public-address').prober.url =
        'blackbox.monitoring.svc:9115';
    },
  ],
  [
    'probed from outside',
    /asks in the way publik, which no file says/,
    (all) => {
      spec<{ module: string }>(all, 'Probe', 'public-address').module = 'publik';
    },
  ],
  [
    'probed from outside',
    /has no alert that asks for its job/,
    (all) => {
      spec<{ jobName: string }>(all, 'Probe', 'public-address').jobName = 'address';
    },
  ],
  [
    'selected',
    /has not the label release=kube-prometheus-stack/,
    (all) => {
      delete find(all, 'PodMonitor', 'credit-db').metadata.labels;
    },
  ],
  [
    'bounded slots',
    /keeps the log for a standby without a bound/,
    (all) => delete databaseSettings(all)['max_slot_wal_keep_size'],
  ],
  [
    'bounded slots',
    /keeps 35 GB of log for a standby beside 8 GB on a volume of 40/,
    (all) => Object.assign(databaseSettings(all), { max_slot_wal_keep_size: '35GB' }),
  ],
];

/** The same of production on its restored server. */
const BREAKAGES_OF_THE_WORST_DAY: typeof BREAKAGES = [
  [
    'restorable',
    /archives to s3:\/\/.*\/credit-db, over another archive/,
    (all) => {
      const [plugin] = clusterSpec(all, 'credit-db-restored').plugins;
      Object.assign(plugin?.parameters ?? {}, { serverName: 'credit-db' });
    },
  ],
  [
    'restorable',
    /comes from what is not there, no ObjectStore: credit-db-old/,
    (all) => {
      const [first] = clusterSpec(all, 'credit-db-restored').externalClusters;
      Object.assign(first?.plugin.parameters ?? {}, { barmanObjectName: 'credit-db-old' });
    },
  ],
  [
    'restorable',
    /has a backup that nothing tries/,
    (all) => {
      for (const kind of ['CronJob', 'Role']) remove(all, kind, 'restore-drill-credit-db-restored');
    },
  ],
  [
    'restorable',
    /has no base backups/,
    (all) => remove(all, 'ScheduledBackup', 'credit-db-restored'),
  ],
  [
    'restorable',
    /has a max_connections with which recovery does not begin/,
    (all) => {
      clusterSpec(all, 'credit-db-restored').postgresql.parameters['max_connections'] = '519';
    },
  ],
  ['leadable', /is not verified by reconcile/, (all) => remove(all, 'Job', 'reconcile-restored')],
  [
    'leadable',
    /is not verified by verify-record/,
    (all) =>
      setVariable(
        container(all, 'verify-record-restored', 'Job'),
        'DATABASE_URL_LIVE',
        'postgres://$(DATABASE_LOGIN_LIVE)@database:5432/credit',
      ),
  ],
  [
    'leadable',
    /can be written to beside the one that traffic goes to/,
    (all) => {
      delete find(all, 'Cluster', 'credit-db').metadata.annotations;
      spec<{ suspend: boolean }>(all, 'ScheduledBackup', 'credit-db').suspend = false;
    },
  ],
  [
    'leadable',
    /shows no certificate of the name database/,
    (all) => {
      Object.assign(find(all, 'Certificate', 'credit-db-restored').spec as object, {
        dnsNames: ['credit-db-restored-rw'],
      });
    },
  ],
  [
    'leadable',
    /is where traffic goes, and has no pods/,
    (all) => {
      find(all, 'Cluster', 'credit-db-restored').metadata.annotations = {
        'cnpg.io/hibernation': 'on',
      };
    },
  ],
];

const valkeyFiles = (all: Manifest[]) =>
  all.find(({ data }) => data?.['valkey.conf'] !== undefined);

function secretText(all: Manifest[], name: string, key: string, from: string, to: string): void {
  const { template } = spec<{ target: { template: { data: Record<string, string> } } }>(
    all,
    'ExternalSecret',
    name,
  ).target;
  expect(template.data[key]).toContain(from);
  template.data[key] = template.data[key]?.replace(from, to) ?? '';
}

const BREAKAGES_OF_VALKEY: ReadonlyArray<[RegExp, (all: Manifest[]) => void]> = [
  [
    /has port 6379, which must be 0/,
    (all) => edit(valkeyFiles(all), 'valkey.conf', 'port 0', 'port 6379'),
  ],
  [
    /maxmemory-policy allkeys-lru, which must be noeviction/,
    (all) => edit(valkeyFiles(all), 'valkey.conf', 'noeviction', 'allkeys-lru'),
  ],
  [
    /has appendonly undefined, which must be yes/,
    (all) => edit(valkeyFiles(all), 'valkey.conf', 'appendonly yes', '# appendonly yes'),
  ],
  [
    /may hold 900 MB in a container of 1024/,
    (all) => edit(valkeyFiles(all), 'valkey.conf', '512mb', '900mb'),
  ],
  [
    /reaches Valkey without TLS/,
    (all) => secretText(all, 'identity-valkey', 'url', 'rediss:', 'redis:'),
  ],
  [/nothing makes identity-valkey/, (all) => remove(all, 'ExternalSecret', 'identity-valkey')],
  [
    /gives identity \+@all/,
    (all) => secretText(all, 'valkey-users', 'users.acl', '-@all +auth', '+@all +auth'),
  ],
  [
    /lets identity in without a password/,
    (all) => secretText(all, 'valkey-users', 'users.acl', '>{{ .password }}', 'nopass'),
  ],
  [
    /lets whoever says no name at keys/,
    (all) => secretText(all, 'valkey-users', 'users.acl', '+ping', '~credit:rate:* +ping'),
  ],
  [
    /lets Deployment gateway in/,
    (all) => {
      policy(all, 'valkey').ingress?.push({
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gateway' } } }],
        ports: [{ protocol: 'TCP', port: 6379 }],
      });
    },
  ],
  [
    /does not let identity in/,
    (all) => {
      policy(all, 'valkey').ingress?.shift();
    },
  ],
  [
    /nothing counts in it/,
    (all) => {
      const { data } = configuration(all, 'identity');
      delete data?.['RATE_LIMIT_STORE'];
    },
  ],
];

interface RoleRule {
  verbs: string[];
  resourceNames?: string[];
}

/** What the drill of the first server may do, to be changed in place. */
function roleRules(all: Manifest[]): RoleRule[] {
  return (find(all, 'Role', 'restore-drill-credit-db') as Manifest & { readonly rules: RoleRule[] })
    .rules;
}

const validation = (all: Manifest[]) =>
  spec<{ validation: { hostname: string; caCertificateRefs: unknown[] } }>(
    all,
    'BackendTLSPolicy',
    'gateway',
  ).validation;

/** What an Ingress must say of the connections that it makes, and what is said against it otherwise. */
const OF_AN_INGRESS: ReadonlyArray<readonly [annotation: string, value: string, message: RegExp]> =
  [
    ['backend-protocol', 'HTTP', /speaks plain HTTP to what is behind it/],
    ['proxy-ssl-verify', 'off', /believes any certificate/],
    ['proxy-ssl-secret', 'credit/credit-authorities', /believes others than credit-authorities/],
    ['proxy-ssl-name', 'identity', /asks for the name identity, and is shown gateway/],
  ];

interface ClusterParts {
  plugins: Array<{ parameters: Record<string, string> }>;
  externalClusters: Array<{ plugin: { parameters: Record<string, string> } }>;
  postgresql: { parameters: Record<string, string> };
}

const clusterSpec = (all: Manifest[], name: string) => spec<ClusterParts>(all, 'Cluster', name);

/** The same of production on several servers. */
const BREAKAGES_OF_MANY_SERVERS: typeof BREAKAGES = [
  [
    'one server each',
    /finds scoring_live at reporting-db, where nothing makes it/,
    (all) => {
      for (const [kind, name] of [
        ['Deployment', 'scoring'],
        ['Job', 'scoring-migrate'],
        ['CronJob', 'reconcile'],
      ] as const) {
        leadTo(container(all, name, kind), 'DATABASE_URL_LIVE', 'scoring-db', 'reporting-db');
      }
      policy(all, 'scoring').egress?.[0]?.to?.push({
        podSelector: { matchLabels: { 'cnpg.io/cluster': 'reporting-db' } },
      });
      policy(all, 'reporting-db').ingress?.[0]?.from?.push({
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'scoring' } },
      });
    },
  ],
  [
    'one server each',
    /finds reporting_test at test-db, where nothing makes it/,
    (all) =>
      setVariable(container(all, 'provision-test-db', 'Job'), 'DATABASE_ENVIRONMENTS', 'live'),
  ],
  [
    'promised connections',
    /DATABASE_URL_LIVE leads to cases-db:5432, which it may not reach/,
    (all) => {
      const [to] = policy(all, 'disputes').egress ?? [];
      if (to !== undefined) {
        to.to = [{ podSelector: { matchLabels: { 'cnpg.io/cluster': 'test-db' } } }];
      }
    },
  ],
  [
    'promised connections',
    /ADMIN_DATABASE_URL leads to identity-db:5432, which does not let it in/,
    (all) => {
      const [from] = policy(all, 'identity-db').ingress ?? [];
      const [services] = from?.from?.[0]?.podSelector?.matchExpressions ?? [];
      if (services !== undefined) services.values = ['identity'];
    },
  ],
  [
    'leadable',
    /shows no certificate of the name cases-db/,
    (all) => {
      Object.assign(find(all, 'Certificate', 'cases-db').spec as object, {
        dnsNames: ['cases-db-rw'],
      });
    },
  ],
  // Its snapshots are none.
  ['restorable', /has no base backups/, (all) => remove(all, 'ScheduledBackup', 'scoring-db')],
  [
    'restorable',
    /has snapshots without a class, or a class and no snapshots/,
    (all) => remove(all, 'ScheduledBackup', 'cases-db-snapshots'),
  ],
  [
    'restorable',
    /has a backup that nothing tries/,
    (all) => {
      for (const kind of ['CronJob', 'Role']) remove(all, kind, 'restore-drill-cases-db');
    },
  ],
  [
    'restorable',
    /does not run verify-record on its copy/,
    (all) => {
      const drill = pod(all, 'CronJob', 'restore-drill-test-db');
      drill.initContainers = drill.initContainers?.filter(({ name }) => name !== 'verify-record');
    },
  ],
  [
    'restorable',
    /archives to s3:\/\/.*, over another archive/,
    (all) => {
      spec<{ configuration: { destinationPath: string } }>(
        all,
        'ObjectStore',
        'cases-db',
      ).configuration.destinationPath = 's3://credit-network-backups/test-db';
      const [plugin] = clusterSpec(all, 'cases-db').plugins;
      Object.assign(plugin?.parameters ?? {}, { serverName: 'test-db' });
    },
  ],
  [
    'connection budget',
    /has \d+ connections to give, and up to \d+ are wanted: Deployment disputes/,
    (all) => {
      clusterSpec(all, 'cases-db').postgresql.parameters['max_connections'] = '60';
    },
  ],
  [
    'scraped',
    /shows metrics that no PodMonitor asks for/,
    (all) => {
      const { selector } = spec<{ selector: { matchExpressions: Array<{ values: string[] }> } }>(
        all,
        'PodMonitor',
        'credit-db',
      );
      selector.matchExpressions[0]?.values.pop();
    },
  ],
];

describe('rules of deployments', () => {
  it('has nothing to say against any overlay', () => {
    for (const overlay of overlayNames()) expect(lint(buildOverlay(overlay))).toEqual([]);
  });

  it.each(BREAKAGES)('%s: %s', (rule, message, breakage) => {
    const broken = structuredClone(production);
    breakage(broken);
    const findings = lint(broken);
    expect(findings.map((finding) => finding.message)).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set([rule]));
  });

  it.each(BREAKAGES_OF_THE_WORST_DAY)(
    '%s once traffic has moved: %s',
    (rule, message, breakage) => {
      const broken = structuredClone(moved);
      breakage(broken);
      const findings = lint(broken);
      expect(findings.map((finding) => finding.message)).toEqual(
        expect.arrayContaining([expect.stringMatching(message)]),
      );
      expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set([rule]));
    },
  );

  it.each(BREAKAGES_OF_MANY_SERVERS)('%s with many servers: %s', (rule, message, breakage) => {
    const broken = structuredClone(large);
    breakage(broken);
    const findings = lint(broken);
    expect(findings.map((finding) => finding.message)).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set([rule]));
  });

  it.each(BREAKAGES_OF_VALKEY)('rate store: %s', (message, breakage) => {
    const broken = structuredClone(counted_in_valkey);
    breakage(broken);
    const findings = lint(broken);
    expect(findings.map((finding) => finding.message)).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set(['rate store']));
  });

  it.each([
    ['any name', /endsWith/, /may make what has another name than its own/],
    ['no backup', /bootstrap/, /may make what comes from no backup/],
    ['any program', /imageName/, /may make what runs any program/],
    ['any Secret', /envFrom/, /may make what is given any Secret/],
  ])('rights: a drill could make a server of %s', (_what, expression, message) => {
    const broken = structuredClone(clusterWide());
    const bounds = spec<{ validations: Array<{ expression: string }> }>(
      broken,
      'ValidatingAdmissionPolicy',
      'credit-restore-drill',
    );
    bounds.validations = bounds.validations.filter((one) => !expression.test(one.expression));
    expect(rights(production, broken).map((finding) => finding.message)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it('rights: a bound that is only told, or of which nobody makes use, is none', () => {
    for (const change of [{ validationActions: ['Warn'] }, { policyName: 'another' }]) {
      const broken = structuredClone(clusterWide());
      const binding = find(broken, 'ValidatingAdmissionPolicyBinding', 'credit-restore-drill');
      Object.assign(binding.spec as object, change);
      expect(rights(production, broken)).toHaveLength(4);
    }
  });

  it.each(OF_AN_INGRESS)('encrypted way in by an Ingress: %s %s', (name, value, message) => {
    const broken = structuredClone(development);
    const annotations = find(broken, 'Ingress', 'credit').metadata.annotations ?? {};
    annotations[`nginx.ingress.kubernetes.io/${name}`] = value;
    expect(lint(broken)).toEqual([
      {
        rule: 'encrypted way in',
        title: 'Ingress credit',
        message: expect.stringMatching(message),
      },
    ]);
  });

  it('keeps a second region from the archive that it follows', () => {
    const broken = structuredClone(second_region);
    const { configuration } = spec<{ configuration: { destinationPath: string } }>(
      broken,
      'ObjectStore',
      'credit-db',
    );
    configuration.destinationPath = 's3://credit-network-backups/credit-db';
    expect(lint(broken).map(({ message }) => message)).toEqual([
      'archives to s3://credit-network-backups/credit-db/credit-db, over another archive',
    ]);
  });

  it('can begin from a snapshot, by the lines that are ready for that day', () => {
    const file = path.join(ROOT, 'deploy/k8s/overlays/prod-restore/moment.yaml');
    const ready = readFileSync(file, 'utf8').replace(/^( +)# (?=recovery|volume| {2})/gm, '$1');
    const given = load(ready) as { spec: { bootstrap: { recovery: object } } };
    expect(Object.keys(given.spec.bootstrap.recovery)).toEqual([
      'source',
      'recoveryTarget',
      'volumeSnapshots',
    ]);
    const day = structuredClone(moved);
    const copy = find(day, 'Cluster', 'credit-db-restored');
    Object.assign((copy.spec as { bootstrap: object }).bootstrap, given.spec.bootstrap);
    expect([...checkTypes([copy]), ...lint(day)]).toEqual([]);
  });

  it('leads where the overlay says, to a server that the services may reach', () => {
    const led = structuredClone(production);
    const { selector } = spec<{ selector: Record<string, string> }>(led, 'Service', 'database');
    expect(selector['cnpg.io/cluster']).toBe('credit-db');
    selector['cnpg.io/cluster'] = 'credit-db-restored';
    expect(lint(led).map(({ message }) => message)).toEqual(
      expect.arrayContaining(['leads to no server that is there']),
    );
    const unreached = structuredClone(moved);
    remove(unreached, 'NetworkPolicy', 'credit-db-restored');
    expect(new Set(lint(unreached).map(({ rule }) => rule))).toEqual(
      new Set(['promised connections']),
    );
  });

  it('tries every rule', () => {
    const tried = new Set([
      'rate store',
      ...[...BREAKAGES, ...BREAKAGES_OF_THE_WORST_DAY, ...BREAKAGES_OF_MANY_SERVERS].map(
        ([rule]) => rule,
      ),
    ]);
    expect([...tried].sort()).toEqual([
      'NATS rights',
      'alternating logins',
      'audit files',
      'bounded slots',
      'connection budget',
      'database audit',
      'database logs',
      'encrypted way in',
      'images',
      'immutable configuration',
      'isolation',
      'known addresses',
      'leadable',
      'one namespace',
      'one server each',
      'one trust',
      'own policies',
      'per server',
      'priority',
      'probed from outside',
      'probes',
      'promised connections',
      'public certificates',
      'rate store',
      'references',
      'reloads',
      'resources',
      'restorable',
      'restricted',
      'rights',
      'rollout',
      'scraped',
      'secrets',
      'selected',
      'traces',
      'trusted proxies',
      'variables',
      'watched',
    ]);
  });

  it('finds the objects that a ConfigMap keeps for later', () => {
    expect(
      embeddedManifests(production).map(({ kind, metadata }) => [kind, metadata.name]),
    ).toEqual([['Cluster', 'restore-drill-credit-db']]);
  });
});
