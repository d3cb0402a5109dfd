import { type Histogram, metrics } from '@opentelemetry/api';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

/** Rate, errors and duration of what services do by themselves, by its name. */
export class BackgroundMetrics {
  readonly #duration: Histogram = metrics
    .getMeter('@credit/platform/runtime')
    .createHistogram('background.run.duration.seconds', {
      description: 'One look at what there is to do, with doing it.',
      advice: { explicitBucketBoundaries: SECONDS },
    });

  ran(work: string, outcome: 'done' | 'failed', duration_ms: number): void {
    this.#duration.record(duration_ms / 1_000, { work, outcome });
  }
}
