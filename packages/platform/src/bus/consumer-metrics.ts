import type { Event } from '@credit/proto/events/v1/events';
import { type Histogram, metrics } from '@opentelemetry/api';
import type { Environment } from '../context';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** How fresh what a consumer holds is. */
export class ConsumerMetrics {
  readonly #age: Histogram;

  constructor() {
    this.#age = metrics
      .getMeter('@credit/platform/bus')
      .createHistogram('consumer.event_age.seconds', {
        description: 'From the change that an event tells of to the commit of its effect.',
        advice: { explicitBucketBoundaries: SECONDS },
      });
  }

  /** Their effect is committed. Events that had been taken in before are not to be told. */
  taken(consumer: string, environment: Environment, events: readonly Event[]): void {
    const now_ms = Date.now();
    for (const { created_at } of events) {
      if (created_at === undefined) continue;
      const age_s = (now_ms - Date.parse(created_at)) / 1_000;
      this.#age.record(Math.max(0, age_s), { consumer, environment });
    }
  }
}
