// The parts of Kubernetes objects that the rules look at. That documents have the right shape is
// checked by their full types before; here it is taken for granted.

/** What the names of all that belongs to a drill begin with; the server follows. */
export const DRILL = 'restore-drill-';

/** Any object, as `kubectl kustomize` prints it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec?: unknown;
  data?: Record<string, string>;
  immutable?: boolean;
  automountServiceAccountToken?: boolean;
}

export interface Probe {
  grpc?: { port: number; service?: string };
  httpGet?: { path?: string; port: number | string; scheme?: string };
  tcpSocket?: { port: number | string };
  exec?: { command: string[] };
}

export interface EnvironmentVariable {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string; optional?: boolean };
    configMapKeyRef?: { name: string; key: string; optional?: boolean };
    fieldRef?: unknown;
  };
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  ports?: Array<{ name?: string; containerPort: number; hostPort?: number }>;
  env?: EnvironmentVariable[];
  envFrom?: Array<{
    configMapRef?: { name: string };
    secretRef?: { name: string };
  }>;
  volumeMounts?: Array<{ name: string; mountPath: string }>;
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    privileged?: boolean;
    runAsUser?: number;
    runAsNonRoot?: boolean;
    capabilities?: { add?: string[]; drop?: string[] };
    seccompProfile?: { type: string };
  };
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number }; exec?: { command: string[] } } };
}

export interface Volume {
  name: string;
  secret?: { secretName: string; optional?: boolean; items?: Array<{ key: string }> };
  configMap?: { name: string };
  hostPath?: unknown;
  persistentVolumeClaim?: { claimName: string };
  projected?: {
    sources: Array<{
      secret?: { name: string; optional?: boolean; items?: Array<{ key: string; path?: string }> };
      configMap?: { name: string };
      serviceAccountToken?: unknown;
    }>;
  };
}

export interface PodSpec {
  serviceAccountName?: string;
  priorityClassName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: {
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seccompProfile?: { type: string };
  };
  topologySpreadConstraints?: Array<{
    topologyKey: string;
    maxSkew: number;
    labelSelector?: LabelSelector;
  }>;
  initContainers?: Container[];
  containers: Container[];
  volumes?: Volume[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: Array<{ key: string; operator: string; values?: string[] }>;
}

export interface PolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

export interface PolicyPort {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector: LabelSelector;
  policyTypes?: string[];
  ingress?: Array<{ from?: PolicyPeer[]; ports?: PolicyPort[] }>;
  egress?: Array<{ to?: PolicyPeer[]; ports?: PolicyPort[] }>;
}

/** Something that makes pods. */
export interface Workload {
  readonly manifest: Manifest;
  /** `Deployment gateway`. */
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
  /** Runs until it is told to stop. */
  readonly serves: boolean;
}

/** What a rule has found. */
export interface Finding {
  readonly rule: string;
  /** Of which object. */
  readonly title: string;
  readonly message: string;
}

/** `Deployment gateway`. */
export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

interface PodTemplate {
  metadata?: { labels?: Record<string, string> };
  spec: PodSpec;
}

/** All objects that make pods, with the pods they make. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const template = templateOf(manifest);
    if (template === undefined) return [];
    return [
      {
        manifest,
        title: titleOf(manifest),
        labels: template.metadata?.labels ?? {},
        pod: template.spec,
        serves: manifest.kind !== 'Job' && manifest.kind !== 'CronJob',
      },
    ];
  });
}

function templateOf(manifest: Manifest): PodTemplate | undefined {
  switch (manifest.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job':
      return (manifest.spec as { template: PodTemplate }).template;
    case 'CronJob':
      return (manifest.spec as { jobTemplate: { spec: { template: PodTemplate } } }).jobTemplate
        .spec.template;
    default:
      return undefined;
  }
}

/** All containers of a pod, those that run first included. */
export function containersOf(pod: PodSpec): Container[] {
  return [...(pod.initContainers ?? []), ...pod.containers];
}

/** Whether labels are what a selector asks for; an empty selector takes everything. */
export function selects(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const equal = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  return (
    equal.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          throw new Error(`There is no operator ${operator}.`);
      }
    })
  );
}

/** The objects of one kind. */
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}
