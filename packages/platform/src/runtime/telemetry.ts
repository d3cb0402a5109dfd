import type { Logger } from './logger';

/** Running exporters. */
export interface Telemetry {
  /** Sends what is buffered, for at most two seconds: a dead collector delays nobody. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 2_000;

/**
 * Starts OpenTelemetry as the environment asks; without it nothing is loaded.
 * `OTEL_EXPORTER_OTLP_ENDPOINT` turns tracing on (`OTEL_TRACES_SAMPLER_ARG` is
 * the share of traces kept, default 0.05), `METRICS_PORT` serves Prometheus
 * metrics on `METRICS_HOST` (default 127.0.0.1).
 */
export async function startTelemetry(service: string, logger: Logger): Promise<Telemetry> {
  const stops: Array<() => Promise<void>> = [];
  if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) stops.push(await startTracing(service));
  const port = process.env.METRICS_PORT;
  if (port) stops.push(await startMetrics(service, Number(port)));
  return {
    async stop() {
      const flushed = Promise.allSettled(stops.map((stop) => stop()));
      const bound = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref());
      await Promise.race([flushed, bound]);
      logger.debug('telemetry stopped');
    },
  };
}

async function startTracing(service: string): Promise<() => Promise<void>> {
  const [sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? '0.05')),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  provider.register();
  return () => provider.shutdown();
}

async function startMetrics(service: string, port: number): Promise<() => Promise<void>> {
  const { monitorEventLoopDelay } = await import('node:perf_hooks');
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.MeterProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service }),
    readers: [
      new exporter.PrometheusExporter({ port, host: process.env.METRICS_HOST ?? '127.0.0.1' }),
    ],
  });
  api.metrics.setGlobalMeterProvider(provider);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  api.metrics
    .getMeter('@credit/platform/runtime')
    .createObservableGauge('process.event_loop.delay', {
      unit: 's',
      description: 'Since metrics were last read.',
    })
    .addCallback((result) => {
      // Not a number while nothing was sampled.
      if (delay.count > 0) {
        result.observe(delay.percentile(50) / 1e9, { quantile: '0.5' });
        result.observe(delay.percentile(99) / 1e9, { quantile: '0.99' });
      }
      delay.reset();
    });
  return () => provider.shutdown();
}
