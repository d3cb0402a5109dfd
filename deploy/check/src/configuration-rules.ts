import { disputesConfig } from '@credit/disputes/config';
import { gatewayConfig } from '@credit/gateway/config';
import { configSchema as identityConfig } from '@credit/identity/config';
import { streamConfig } from '@credit/platform/runtime';
import { reportingConfig } from '@credit/reporting/config';
import { scoringConfig } from '@credit/scoring/config';
import { webhooksConfig } from '@credit/webhooks/config';
import { z } from 'zod';
import {
  type Container,
  containersOf,
  type EnvironmentVariable,
  type Finding,
  type Manifest,
  ofKind,
  titleOf,
  workloadsOf,
} from './manifest';
import { autoscalersOf } from './pod-rules';

type Shape = Readonly<Record<string, z.ZodType>>;

/** What each service reads of its environment, by the very schema that it parses it with. */
const SHAPES: Readonly<Record<string, Shape>> = {
  gateway: shapeOf(gatewayConfig),
  identity: shapeOf(identityConfig),
  reporting: shapeOf(reportingConfig),
  scoring: shapeOf(scoringConfig),
  disputes: shapeOf(disputesConfig),
  webhooks: shapeOf(webhooksConfig),
};

/** What every process reads beside that: of telemetry, logs and certificates. */
export const PLATFORM_VARIABLES: ReadonlySet<string> = new Set([
  'LOG_LEVEL',
  'METRICS_HOST',
  'METRICS_PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER_ARG',
  'TLS_CA_FILE',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'TLS_RELOAD_MS',
]);

/** Of the command that makes roles; all of them are needed in a cluster. */
const PROVISION_VARIABLES = [
  'ADMIN_DATABASE_URL',
  'DATABASE_NAME',
  'DATABASE_SERVICES',
  'PASSWORDS_DIRECTORY',
];

const TLS_VARIABLES = ['TLS_CA_FILE', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];

function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject) return schema.shape as Shape;
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  throw new Error('A configuration that is no object cannot be compared with manifests.');
}

/** Which service a container runs; undefined for foreign images. */
function serviceOf({ image }: Container): string | undefined {
  return /(?:^|\/)credit-network\/([a-z]+)(?:[:@]|$)/.exec(image ?? '')?.[1];
}

/** What a container is given, by its ConfigMaps too. */
export function variablesOf(
  container: Container,
  manifests: readonly Manifest[],
): EnvironmentVariable[] {
  const configured = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
    const map = ofKind(manifests, 'ConfigMap').find(
      ({ metadata }) => metadata.name === configMapRef?.name,
    );
    return Object.entries(map?.data ?? {}).map(([name, value]) => ({ name, value }));
  });
  return [...configured, ...(container.env ?? [])];
}

/** A variable as a manifest sets it; the value is unknown when it comes from a secret. */
export type GivenVariable = Pick<EnvironmentVariable, 'name' | 'value'>;

const missing = (name: string) => `${name} is not set`;

/** What a service, or the command that makes roles, would say about an environment. */
export function variableFaults(
  service: string,
  given: readonly GivenVariable[],
  command: readonly string[] = [],
): string[] {
  const names = new Set(given.map(({ name }) => name));
  if (command.some((part) => part.endsWith('/provision-command.js'))) {
    const wanted = PROVISION_VARIABLES.filter((name) => !names.has(name)).map(missing);
    const by_variable = [...names].some((name) => name.startsWith('DATABASE_PASSWORD_'));
    return wanted.filter((fault) => !(by_variable && fault === missing('PASSWORDS_DIRECTORY')));
  }
  if (command.some((part) => part.endsWith('/stream-command.js'))) {
    return shapeFaults('stream', shapeOf(streamConfig), given);
  }
  const shape = SHAPES[service];
  if (shape === undefined) return [`there is no service ${service}`];
  return shapeFaults(service, shape, given);
}

function shapeFaults(service: string, shape: Shape, given: readonly GivenVariable[]): string[] {
  const names = new Set(given.map(({ name }) => name));
  const used_by_others = new Set(
    given.flatMap(({ value = '' }) =>
      [...value.matchAll(/\$\(([A-Z_]+)\)/g)].map(([, name]) => name ?? ''),
    ),
  );
  return [
    ...Object.entries(shape)
      .filter(
        ([name, field]) =>
          !(names.has(name) || names.has(`${name}_FILE`)) && !field.safeParse(undefined).success,
      )
      .map(([name]) => missing(name)),
    ...given.flatMap(({ name, value }) => {
      const field = shape[name];
      if (field !== undefined) {
        const issues = value === undefined ? [] : (field.safeParse(value).error?.issues ?? []);
        return issues.map((issue) => `${name} ${issue.message}`);
      }
      // Its value is in a file.
      const of_file = name.endsWith('_FILE') && shape[name.slice(0, -'_FILE'.length)] !== undefined;
      const known = of_file || PLATFORM_VARIABLES.has(name) || used_by_others.has(name);
      return known ? [] : [`${name} is nothing that ${service} knows`];
    }),
    ...[...used_by_others]
      .filter((name) => !isDefinedBefore(given, name))
      .map((name) => `$(${name}) stands for nothing`),
  ];
}

/** Each container is given what its service needs, nothing it does not know, and nothing unfit. */
export function variables(manifests: readonly Manifest[]): Finding[] {
  return workloadsOf(manifests).flatMap(({ title, pod, serves }) =>
    containersOf(pod).flatMap((container) => {
      const service = serviceOf(container);
      if (service === undefined) return [];
      const given = variablesOf(container, manifests);
      const tls = serves
        ? TLS_VARIABLES.filter((name) => !given.some((variable) => variable.name === name))
        : [];
      return [
        ...variableFaults(service, given, container.command),
        ...tls.map((name) => `${name} is not set`),
      ].map((fault) => ({ rule: 'variables', title, message: `${container.name}: ${fault}` }));
    }),
  );
}

/** Kubernetes replaces `$(NAME)` only where NAME comes earlier in the list. */
function isDefinedBefore(given: readonly GivenVariable[], name: string): boolean {
  const place = given.findIndex((variable) => variable.name === name);
  const first_use = given.findIndex(({ value = '' }) => value.includes(`$(${name})`));
  return place !== -1 && place < first_use;
}

/** Every ConfigMap and Secret, and every key in it, that pods refer to is made by something. */
export function references(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const secrets = secretsMade(manifests);
  const config_maps = new Set([
    // Kubernetes puts it into every namespace.
    'kube-root-ca.crt',
    ...ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name),
  ]);
  const accounts = new Set(
    ofKind(manifests, 'ServiceAccount').map(({ metadata }) => metadata.name),
  );
  for (const { title, pod } of workloadsOf(manifests)) {
    const say = (message: string) => findings.push({ rule: 'references', title, message });
    const needSecret = (name: string, keys: readonly string[], optional = false) => {
      const made = secrets.get(name);
      if (made === undefined) {
        if (!optional) say(`needs the Secret ${name}, which nothing makes`);
        return;
      }
      for (const key of keys) {
        if (!made.has(key) && !optional) say(`needs ${key} in the Secret ${name}`);
      }
    };
    const needConfigMap = (name: string) => {
      if (!config_maps.has(name)) say(`needs the ConfigMap ${name}, which nothing makes`);
    };
    for (const container of containersOf(pod)) {
      for (const { valueFrom } of container.env ?? []) {
        const secret = valueFrom?.secretKeyRef;
        if (secret !== undefined) needSecret(secret.name, [secret.key], secret.optional);
        if (valueFrom?.configMapKeyRef) needConfigMap(valueFrom.configMapKeyRef.name);
      }
      for (const { configMapRef, secretRef } of container.envFrom ?? []) {
        if (configMapRef !== undefined) needConfigMap(configMapRef.name);
        if (secretRef !== undefined) say('takes a whole Secret for its environment');
      }
      const volumes = new Set(pod.volumes?.map(({ name }) => name));
      for (const { name } of container.volumeMounts ?? []) {
        const claimed = claimsOf(manifests).has(name);
        if (!volumes.has(name) && !claimed) say(`mounts ${name}, which is no volume`);
      }
    }
    for (const { secret, configMap, projected } of pod.volumes ?? []) {
      if (secret !== undefined) {
        needSecret(
          secret.secretName,
          (secret.items ?? []).map(({ key }) => key),
          secret.optional,
        );
      }
      if (configMap !== undefined) needConfigMap(configMap.name);
      for (const source of projected?.sources ?? []) {
        if (source.secret) {
          needSecret(
            source.secret.name,
            (source.secret.items ?? []).map(({ key }) => key),
            source.secret.optional,
          );
        }
        if (source.configMap) needConfigMap(source.configMap.name);
      }
    }
    if (!accounts.has(pod.serviceAccountName ?? '')) {
      say(`runs as ${pod.serviceAccountName}, which nothing makes`);
    }
  }
  return findings;
}

function claimsOf(manifests: readonly Manifest[]): Set<string> {
  return new Set(
    ofKind(manifests, 'StatefulSet').flatMap(({ spec }) =>
      ((spec as { volumeClaimTemplates?: Manifest[] }).volumeClaimTemplates ?? []).map(
        ({ metadata }) => metadata.name,
      ),
    ),
  );
}

interface ExternalSecretSpec {
  target?: {
    name?: string;
    template?: { data?: Record<string, string>; mergePolicy?: 'Merge' | 'Replace' };
  };
  data?: Array<{ secretKey: string }>;
  dataFrom?: Array<{ rewrite?: Array<{ regexp?: { target: string } }> }>;
}

/** What deploy/k8s/authorities.sh makes. */
export const AUTHORITIES = 'credit-authorities';

/** Secrets by name, with their keys, that cert-manager, External Secrets and CloudNativePG make. */
export function secretsMade(manifests: readonly Manifest[]): Map<string, Set<string>> {
  const made = new Map<string, Set<string>>();
  for (const { spec } of ofKind(manifests, 'Certificate')) {
    const { secretName, isCA } = spec as { secretName: string; isCA?: boolean };
    made.set(secretName, new Set(['tls.crt', 'tls.key', 'ca.crt']));
    // By authorities.sh.
    if (isCA) made.set(AUTHORITIES, new Set(['ca.crt']));
  }
  for (const { metadata, spec } of ofKind(manifests, 'ExternalSecret')) {
    const { target, data = [], dataFrom = [] } = spec as ExternalSecretSpec;
    const template = target?.template;
    const fetched = [
      ...data.map(({ secretKey }) => secretKey),
      ...dataFrom.flatMap(({ rewrite = [] }) =>
        rewrite.flatMap(({ regexp }) => (regexp ? [regexp.target] : [])),
      ),
    ];
    made.set(
      target?.name ?? metadata.name,
      new Set([
        ...Object.keys(template?.data ?? {}),
        // A template takes the place of what was fetched for it.
        ...(template?.data === undefined || template.mergePolicy === 'Merge' ? fetched : []),
      ]),
    );
  }
  for (const { metadata } of ofKind(manifests, 'Cluster')) {
    made.set(`${metadata.name}-app`, new Set(['username', 'password', 'host', 'port', 'dbname']));
  }
  return made;
}

/** What a login is, which stands in a URL beside it. */
const IN_URL = /^(DATABASE_LOGIN|ADMIN_PASSWORD|AUDIT_PUBLIC_KEYS)/;

/** No secret is in the repository, and none of a server's is in its environment. */
export function secrets(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  for (const manifest of ofKind(manifests, 'Secret')) {
    findings.push({ rule: 'secrets', title: titleOf(manifest), message: 'is in a file' });
  }
  for (const { title, pod } of workloadsOf(manifests)) {
    for (const container of containersOf(pod)) {
      for (const { name, value, valueFrom } of variablesOf(container, manifests)) {
        if (valueFrom?.secretKeyRef !== undefined && !IN_URL.test(name)) {
          findings.push({
            rule: 'secrets',
            title,
            message: `${container.name}: ${name} is in the environment, where a file would do`,
          });
        }
        const is_secret =
          /(PASSWORD|DATABASE_LOGIN|SIGNING_KEY|SECRET_KEY|SECRET_KEYS_PREVIOUS|TOKEN|SMTP_URL|VALKEY_URL)/.test(
            name,
          );
        const holds_password = /:\/\/[^/@:]*:(?!\$\()[^/@]+@/.test(value ?? '');
        if (
          value !== undefined &&
          ((is_secret && !/_(DIRECTORY|FILE)$/.test(name)) || holds_password)
        ) {
          findings.push({
            rule: 'secrets',
            title,
            message: `${container.name}: ${name} is in a file`,
          });
        }
      }
    }
  }
  return findings;
}

/** The operator's own connections, its exporter's, and what a person needs to look at a full server. */
const OTHER_CONNECTIONS = 15;
/** Of a migration: one holds the lock, one works. */
const JOB_CONNECTIONS = 2;

/** A Service by which a database server is found. */
export interface DatabaseService {
  readonly name: string;
  /** Undefined when no server of that name is there. */
  readonly server: Manifest | undefined;
}

/** All of them: each the one place where the traffic of a server moves to another. */
export function databaseServices(manifests: readonly Manifest[]): DatabaseService[] {
  return ofKind(manifests, 'Service')
    .filter(({ metadata }) => metadata.labels?.['credit-network/leads-to'] === 'database')
    .map(({ metadata, spec }) => {
      const { selector = {} } = spec as { selector?: Record<string, string> };
      const server = ofKind(manifests, 'Cluster').find(
        (cluster) => cluster.metadata.name === selector['cnpg.io/cluster'],
      );
      return { name: metadata.name, server };
    });
}

/** The servers that services find their data on. */
export function servingDatabases(manifests: readonly Manifest[]): Manifest[] {
  return [...new Set(databaseServices(manifests).flatMap(({ server }) => server ?? []))];
}

/** Sums up the pools of all pods at their largest, while a release doubles one of each; for each server. */
export function connectionBudget(manifests: readonly Manifest[]): Finding[] {
  return servingDatabases(manifests).flatMap((cluster) => budgetOf(cluster, manifests));
}

function budgetOf(cluster: Manifest, manifests: readonly Manifest[]): Finding[] {
  const hosts = databaseServices(manifests)
    .filter(({ server }) => server === cluster)
    .map(({ name }) => name);
  const { parameters = {} } = (
    cluster.spec as { postgresql: { parameters?: Record<string, string> } }
  ).postgresql;
  const available =
    Number(parameters['max_connections'] ?? 100) -
    Number(parameters['superuser_reserved_connections'] ?? 3) -
    OTHER_CONNECTIONS;
  const wanted = connectionsWanted(manifests, hosts);
  const sum = wanted.reduce((total, { connections }) => total + connections, 0);
  if (sum <= available) return [];
  const list = wanted.map(({ title, connections }) => `${title} ${connections}`).join(', ');
  return [
    {
      rule: 'connection budget',
      title: titleOf(cluster),
      message: `has ${available} connections to give, and up to ${sum} are wanted: ${list}`,
    },
  ];
}

/** By workload: the most connections that its pods may hold to what is found by these names. */
export function connectionsWanted(
  manifests: readonly Manifest[],
  hosts: readonly string[] = databaseServices(manifests).map(({ name }) => name),
): Array<{ title: string; connections: number }> {
  const autoscalers = autoscalersOf(manifests);
  return workloadsOf(manifests).flatMap(({ title, pod, serves, manifest }) => {
    const per_pod = pod.containers.reduce(
      (sum, container) => sum + poolOf(container, manifests, hosts),
      0,
    );
    if (per_pod === 0) return [];
    if (manifest.kind === 'Job') return [{ title, connections: JOB_CONNECTIONS }];
    const spec = manifest.spec as {
      replicas?: number;
      strategy?: { rollingUpdate?: { maxSurge?: number } };
    };
    const scaled = autoscalers.find(({ target }) => target === manifest.metadata.name)?.max;
    const pods = serves
      ? (scaled ?? spec.replicas ?? 1) + (spec.strategy?.rollingUpdate?.maxSurge ?? 1)
      : 1;
    return [{ title, connections: pods * per_pod }];
  });
}

function poolOf(
  container: Container,
  manifests: readonly Manifest[],
  hosts: readonly string[],
): number {
  const given = new Map(
    variablesOf(container, manifests).map(({ name, value }) => [name, value ?? '']),
  );
  const urls = [...given].filter(
    ([name, value]) =>
      /DATABASE_URL/.test(name) && hosts.some((host) => value.includes(`@${host}:`)),
  ).length;
  const shape = SHAPES[serviceOf(container) ?? ''] ?? {};
  const size = (name: string) => {
    const field = shape[name];
    return field === undefined ? 0 : Number(field.parse(given.get(name)));
  };
  if (urls > 0 && container.command !== undefined) return JOB_CONNECTIONS;
  return urls === 0 ? 0 : urls * size('DB_POOL_SIZE') + size('AUTHORIZE_POOL_SIZE');
}

/** Configuration cannot change under a running process: a change is a new name and a release. */
export function immutableConfiguration(manifests: readonly Manifest[]): Finding[] {
  const used = new Set(
    workloadsOf(manifests).flatMap(({ pod }) => [
      ...containersOf(pod).flatMap(({ envFrom = [] }) =>
        envFrom.map(({ configMapRef }) => configMapRef?.name),
      ),
      ...(pod.volumes ?? []).map(({ configMap }) => configMap?.name),
    ]),
  );
  return ofKind(manifests, 'ConfigMap')
    .filter(({ metadata }) => used.has(metadata.name))
    .filter(
      ({ immutable, metadata }) => immutable !== true || !/-[a-z0-9]{10}$/.test(metadata.name),
    )
    .map((manifest) => ({
      rule: 'immutable configuration',
      title: titleOf(manifest),
      message: 'can change under running processes',
    }));
}

/** Images of a known version. */
export function images(manifests: readonly Manifest[]): Finding[] {
  return imagesOf(manifests)
    .filter(({ image }) => !/@sha256:[0-9a-f]{64}$/.test(image))
    .filter(({ image }) => !/:[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(image) || /:latest$/.test(image))
    .map(({ title, image }) => ({ rule: 'images', title, message: `${image} may be any version` }));
}

/** Every image that a manifest names. */
export function imagesOf(manifests: readonly Manifest[]): Array<{ title: string; image: string }> {
  return [
    ...workloadsOf(manifests).flatMap(({ title, pod }) =>
      containersOf(pod).map(({ image = '' }) => ({ title, image })),
    ),
    ...ofKind(manifests, 'Cluster').map((manifest) => ({
      title: titleOf(manifest),
      image: (manifest.spec as { imageName?: string }).imageName ?? '',
    })),
  ];
}

/** Everything is in the one namespace, and queries ask for that one. */
export function oneNamespace(manifests: readonly Manifest[]): Finding[] {
  const [namespace, ...more] = ofKind(manifests, 'Namespace').map(({ metadata }) => metadata.name);
  const findings: Finding[] = [];
  const say = (manifest: Manifest, message: string) =>
    findings.push({ rule: 'one namespace', title: titleOf(manifest), message });
  for (const manifest of manifests) {
    if (manifest.kind === 'Namespace') {
      if (more.includes(manifest.metadata.name)) say(manifest, 'is one too many');
      continue;
    }
    const { namespace: own = namespace } = manifest.metadata;
    if (own !== namespace) say(manifest, `is in ${own}`);
    const asked = JSON.stringify(manifest.spec ?? {}).matchAll(/namespace=~?\\"([^"\\]+)\\"/g);
    for (const [, name] of asked) {
      if (name !== namespace) say(manifest, `asks for metrics of ${name}`);
    }
  }
  return findings;
}
