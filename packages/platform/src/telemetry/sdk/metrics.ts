import { monitorEventLoopDelay } from 'node:perf_hooks';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** How often the event loop's delay is sampled. */
const RESOLUTION_MS = 20;

/** Serves the process's metrics to Prometheus. */
export function startMetrics(
  service: string,
  host: string,
  port: number,
): { readonly ready: Promise<void>; stop(): Promise<void> } {
  const exporter = new PrometheusExporter({ port, host, preventServerStart: true });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    readers: [exporter],
  });
  metrics.setGlobalMeterProvider(provider);
  observeEventLoop();
  const ready = exporter.startServer().catch((error: NodeJS.ErrnoException) => {
    throw new Error(`METRICS_PORT ${port} on ${host} cannot be used: ${error.code}.`);
  });
  // Whoever runs the process waits for it; until then it is nobody's unhandled rejection.
  ready.catch(() => {});
  return { ready, stop: () => provider.shutdown() };
}

function observeEventLoop(): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  metrics
    .getMeter('@credit/platform/runtime')
    .createObservableGauge('process.event_loop.delay.seconds', {
      description: 'How late timers were since metrics were last read.',
    })
    .addCallback((result) => {
      // Not a number while nothing was sampled.
      if (delay.count > 0) {
        // What is measured is the time between two samples.
        const late_s = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1_000);
        result.observe(late_s(delay.percentile(50)), { quantile: '0.5' });
        result.observe(late_s(delay.percentile(99)), { quantile: '0.99' });
        // One long hold-up among many samples is in no percentile.
        result.observe(late_s(delay.max), { quantile: '1' });
      }
      delay.reset();
    });
}
