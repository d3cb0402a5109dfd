import { status as GrpcStatus } from '@grpc/grpc-js';
import { type Histogram, metrics } from '@opentelemetry/api';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Rate, errors and duration of the calls that a server answers, by method. */
export class CallMetrics {
  readonly #duration: Histogram;

  constructor(inFlight: () => number) {
    const meter = metrics.getMeter('@credit/platform/rpc');
    this.#duration = meter.createHistogram('rpc.server.duration.seconds', {
      description: 'From the request to the end of the answer.',
      advice: { explicitBucketBoundaries: SECONDS },
    });
    meter
      .createObservableGauge('rpc.server.active_calls', {
        description: 'Calls that are worked on, given-up ones included.',
      })
      .addCallback((result) => result.observe(inFlight()));
  }

  /** A call of a method that exists has ended. */
  record(path: string, status: GrpcStatus, duration_ms: number): void {
    this.#duration.record(duration_ms / 1_000, {
      'rpc.method': path.slice(1),
      'rpc.status': GrpcStatus[status],
    });
  }
}
