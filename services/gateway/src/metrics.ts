import { metrics } from '@opentelemetry/api';

export interface GatewayMetrics {
  record(operation: string, status: number, duration_ms: number): void;
}

/** Counts and times requests; costs next to nothing while no exporter is installed. */
export function openMetrics(inFlight: () => number): GatewayMetrics {
  const meter = metrics.getMeter('@credit/gateway');
  const duration = meter.createHistogram('http.server.request.duration', {
    unit: 's',
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
      duration.record(duration_ms / 1_000, { operation, status });
    },
  };
}
