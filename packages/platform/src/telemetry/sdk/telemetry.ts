import { setTimeout as sleep } from 'node:timers/promises';
import { type Position, readTelemetrySettings } from './settings';

/** Running exporters. */
export interface Telemetry {
  /** Rejects with one sentence when the metrics cannot be served. */
  readonly ready: Promise<void>;
  /** Sends what is buffered, within a bound that is short when the collector does not answer. */
  stop(): Promise<void>;
}

// Loaded at once or not at all: an import would have to be waited for, and nothing else may be
// loaded meanwhile.
const sdk = {
  tracing: () => require('./tracing') as typeof import('./tracing'),
  metrics: () => require('./metrics') as typeof import('./metrics'),
};

const NO_TELEMETRY: Telemetry = { ready: Promise.resolve(), stop: () => Promise.resolve() };

let running = NO_TELEMETRY;

/**
 * Starts OpenTelemetry as the environment asks; without it nothing is loaded. Called by the first
 * import of a process, so that whatever is loaded afterwards finds it running. Subcommands go
 * without: the service that runs beside them has the port.
 *
 * `OTEL_EXPORTER_OTLP_ENDPOINT` turns tracing on (`OTEL_TRACES_SAMPLER_ARG` is the share of
 * traces kept, default 0.05), `METRICS_PORT` serves Prometheus metrics on `METRICS_HOST` (default
 * 127.0.0.1).
 */
export function beginTelemetry(
  service: string,
  position: Position = 'inside',
  environment: NodeJS.ProcessEnv = process.env,
  [, , subcommand]: readonly string[] = process.argv,
): Telemetry {
  running = subcommand === undefined ? start(service, position, environment) : NO_TELEMETRY;
  return running;
}

/** What this process began; something that does nothing when it began none. */
export function runningTelemetry(): Telemetry {
  return running;
}

/**
 * Serves metrics for so long, as the environment asks: for a subcommand that has something to show and no
 * service beside it. `register` makes the figures.
 */
export async function serveMetrics(
  name: string,
  for_ms: number,
  register: () => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const settings = readTelemetrySettings(environment);
  if (settings instanceof Error) throw settings;
  const { metrics_host, metrics_port } = settings;
  if (metrics_port === undefined) throw new Error('METRICS_PORT says where to show it.');
  const served = sdk.metrics().startMetrics(name, metrics_host, metrics_port);
  await served.ready;
  register();
  await sleep(for_ms);
  await served.stop();
}

function start(service: string, position: Position, environment: NodeJS.ProcessEnv): Telemetry {
  const settings = readTelemetrySettings(environment);
  // Told when the process is run, where there is a log and an exit code.
  if (settings instanceof Error) {
    const ready = Promise.reject(settings);
    ready.catch(() => {});
    return { ready, stop: () => Promise.resolve() };
  }
  const { traced, ratio, metrics_host, metrics_port } = settings;
  const tracing = traced ? sdk.tracing().startTracing(service, position, ratio) : undefined;
  const metrics =
    metrics_port === undefined
      ? undefined
      : sdk.metrics().startMetrics(service, metrics_host, metrics_port);
  return {
    ready: metrics?.ready ?? Promise.resolve(),
    async stop() {
      await Promise.all([tracing?.stop(), metrics?.stop()]);
    },
  };
}
