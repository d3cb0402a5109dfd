import { load } from 'js-yaml';
import { variablesOf } from './configuration-rules';
import { type Finding, type Manifest, ofKind, workloadsOf } from './manifest';

interface Tls {
  tls?: { insecure?: boolean };
}

/** The parts of a collector's configuration that are looked at. */
interface CollectorConfig {
  receivers?: { otlp?: { protocols?: { http?: Tls; grpc?: Tls } } };
  processors?: {
    tail_sampling?: { policies: Array<{ type: string; status_code?: { status_codes: string[] } }> };
  };
  exporters?: {
    loadbalancing?: {
      routing_key?: string;
      protocol: { otlp: Tls };
      resolver: { dns?: { hostname: string; port: string } };
    };
  };
  service?: { pipelines: { traces?: { processors?: string[]; exporters: string[] } } };
}

/**
 * Whoever sends spans is understood where they go, with or without TLS; and where traces are chosen when they are
 * over, all of them come there, each to one sampler, and those with errors are kept.
 */
export function traces(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) => findings.push({ rule: 'traces', title, message });
  const headless = (name: string) =>
    ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === name)?.spec as
      | { clusterIP?: string; ports?: Array<{ port: number }> }
      | undefined;

  for (const { title, pod } of workloadsOf(manifests)) {
    const variables = pod.containers.flatMap((container) => variablesOf(container, manifests));
    const given = (wanted: string) => variables.find(({ name }) => name === wanted)?.value;
    const endpoint = given('OTEL_EXPORTER_OTLP_ENDPOINT');
    if (endpoint === undefined) continue;
    const { hostname, port, protocol } = new URL(endpoint);
    const config = configOf(manifests, hostname);
    if (!listens(headless(hostname), port) || config === undefined) {
      say(title, `sends traces to ${endpoint}, where nothing listens`);
      continue;
    }
    const wants_tls = config.receivers?.otlp?.protocols?.http?.tls !== undefined;
    if (wants_tls !== (protocol === 'https:')) {
      say(title, `sends traces to ${endpoint}, which expects ${wants_tls ? 'TLS' : 'none'}`);
    }
    const is_chosen_later = config.exporters?.loadbalancing !== undefined;
    if (is_chosen_later && given('OTEL_TRACES_SAMPLER_ARG') !== '1') {
      say(title, 'leaves out traces before it is known how they end');
    }
  }

  for (const { metadata } of ofKind(manifests, 'Service')) {
    const title = `Service ${metadata.name}`;
    const balanced = configOf(manifests, metadata.name)?.exporters?.loadbalancing;
    if (balanced === undefined) continue;
    const { hostname = '', port = '' } = balanced.resolver.dns ?? {};
    const target = headless(hostname);
    if (balanced.routing_key !== 'traceID') say(title, 'divides traces among samplers');
    if (!listens(target, port)) say(title, `gives traces to ${hostname}, where nothing listens`);
    else if (target?.clusterIP !== 'None') say(title, `does not see the samplers of ${hostname}`);
    const sampler = configOf(manifests, hostname);
    const wants_tls = sampler?.receivers?.otlp?.protocols?.grpc?.tls !== undefined;
    if (wants_tls === (balanced.protocol.otlp.tls?.insecure === true)) {
      say(title, `and ${hostname} do not agree on TLS`);
    }
    const is_used = sampler?.service?.pipelines.traces?.processors?.includes('tail_sampling');
    const keeps_errors = sampler?.processors?.tail_sampling?.policies.some(
      ({ type, status_code }) =>
        type === 'status_code' && status_code?.status_codes.includes('ERROR'),
    );
    if (is_used !== true || keeps_errors !== true) say(title, `loses errors at ${hostname}`);
  }
  return findings;
}

const listens = (service: { ports?: Array<{ port: number }> } | undefined, port: string) =>
  service?.ports?.some((one) => one.port === Number(port)) === true;

/** Of the collector behind a Service, which its ConfigMap is named after. */
function configOf(manifests: readonly Manifest[], name: string): CollectorConfig | undefined {
  const found = ofKind(manifests, 'ConfigMap').find(
    ({ metadata, data }) =>
      metadata.name.startsWith(`${name}-`) && data?.['config.yaml'] !== undefined,
  );
  const text = found?.data?.['config.yaml'];
  return text === undefined ? undefined : (load(text) as CollectorConfig);
}
