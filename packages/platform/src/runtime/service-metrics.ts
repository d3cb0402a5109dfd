import { metrics } from '@opentelemetry/api';
import type { Bus, Consumers, Relay } from '../bus';
import { systemContext } from '../context';
import { type Database, overdueStatement, type RetentionPolicies } from '../db';
import { observeFigures } from '../telemetry';
import { type SealedSecrets, sealedCounts } from './sealed-secrets';
import { deadLetters } from './service-figures';

const METER = '@credit/platform/runtime';

/** Shows a service's outboxes, consumers, bus and pools whenever metrics are read. */
export function observeService(parts: {
  readonly db: Pick<
    Database,
    'usage' | 'waitingWrites' | 'environments' | 'read' | 'replicaFigures'
  >;
  readonly bus: Pick<Bus, 'status'>;
  readonly relay: Pick<Relay, 'lag'>;
  readonly consumers: Pick<Consumers, 'lag'>;
}): void {
  const { db, bus, relay, consumers } = parts;
  observeFigures(
    METER,
    {
      'outbox.unpublished':
        'Events that are committed and not yet in the stream; counted to 100,000.',
      'outbox.oldest_age.seconds': 'How long the oldest of them has waited.',
    },
    async () =>
      (await relay.lag()).flatMap(({ environment, unpublished, oldest_age_s }) => {
        const attributes = { environment };
        return [
          { name: 'outbox.unpublished', value: unpublished, attributes },
          { name: 'outbox.oldest_age.seconds', value: oldest_age_s, attributes },
        ] as const;
      }),
  );
  observeFigures(
    METER,
    {
      'consumer.pending':
        'Messages of the stream, of one event or a group, that the consumer has not been given.',
      'consumer.unacknowledged': 'Messages that the consumer was given and has not done.',
    },
    async () =>
      (await consumers.lag()).flatMap(({ consumer, pending, unacknowledged }) => {
        const attributes = { consumer };
        return [
          { name: 'consumer.pending', value: pending, attributes },
          { name: 'consumer.unacknowledged', value: unacknowledged, attributes },
        ] as const;
      }),
  );
  observeFigures(
    METER,
    {
      'dead_letters.waiting':
        'Events that were given up and wait for an operator; counted up to 10,000.',
    },
    async () =>
      (await deadLetters(db)).map(({ environment, count }) => ({
        name: 'dead_letters.waiting',
        value: count,
        attributes: { environment },
      })),
  );
  const meter = metrics.getMeter(METER);
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
  observeReplicas(db);
  const waiting = meter.createObservableGauge('db.group_commit.waiting', {
    description: 'Writes that wait to be committed together with others, or for that commit.',
  });
  const oldest_wait = meter.createObservableGauge('db.group_commit.oldest_wait.seconds', {
    description: 'How long the oldest of them has waited.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      for (const { command, environment, count, oldest_wait_s } of db.waitingWrites()) {
        const attributes = { command, environment };
        result.observe(waiting, count, attributes);
        result.observe(oldest_wait, oldest_wait_s, attributes);
      }
    },
    [waiting, oldest_wait],
  );
}

/** Shows what should have been deleted: found in the tables, whether or not anything works. */
export function observeRetention(
  service: string,
  policies: RetentionPolicies,
  db: Pick<Database, 'environments' | 'read'>,
): void {
  const overdue = overdueStatement(service, policies);
  if (overdue === undefined) return;
  observeFigures(
    METER,
    { 'retention.overdue.seconds': "How long a table's oldest row is past its time." },
    async () => {
      const found = await Promise.all(
        db.environments.map(async (environment) => {
          const rows = await db.read(systemContext(environment)).query(overdue);
          return rows.map(({ table, overdue_s }) => ({
            name: 'retention.overdue.seconds' as const,
            value: overdue_s,
            attributes: { environment, table },
          }));
        }),
      );
      return found.flat();
    },
  );
}

/** Shows how replicas do; that none is away also where there is none, so that silence is no news. */
function observeReplicas(db: Pick<Database, 'environments' | 'replicaFigures'>): void {
  const meter = metrics.getMeter(METER);
  const away = meter.createObservableGauge('db.replica.away', {
    description: '1 while a replica is not asked, since it lags too much or does not answer.',
  });
  const lag = meter.createObservableGauge('db.replica.lag.seconds', {
    description: 'How much older than the primary what a replica shows may be, at most.',
  });
  const reads = meter.createObservableCounter('db.replica.reads', {
    description: 'Reads that may lag, by who has answered them.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      const figures = db.replicaFigures();
      for (const environment of db.environments) {
        const is_away = figures.some((one) => one.environment === environment && !one.is_used);
        result.observe(away, is_away ? 1 : 0, { environment });
      }
      for (const { environment, lag_s, reads: counted } of figures) {
        if (lag_s !== undefined) result.observe(lag, lag_s, { environment });
        for (const [answered_by, count] of Object.entries(counted)) {
          result.observe(reads, count, { environment, answered_by });
        }
      }
    },
    [away, lag, reads],
  );
}

/** Shows by which keys a service's secrets are sealed. */
export function observeSealed(
  db: Pick<Database, 'environments' | 'read'>,
  sealed: SealedSecrets,
): void {
  observeFigures(
    METER,
    {
      sealed_secrets:
        'Secrets by the key that seals them: the current one, an accepted one, or one that is missing.',
    },
    async () => {
      const counts = await sealedCounts(db, sealed);
      return db.environments.flatMap((environment) =>
        (['current', 'accepted', 'missing'] as const).map((state) => ({
          name: 'sealed_secrets' as const,
          value: counts
            .filter((one) => one.environment === environment && one.standing === state)
            .reduce((sum, { count }) => sum + count, 0),
          attributes: { environment, state },
        })),
      );
    },
  );
}
