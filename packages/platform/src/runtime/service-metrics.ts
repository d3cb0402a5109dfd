import { metrics } from '@opentelemetry/api';
import type { Bus, Consumers, Relay } from '../bus';
import type { Database } from '../db';

const READ_TIMEOUT_MS = 2_000;

/** Shows a service's outboxes, consumers, bus and pools whenever metrics are read. */
export function observeService(parts: {
  readonly db: Pick<Database, 'usage'>;
  readonly bus: Pick<Bus, 'status'>;
  readonly relay: Pick<Relay, 'lag'>;
  readonly consumers: Pick<Consumers, 'lag'>;
}): void {
  const { db, bus, relay, consumers } = parts;
  const meter = metrics.getMeter('@credit/platform/runtime');
  const unpublished = meter.createObservableGauge('outbox.unpublished', {
    description: 'Events that are committed and not yet in the stream; counted to 100,000.',
  });
  const oldest = meter.createObservableGauge('outbox.oldest_age', { unit: 's' });
  const pending = meter.createObservableGauge('consumer.pending', {
    description: 'Events in the stream that the consumer has not been given.',
  });
  const unacknowledged = meter.createObservableGauge('consumer.unacknowledged');
  meter.addBatchObservableCallback(
    async (result) => {
      for (const lag of await within(relay.lag())) {
        result.observe(unpublished, lag.unpublished, { environment: lag.environment });
        result.observe(oldest, lag.oldest_age_s, { environment: lag.environment });
      }
    },
    [unpublished, oldest],
  );
  meter.addBatchObservableCallback(
    async (result) => {
      for (const lag of await within(consumers.lag())) {
        result.observe(pending, lag.pending, { consumer: lag.consumer });
        result.observe(unacknowledged, lag.unacknowledged, { consumer: lag.consumer });
      }
    },
    [pending, unacknowledged],
  );
  meter
    .createObservableGauge('bus.usable', { description: '1 while events can flow.' })
    .addCallback((result) => result.observe(bus.status().usable ? 1 : 0));
  meter
    .createObservableCounter('bus.reconnects')
    .addCallback((result) => result.observe(bus.status().reconnects));
  meter
    .createObservableGauge('db.pool.connections', {
      description: 'Connections in use and idle, and callers that wait for one.',
    })
    .addCallback((result) => {
      const { total, idle, waiting } = db.usage();
      result.observe(total - idle, { state: 'used' });
      result.observe(idle, { state: 'idle' });
      result.observe(waiting, { state: 'waiting' });
    });
}

/** Nothing, when the database or NATS does not answer in time: the other metrics are shown. */
async function within<T>(lags: Promise<T[]>): Promise<T[]> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<T[]>((resolve) => {
    timer = setTimeout(resolve, READ_TIMEOUT_MS, []);
  });
  try {
    return await Promise.race([lags.catch(() => []), bound]);
  } finally {
    clearTimeout(timer);
  }
}
