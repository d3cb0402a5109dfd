import type { Operation } from '@credit/contract';
import { metrics } from '@opentelemetry/api';

export interface GatewayMetrics {
  /** Of a request; of an unknown route when there is no operation. */
  record(operation: Operation | undefined, status: number, duration_ms: number): void;
}

/** Counts and times requests; costs next to nothing while no exporter is installed. */
export function openMetrics(inFlight: () => number): GatewayMetrics {
  const meter = metrics.getMeter('@credit/gateway');
  const duration = meter.createHistogram('http.server.request.duration.seconds', {
    description: 'From the request’s headers to the end of the answer.',
    advice: {
      explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    },
  });
  meter
    .createObservableGauge('http.server.active_requests', {
      description: 'Requests that are worked on.',
    })
    .addCallback((result) => result.observe(inFlight()));
  return {
    record(operation, status, duration_ms) {
      // Never what the caller wrote: methods and paths are endless.
      duration.record(duration_ms / 1_000, {
        operation: operation?.id ?? 'unknown',
        method: operation?.method ?? 'unknown',
        route: operation?.path ?? 'unknown',
        status,
      });
    },
  };
}
