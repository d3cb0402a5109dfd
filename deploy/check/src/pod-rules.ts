import {
  type Container,
  containersOf,
  DRILL,
  type Finding,
  type LabelSelector,
  type Manifest,
  ofKind,
  type Probe,
  selects,
  type Workload,
  workloadsOf,
} from './manifest';

/** Who may hold a token of the Kubernetes API: it makes and removes a copy of a database. */
const mayHoldToken = (name: string) => name.startsWith(DRILL);
/** Answers of the process alone; anything else in a liveness probe restarts pods for others' faults. */
const LIVENESS_PATHS = ['/healthz', '/healthz?js-enabled-only=true', '/'];
const LIVENESS_SERVICE = 'liveness';
/** What a service gives itself for an orderly end once it was told. */
const STOP_TIMEOUT_S = 20;

/** The `restricted` level of pod security, and what is stricter here. */
export function restricted(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  for (const namespace of ofKind(manifests, 'Namespace')) {
    for (const mode of ['enforce', 'audit', 'warn']) {
      if (namespace.metadata.labels?.[`pod-security.kubernetes.io/${mode}`] !== 'restricted') {
        findings.push(
          finding(
            'restricted',
            `Namespace ${namespace.metadata.name}`,
            `does not ${mode} restricted`,
          ),
        );
      }
    }
  }
  for (const { title, pod, labels, manifest } of workloadsOf(manifests)) {
    const say = (message: string) => findings.push(finding('restricted', title, message));
    const pod_context = pod.securityContext ?? {};
    if (pod_context.runAsNonRoot !== true) say('may run as root');
    if (pod_context.runAsUser === 0) say('runs as root');
    if (pod_context.seccompProfile?.type !== 'RuntimeDefault') say('has no seccomp profile');
    if (pod.hostNetwork || pod.hostPID || pod.hostIPC) say('shares a namespace of its node');
    if (pod.automountServiceAccountToken !== false) say('mounts a service-account token');
    if (pod.enableServiceLinks !== false) say('gets a variable for every Service around');
    if (!pod.serviceAccountName || pod.serviceAccountName === 'default') {
      say('has no service account of its own');
    } else if (!isOwnAccount(pod.serviceAccountName, labels)) {
      say(`uses the service account ${pod.serviceAccountName} of another workload`);
    }
    for (const volume of pod.volumes ?? []) {
      if (volume.hostPath !== undefined) say(`mounts a folder of its node: ${volume.name}`);
      const has_token = volume.projected?.sources.some((source) => source.serviceAccountToken);
      if (has_token && !mayHoldToken(manifest.metadata.name)) {
        say(`projects a service-account token: ${volume.name}`);
      }
    }
    for (const container of containersOf(pod)) {
      for (const message of restrictedContainer(container)) say(`${container.name} ${message}`);
    }
  }
  for (const account of ofKind(manifests, 'ServiceAccount')) {
    if (account.automountServiceAccountToken !== false) {
      findings.push(
        finding(
          'restricted',
          `ServiceAccount ${account.metadata.name}`,
          'gives its token to every pod',
        ),
      );
    }
  }
  return findings;
}

function isOwnAccount(account: string, labels: Readonly<Record<string, string>>): boolean {
  return labels['app.kubernetes.io/name'] === account;
}

function restrictedContainer(container: Container): string[] {
  const context = container.securityContext ?? {};
  const messages: string[] = [];
  if (context.allowPrivilegeEscalation !== false) messages.push('may gain privileges');
  if (context.privileged) messages.push('is privileged');
  if (context.readOnlyRootFilesystem !== true) messages.push('can write to its root filesystem');
  if (!context.capabilities?.drop?.includes('ALL')) messages.push('keeps capabilities');
  if (context.capabilities?.add !== undefined) messages.push('adds capabilities');
  if (context.runAsUser === 0 || context.runAsNonRoot === false) messages.push('runs as root');
  if (context.seccompProfile && context.seccompProfile.type !== 'RuntimeDefault') {
    messages.push('has a seccomp profile of its own');
  }
  for (const port of container.ports ?? []) {
    if (port.hostPort !== undefined) messages.push(`takes port ${port.hostPort} of its node`);
  }
  return messages;
}

/** What a container may use is said, so that one cannot starve another. */
export function resources(manifests: readonly Manifest[]): Finding[] {
  return workloadsOf(manifests).flatMap(({ title, pod }) =>
    containersOf(pod).flatMap(({ name, resources: given }) => {
      const missing = [
        ...['cpu', 'memory']
          .filter((key) => !given?.requests?.[key])
          .map((key) => `requests ${key}`),
        ...(given?.limits?.['memory'] ? [] : ['limits memory']),
      ];
      return missing.map((what) =>
        finding('resources', title, `${name} says nothing about ${what}`),
      );
    }),
  );
}

/** All three probes, the one for liveness without dependencies, on ports that exist. */
export function probes(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  for (const { title, pod, serves } of workloadsOf(manifests)) {
    if (!serves) continue;
    for (const container of pod.containers) {
      const say = (message: string) =>
        findings.push(finding('probes', title, `${container.name} ${message}`));
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const [name, probe] of Object.entries({ startupProbe, livenessProbe, readinessProbe })) {
        if (probe === undefined) say(`has no ${name}`);
        else if (!portExists(container, probe))
          say(`has a ${name} on a port that it does not have`);
      }
      if (livenessProbe !== undefined && !isLiveness(livenessProbe)) {
        say('asks for more than its own life in its livenessProbe');
      }
    }
  }
  return findings;
}

function isLiveness({ grpc, httpGet, tcpSocket }: Probe): boolean {
  // That somebody listens says nothing of others.
  if (tcpSocket !== undefined) return true;
  return grpc ? grpc.service === LIVENESS_SERVICE : LIVENESS_PATHS.includes(httpGet?.path ?? '');
}

function portExists(container: Container, { grpc, httpGet, tcpSocket }: Probe): boolean {
  const port = grpc?.port ?? httpGet?.port ?? tcpSocket?.port;
  return (container.ports ?? []).some(
    ({ name, containerPort }) => port === containerPort || (port !== undefined && port === name),
  );
}

/** A release, a node's end and a zone's end are survived without an error that callers see. */
export function rollout(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const budgets = ofKind(manifests, 'PodDisruptionBudget').map(
    ({ spec }) => (spec as { selector: LabelSelector }).selector,
  );
  const scaled = new Set(autoscalersOf(manifests).map(({ target }) => target));
  for (const workload of workloadsOf(manifests)) {
    if (!workload.serves) continue;
    const { title, pod, labels, manifest } = workload;
    const say = (message: string) => findings.push(finding('rollout', title, message));
    const spec = manifest.spec as {
      replicas?: number;
      strategy?: { rollingUpdate?: { maxUnavailable?: number | string } };
    };
    if (manifest.kind === 'Deployment' && spec.strategy?.rollingUpdate?.maxUnavailable !== 0) {
      say('takes pods away before their successors are ready');
    }
    if (scaled.has(manifest.metadata.name) && spec.replicas !== undefined) {
      say('sets replicas, which every release would set back against its autoscaler');
    }
    if (!budgets.some((selector) => selects(selector, labels))) say('has no PodDisruptionBudget');
    const over_zones = pod.topologySpreadConstraints?.some(
      ({ topologyKey, labelSelector }) =>
        topologyKey === 'topology.kubernetes.io/zone' &&
        labelSelector !== undefined &&
        selects(labelSelector, labels),
    );
    if (!over_zones) say('is not spread over zones');
    findings.push(...stopFindings(workload));
  }
  for (const { title, target } of autoscalersOf(manifests)) {
    const exists = ofKind(manifests, 'Deployment').some(({ metadata }) => metadata.name === target);
    if (!exists) findings.push(finding('rollout', title, `scales ${target}, which does not exist`));
  }
  return findings;
}

function stopFindings({ title, pod }: Workload): Finding[] {
  return pod.containers.flatMap(({ name, lifecycle }) => {
    const pre_stop = lifecycle?.preStop;
    if (pre_stop === undefined) {
      return [finding('rollout', title, `${name} stops before its callers have heard of it`)];
    }
    const pause_s = pre_stop.sleep?.seconds ?? 0;
    const given_s = pod.terminationGracePeriodSeconds ?? 30;
    if (name !== 'service' || given_s > pause_s + STOP_TIMEOUT_S) return [];
    return [finding('rollout', title, `${name} is killed before it can stop in order`)];
  });
}

/** What serves members, and what that stands on, is not put off a full node for anything else. */
export function priority(manifests: readonly Manifest[]): Finding[] {
  const classes = new Set(ofKind(manifests, 'PriorityClass').map(({ metadata }) => metadata.name));
  const servers = [
    ...workloadsOf(manifests)
      .filter(
        ({ serves, manifest, pod }) =>
          serves &&
          (manifest.kind === 'StatefulSet' ||
            pod.containers.some(({ name }) => name === 'service')),
      )
      .map(({ title, pod }) => ({ title, name: pod.priorityClassName })),
    ...ofKind(manifests, 'Cluster').map(({ metadata, spec }) => ({
      title: `Cluster ${metadata.name}`,
      name: (spec as { priorityClassName?: string }).priorityClassName,
    })),
  ];
  return servers
    .filter(({ name }) => name === undefined || !classes.has(name))
    .map(({ title, name }) =>
      finding(
        'priority',
        title,
        name ? `has the priority ${name}, which nothing makes` : 'has no priority',
      ),
    );
}

/** Whatever decides on a number of replicas. */
export interface Autoscaler {
  readonly title: string;
  readonly target: string;
  readonly max: number;
}

/** All autoscalers, Kubernetes' own and KEDA's. */
export function autoscalersOf(manifests: readonly Manifest[]): Autoscaler[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const title = `${kind} ${metadata.name}`;
    if (kind === 'HorizontalPodAutoscaler') {
      const { scaleTargetRef, maxReplicas } = spec as {
        scaleTargetRef: { name: string };
        maxReplicas: number;
      };
      return [{ title, target: scaleTargetRef.name, max: maxReplicas }];
    }
    if (kind === 'ScaledObject') {
      const { scaleTargetRef, maxReplicaCount = 100 } = spec as {
        scaleTargetRef: { name: string };
        maxReplicaCount?: number;
      };
      return [{ title, target: scaleTargetRef.name, max: maxReplicaCount }];
    }
    return [];
  });
}

function finding(rule: string, title: string, message: string): Finding {
  return { rule, title, message };
}
