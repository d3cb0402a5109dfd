/** What documents use of a tool, as the tool's own documentation has it for the version we name. */
export interface Tool {
  readonly version: string;
  readonly source: string;
  /** What every command of it takes. A flag that ends in `=` takes a value. */
  readonly everywhere?: readonly string[];
  /** By command, of which there is one without a name where a tool has none. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
}

// Whoever writes something new into a runbook looks it up and puts it here. That kubectl knows these
// flags is asked of the kubectl that is installed (tools.test.ts).
export const TOOLS: Readonly<Record<string, Tool>> = {
  kubectl: {
    version: '1.34',
    source: 'https://kubernetes.io/docs/reference/kubectl/generated/',
    everywhere: ['-n=', '--namespace=', '--context='],
    commands: {
      annotate: ['--all', '--overwrite'],
      apply: ['-k=', '-f=', '--server-side', '--field-manager=', '--selector='],
      'config current-context': [],
      'create job': ['--from='],
      'create namespace': [],
      'create secret generic': ['--from-literal='],
      delete: ['-l=', '--cascade=', '--ignore-not-found', '--wait='],
      describe: ['-l='],
      diff: ['-k=', '--server-side', '--field-manager=', '--selector='],
      edit: [],
      exec: ['-c='],
      get: ['-A', '-l=', '-o=', '--raw=', '--show-labels'],
      logs: ['-l=', '-c=', '--all-containers', '--prefix', '--previous', '--since=', '--tail='],
      patch: ['-p=', '--type='],
      'port-forward': [],
      'rollout history': [],
      'rollout pause': [],
      'rollout restart': [],
      'rollout resume': [],
      'rollout status': ['--timeout='],
      'rollout undo': [],
      scale: ['--all', '--replicas='],
      'top pod': ['-l='],
      wait: ['--for=', '--timeout='],
    },
  },
  // A plugin: nothing may stand between it and kubectl.
  'kubectl cnpg': {
    version: '1.29',
    source: 'https://cloudnative-pg.io/docs/1.29/kubectl-plugin',
    everywhere: ['-n=', '--namespace=', '--context='],
    commands: {
      backup: ['-m=', '--method=', '--plugin-name=', '--backup-name=', '-t=', '--backup-target='],
      promote: [],
      reload: [],
      status: [],
    },
  },
  cmctl: {
    version: '2',
    source: 'https://cert-manager.io/docs/reference/cmctl/',
    everywhere: ['-n=', '--namespace='],
    commands: { renew: ['--all'] },
  },
  openssl: {
    version: '3',
    source: 'https://docs.openssl.org/3.0/man1/',
    commands: {
      pkey: ['-inform=', '-outform=', '-pubout'],
      rand: ['-base64', '-hex'],
      s_client: ['-connect=', '-servername='],
      x509: ['-noout', '-enddate', '-dates', '-issuer'],
    },
  },
  base64: {
    version: 'coreutils 9',
    source: 'https://www.gnu.org/software/coreutils/manual/',
    commands: { '': ['-d'] },
  },
  tail: {
    version: 'coreutils 9',
    source: 'https://www.gnu.org/software/coreutils/manual/',
    commands: { '': ['-c='] },
  },
  head: {
    version: 'coreutils 9',
    source: 'https://www.gnu.org/software/coreutils/manual/',
    commands: { '': [] },
  },
  grep: {
    version: '3',
    source: 'https://www.gnu.org/software/grep/manual/',
    commands: { '': ['-E', '-c', '-i'] },
  },
  pgrep: {
    version: 'procps 4',
    source: 'https://manpages.debian.org/trixie/procps/pgrep.1.en.html',
    commands: { '': ['-a', '-af'] },
  },
  curl: {
    version: '8',
    source: 'https://curl.se/docs/manpage.html',
    commands: { '': ['-s', '-sS', '-fsS', '-o=', '-w='] },
  },
};

/** What stands in the shell itself, and takes what it is given. */
export const BUILTINS: ReadonlySet<string> = new Set(['read', 'shift', 'echo', 'cd', 'export']);

/** What a container has beside what it is there for; an image without a shell has little. */
export const IN_CONTAINERS: Readonly<
  Record<'service' | 'nats' | 'postgres' | 'probe', readonly string[]>
> = {
  // gcr.io/distroless/nodejs24-debian13
  service: ['/nodejs/bin/node'],
  // Alpine with busybox.
  nats: ['du', 'df', 'wget', 'nats-server'],
  // Debian.
  postgres: ['du', 'df', 'psql'],
  // quay.io/prometheus/busybox: https://github.com/prometheus/blackbox_exporter/blob/master/Dockerfile
  probe: ['wget'],
};

/** What others show that no test here runs, beside what metrics.json lists of them. */
export const METRICS_OF_OTHERS: ReadonlySet<string> = new Set([
  // Prometheus itself, of alerts too, and the exporter of OpenTelemetry:
  // https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
  'ALERTS',
  'up',
  'target_info',
  // cAdvisor: https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md
  'container_cpu_cfs_throttled_periods_total',
]);

/** How objects are named on the command line. */
export const KINDS: Readonly<Record<string, string>> = {
  backup: 'Backup',
  certificate: 'Certificate',
  cluster: 'Cluster',
  'cluster.postgresql.cnpg.io': 'Cluster',
  cronjob: 'CronJob',
  deploy: 'Deployment',
  deployment: 'Deployment',
  externalsecret: 'ExternalSecret',
  hpa: 'HorizontalPodAutoscaler',
  job: 'Job',
  jobs: 'Job',
  namespace: 'Namespace',
  pod: 'Pod',
  podmonitor: 'PodMonitor',
  pods: 'Pod',
  pvc: 'PersistentVolumeClaim',
  scaledobject: 'ScaledObject',
  scheduledbackup: 'ScheduledBackup',
  secret: 'Secret',
  service: 'Service',
  statefulset: 'StatefulSet',
  // https://kubernetes.io/docs/concepts/storage/volume-snapshots/
  volumesnapshot: 'VolumeSnapshot',
  // What cert-manager makes: https://cert-manager.io/docs/concepts/acme-orders-challenges/
  certificaterequest: 'CertificateRequest',
  challenge: 'Challenge',
  order: 'Order',
  // The way in: https://gateway-api.sigs.k8s.io/reference/spec/
  gateway: 'Gateway',
  httproute: 'HTTPRoute',
  ingress: 'Ingress',
  // https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
  endpointslices: 'EndpointSlice',
  // https://prometheus-operator.dev/docs/api-reference/api/
  probe: 'Probe',
  servicemonitor: 'ServiceMonitor',
};

/** What changes how an object is treated, by the documentation of who reads it. */
export const ANNOTATIONS: Readonly<Record<string, string>> = {
  'autoscaling.keda.sh/paused-replicas': 'ScaledObject',
  // https://cloudnative-pg.io/docs/1.29/declarative_hibernation/
  'cnpg.io/hibernation': 'Cluster',
};
