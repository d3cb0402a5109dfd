import { type Operation, PRIORITIES, type Priority } from '@credit/contract';
import { metrics } from '@opentelemetry/api';
import type { LoadGate } from './load-gate/load-gate';

export interface GatewayMetrics {
  /** Of a request that is turned away because there is no room. */
  shed(priority: Priority): void;
  /** Of a request; of an unknown route when there is no operation. */
  record(operation: Operation | undefined, status: number, duration_ms: number): void;
}

/** Counts and times requests; costs next to nothing while no exporter is installed. */
export function openMetrics(
  gate: () => Pick<LoadGate, 'in_flight' | 'waiting' | 'limit'>,
): GatewayMetrics {
  const meter = metrics.getMeter('@credit/gateway');
  const duration = meter.createHistogram('http.server.request.duration.seconds', {
    description: 'From the request’s headers to the end of the answer.',
    advice: {
      explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    },
  });
  const shed = meter.createCounter('http.server.shed_requests', {
    description: 'Requests turned away because there is no room, by what they are worth.',
  });
  // Of a series that begins with its first one no growth would be seen.
  for (const priority of PRIORITIES) shed.add(0, { priority });
  meter
    .createObservableGauge('http.server.active_requests', {
      description: 'Requests that are worked on, or wait for it.',
    })
    .addCallback((result) => result.observe(gate().in_flight + gate().waiting));
  meter
    .createObservableGauge('http.server.request_limit', {
      description:
        'How many requests are worked on at once at most; found out by how long they take.',
    })
    .addCallback((result) => result.observe(gate().limit));
  return {
    shed(priority) {
      shed.add(1, { priority });
    },
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
