import {
  containersOf,
  DRILL,
  type Finding,
  type LabelSelector,
  type Manifest,
  ofKind,
  selects,
  titleOf,
  workloadsOf,
} from './manifest';
import { admits } from './network-rules';

/** Where Prometheus is. */
const MONITORING = { 'kubernetes.io/metadata.name': 'monitoring' };
/** CloudNativePG's name for the port of an instance's metrics, and the port. */
const DATABASE_PORT = { name: 'metrics', containerPort: 9187 };

/** What an alert must ask for where something is deployed. */
interface Watch {
  readonly of: (manifests: readonly Manifest[]) => Manifest | undefined;
  readonly metrics: readonly string[];
}

const WATCHES: readonly Watch[] = [
  {
    of: (all) => ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === 'gateway'),
    metrics: [
      'http_server_request_duration_seconds_count',
      'absent(http_server_request_duration_seconds_count)',
    ],
  },
  {
    of: (all) => ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === 'reporting'),
    metrics: ['db_group_commit_oldest_wait_seconds'],
  },
  {
    of: (all) => [...ofKind(all, 'Cluster'), ...ofKind(all, 'StatefulSet')][0],
    metrics: ['kubelet_volume_stats_available_bytes', 'absent(kubelet_volume_stats'],
  },
  {
    of: (all) => ofKind(all, 'Cluster')[0],
    metrics: [
      'cnpg_pg_replication_streaming_replicas',
      'absent(cnpg_pg_replication_streaming_replicas',
      'cnpg_pg_replication_lag',
      'cnpg_pg_stat_replication_flush_lag_seconds',
      'cnpg_pg_replication_slots_pg_wal_lsn_diff',
      'cnpg_pg_replication_slots_active',
      'cnpg_pg_database_xid_age',
    ],
  },
  {
    of: (all) => ofKind(all, 'StatefulSet').find(({ metadata }) => metadata.name === 'nats'),
    metrics: [
      'gnatsd_varz_jetstream_stats_storage',
      'gnatsd_varz_jetstream_meta_cluster_size',
      'absent(gnatsd_varz_jetstream_config_max_storage',
    ],
  },
  {
    of: (all) =>
      all.find(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject'),
    metrics: ['kube_horizontalpodautoscaler_spec_max_replicas'],
  },
  {
    of: (all) => all.find(({ kind }) => kind === 'Gateway' || kind === 'Ingress'),
    metrics: [
      'probe_success',
      'absent(probe_success',
      'probe_ssl_earliest_cert_expiry',
      // So that somebody hears when alerts do not get through.
      'vector(1)',
    ],
  },
  {
    of: (all) => ofKind(all, 'CronJob').find(({ metadata }) => metadata.name.startsWith(DRILL)),
    metrics: ['restore_drill_duration_seconds', 'restore_drill_lost_seconds'],
  },
  {
    of: (all) => ofKind(all, 'Certificate')[0],
    metrics: [
      'certmanager_certificate_expiration_timestamp_seconds',
      'absent(certmanager_certificate_expiration_timestamp_seconds',
      'certmanager_certificate_ready_status',
      // What a service really shows, and NATS, which reads its own at its start.
      'tls_certificate_expires_in_seconds',
      'kube_pod_start_time',
    ],
  },
];

interface Rule {
  readonly alert?: string;
  readonly expr: string;
}

function alertsOf(manifests: readonly Manifest[]): Rule[] {
  return ofKind(manifests, 'PrometheusRule')
    .flatMap(({ spec }) => (spec as { groups: Array<{ rules: Rule[] }> }).groups)
    .flatMap(({ rules }) => rules)
    .filter(({ alert }) => alert !== undefined);
}

/**
 * Whatever keeps something, and the way in, has an alert that asks for it; and none that goes by a share
 * fires for a single failure. Only where there are alerts at all.
 */
export function watched(manifests: readonly Manifest[]): Finding[] {
  const alerts = alertsOf(manifests);
  if (alerts.length === 0) return [];
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'watched', title, message });
  for (const { of, metrics } of WATCHES) {
    const manifest = of(manifests);
    if (manifest === undefined) continue;
    for (const metric of metrics) {
      if (!alerts.some(({ expr }) => expr.includes(metric))) {
        say(titleOf(manifest), `has no alert that asks for ${metric}`);
      }
    }
  }
  for (const { alert = '', expr } of alerts) {
    if (expr.includes(':share_') && !expr.includes(':count_')) {
      say(alert, 'goes by a share alone: of two requests a minute a single failure is one');
    }
  }
  return findings;
}

/** What a database server shows of itself, and what its backups' plug-in does. */
const OF_SERVERS = /(?:cnpg|barman_cloud)_\w+/g;
/** The label of an instance that says whose it is, and where Prometheus gets it. */
const SERVER = 'server';
const SERVER_LABEL = '__meta_kubernetes_pod_label_cnpg_io_cluster';

/** With two servers, one that is well hides no other that is not. */
export function perServer(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'per server', title, message });
  for (const { alert = '', expr } of alertsOf(manifests)) {
    for (const { by, body } of aggregationsOf(expr)) {
      if (by.includes(SERVER)) continue;
      for (const [metric] of body.matchAll(OF_SERVERS)) {
        say(alert, `takes ${metric} of all servers together`);
      }
    }
    for (const [, metric] of expr.matchAll(/absent\(((?:cnpg|barman_cloud)_\w+)/g)) {
      if (!expr.includes(`unless max by (${SERVER}) (${metric}`)) {
        say(alert, `does not miss ${metric} of one server while another's is there`);
      }
    }
  }
  for (const monitor of ofKind(manifests, 'PodMonitor')) {
    const { selector, podMetricsEndpoints } = monitor.spec as MonitorSpec;
    const finds_servers = ofKind(manifests, 'Cluster').some(({ metadata }) =>
      selects(selector, { 'cnpg.io/cluster': metadata.name }),
    );
    const of_metrics = podMetricsEndpoints.filter(({ port }) => port === DATABASE_PORT.name);
    const says_whose = of_metrics.every(({ relabelings = [] }) =>
      relabelings.some(
        ({ sourceLabels, targetLabel }) =>
          targetLabel === SERVER && sourceLabels?.join() === SERVER_LABEL,
      ),
    );
    if (finds_servers && !says_whose) {
      say(titleOf(monitor), `does not say by the label ${SERVER} whose instance it is`);
    }
  }
  return findings;
}

/** Every \`max by (…) (…)\` and its like, with what stands in its parentheses. */
function aggregationsOf(expr: string): Array<{ by: readonly string[]; body: string }> {
  const found = expr.matchAll(/\b(?:max|min|sum|avg|count)\s*(?:by\s*\(([^)]*)\)\s*)?\(/g);
  return [...found].map((match) => {
    const begin = match.index + match[0].length;
    let [end, depth] = [begin, 1];
    for (; end < expr.length && depth > 0; end += 1) {
      if (expr[end] === '(') depth += 1;
      if (expr[end] === ')') depth -= 1;
    }
    return { by: (match[1] ?? '').split(/,\s*/), body: expr.slice(begin, end) };
  });
}

/** What may show metrics. */
interface Target {
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: ReadonlyArray<{ name?: string; containerPort: number }>;
}

interface MonitorSpec {
  selector: LabelSelector;
  podMetricsEndpoints: Array<{
    port?: string;
    relabelings?: Array<{ sourceLabels?: string[]; targetLabel?: string }>;
  }>;
}

/** Every monitor finds a port, every port of metrics a monitor, and Prometheus is let in. */
export function scraped(manifests: readonly Manifest[]): Finding[] {
  const monitors = ofKind(manifests, 'PodMonitor');
  if (monitors.length === 0) return [];
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'scraped', title, message });
  const targets: Target[] = [
    ...workloadsOf(manifests)
      // And a Job that shows some.
      .filter(
        ({ serves, pod }) =>
          serves ||
          containersOf(pod).some(({ ports = [] }) => ports.some(({ name }) => name === 'metrics')),
      )
      .map(({ title, labels, pod }) => ({
        title,
        labels,
        ports: containersOf(pod).flatMap(({ ports = [] }) => ports),
      })),
    ...ofKind(manifests, 'Cluster').map((manifest) => ({
      title: titleOf(manifest),
      labels: { 'cnpg.io/cluster': manifest.metadata.name },
      ports: [DATABASE_PORT],
    })),
  ];
  const seen = new Set<string>();
  for (const monitor of monitors) {
    const { selector, podMetricsEndpoints } = monitor.spec as MonitorSpec;
    for (const { port: wanted } of podMetricsEndpoints) {
      const found = targets
        .filter(({ labels }) => selects(selector, labels))
        .flatMap(({ title, labels, ports }) =>
          ports.filter(({ name }) => name === wanted).map((port) => ({ title, labels, port })),
        );
      if (found.length === 0) say(titleOf(monitor), `finds no port ${wanted}`);
      for (const { title, labels, port } of found) {
        seen.add(title);
        if (!admits(manifests, MONITORING, { labels, port: port.containerPort })) {
          say(title, `lets no Prometheus read port ${port.containerPort}`);
        }
      }
    }
  }
  for (const { title, ports } of targets) {
    if (!ports.some(({ name }) => name === 'metrics')) say(title, 'shows no metrics');
    else if (!seen.has(title)) say(title, 'shows metrics that no PodMonitor asks for');
  }
  return findings;
}

interface ClusterSpec {
  instances: number;
  walStorage?: { size: string };
  postgresql?: { parameters?: Record<string, string> };
}

/** A standby that stays away does not fill the primary's disk with what is kept for it. */
export function boundedSlots(manifests: readonly Manifest[]): Finding[] {
  return ofKind(manifests, 'Cluster').flatMap((manifest) => {
    const { instances, walStorage, postgresql } = manifest.spec as ClusterSpec;
    if (instances === 1) return [];
    const say = (message: string) => [{ rule: 'bounded slots', title: titleOf(manifest), message }];
    const kept = /^(\d+)GB$/.exec(postgresql?.parameters?.['max_slot_wal_keep_size'] ?? '')?.[1];
    if (kept === undefined) return say('keeps the log for a standby without a bound in GB');
    const room = /^(\d+)Gi$/.exec(walStorage?.size ?? '')?.[1];
    const flushed = /^(\d+)GB$/.exec(postgresql?.parameters?.['max_wal_size'] ?? '')?.[1] ?? '1';
    if (room === undefined) return say('has no volume of its own for the log');
    return Number(kept) + Number(flushed) < Number(room)
      ? []
      : say(`keeps ${kept} GB of log for a standby beside ${flushed} GB on a volume of ${room}`);
  });
}

interface ProbeSpec {
  jobName?: string;
  module?: string;
  prober: { url: string };
  targets: { staticConfig?: { static?: string[] } };
}

/**
 * Every public name is asked for as members do, by something that Prometheus reaches. Only where there
 * are alerts.
 */
export function probedFromOutside(manifests: readonly Manifest[]): Finding[] {
  const alerts = alertsOf(manifests);
  if (alerts.length === 0) return [];
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'probed from outside', title, message });
  const asked = new Set<string>();
  for (const probe of ofKind(manifests, 'Probe')) {
    const title = titleOf(probe);
    const { jobName, module, prober, targets } = probe.spec as ProbeSpec;
    for (const url of targets.staticConfig?.static ?? []) {
      const { protocol, host } = new URL(url);
      if (protocol === 'https:') asked.add(host);
      else say(title, `asks ${url} without TLS`);
    }
    if (!alerts.some(({ expr }) => expr.includes(`job="${jobName}"`))) {
      say(title, 'has no alert that asks for its job');
    }
    const exporter = exporterOf(manifests, prober.url);
    if (exporter === undefined) {
      say(title, `asks by ${prober.url}, which nothing here is`);
      continue;
    }
    if (!admits(manifests, MONITORING, exporter)) say(title, 'asks by what lets no Prometheus in');
    const knows = ofKind(manifests, 'ConfigMap').some(({ data }) =>
      data?.['modules.yaml']?.includes(`\n  ${module}:\n`),
    );
    if (!knows) say(title, `asks in the way ${module}, which no file says`);
  }
  for (const host of hostsOf(manifests)) {
    if (!asked.has(host)) say(host, 'is asked for by no Probe');
  }
  return findings;
}

/** The labels and the port behind `service.namespace.svc:port`. */
function exporterOf(manifests: readonly Manifest[], url: string) {
  const [, name, namespace, port] = /^([^.:]+)\.([^.:]+)\.svc:(\d+)$/.exec(url) ?? [];
  const service = ofKind(manifests, 'Service').find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  const { selector = {}, ports = [] } = (service?.spec ?? {}) as {
    selector?: Record<string, string>;
    ports?: Array<{ port: number; targetPort?: number | string }>;
  };
  const found = ports.find((one) => one.port === Number(port));
  if (found === undefined) return undefined;
  return workloadsOf(manifests)
    .filter(({ labels }) => selects({ matchLabels: selector }, labels))
    .flatMap(({ labels, pod }) =>
      pod.containers
        .flatMap(({ ports: own = [] }) => own)
        .filter((own) => own.name === found.targetPort || own.containerPort === found.port)
        .map((own) => ({ labels, port: own.containerPort })),
    )[0];
}

/** The names by which members come in. */
function hostsOf(manifests: readonly Manifest[]): Set<string> {
  return new Set([
    ...ofKind(manifests, 'HTTPRoute').flatMap(
      ({ spec }) => (spec as { hostnames?: string[] }).hostnames ?? [],
    ),
    ...ofKind(manifests, 'Ingress').flatMap(({ spec }) =>
      (spec as { rules: Array<{ host?: string }> }).rules.flatMap(({ host }) => host ?? []),
    ),
  ]);
}

const SELECTED_BY = 'release';

/** Where one object has the label by which an operator selects them, all have it, and the same. */
export function selected(manifests: readonly Manifest[]): Finding[] {
  const read = manifests.filter(({ apiVersion }) =>
    apiVersion.startsWith('monitoring.coreos.com/'),
  );
  const [wanted] = read.flatMap(({ metadata }) => metadata.labels?.[SELECTED_BY] ?? []);
  return read
    .filter(({ metadata }) => metadata.labels?.[SELECTED_BY] !== wanted)
    .map((manifest) => ({
      rule: 'selected',
      title: titleOf(manifest),
      message: `has not the label ${SELECTED_BY}=${wanted} by which others are selected`,
    }));
}
