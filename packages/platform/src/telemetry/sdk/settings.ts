/** Where requests come from: callers of the network itself, or services that have decided. */
export type Position = 'edge' | 'inside';

/** What the environment asks of telemetry. */
export interface TelemetrySettings {
  readonly traced: boolean;
  /** Share of traces that are kept. */
  readonly ratio: number;
  /** Undefined: metrics are not served. */
  readonly metrics_port: number | undefined;
  readonly metrics_host: string;
}

const DEFAULT_RATIO = 0.05;

/** Reads them; an error names the variable that is wrong. */
export function readTelemetrySettings(environment: NodeJS.ProcessEnv): TelemetrySettings | Error {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG, METRICS_PORT, METRICS_HOST } =
    environment;
  const ratio = OTEL_TRACES_SAMPLER_ARG ? Number(OTEL_TRACES_SAMPLER_ARG) : DEFAULT_RATIO;
  if (!(ratio >= 0 && ratio <= 1)) return new Error('OTEL_TRACES_SAMPLER_ARG must be from 0 to 1.');
  const metrics_port = METRICS_PORT ? Number(METRICS_PORT) : undefined;
  const is_port =
    metrics_port === undefined ||
    (Number.isInteger(metrics_port) && metrics_port > 0 && metrics_port <= 65_535);
  if (!is_port) return new Error('METRICS_PORT must be a port.');
  return {
    traced: Boolean(OTEL_EXPORTER_OTLP_ENDPOINT),
    ratio,
    metrics_port,
    metrics_host: METRICS_HOST || '127.0.0.1',
  };
}
