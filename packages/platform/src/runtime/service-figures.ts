import { OperationsServiceDefinition } from '@credit/proto/operations/v1/operations';
import type { Consumers, Relay } from '../bus';
import { type Environment, systemContext } from '../context';
import { type Database, statement } from '../db';
import { type ServiceRegistration, serviceRegistration } from '../rpc';

const MAX_COUNTED = 10_000;

const DEAD_LETTERS = statement<{ count: number }>(
  'dead_letters_count',
  `SELECT count(*)::integer AS count
     FROM (SELECT FROM dead_letters LIMIT ${MAX_COUNTED}) AS counted`,
);

/** Serves credit.operations.v1: what every service says about itself. */
export function operationsService(parts: {
  readonly db: Database;
  readonly relay: Pick<Relay, 'lag'>;
  readonly consumers: Pick<Consumers, 'lag'>;
}): ServiceRegistration {
  const { db, relay, consumers } = parts;
  return serviceRegistration(OperationsServiceDefinition, {
    async getServiceFigures() {
      const [outboxes, lags, dead_letters] = await Promise.all([
        relay.lag(),
        consumers.lag(),
        countDeadLetters(db),
      ]);
      return {
        outboxes,
        consumers: lags.map(({ consumer, pending, unacknowledged }) => ({
          consumer,
          pending: BigInt(pending),
          unacknowledged: BigInt(unacknowledged),
        })),
        dead_letters,
      };
    },
  });
}

async function countDeadLetters(db: Database): Promise<number> {
  const counts = await deadLetters(db);
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Events that were given up, by environment; counted up to 10,000. */
export function deadLetters(
  db: Pick<Database, 'environments' | 'read'>,
): Promise<{ environment: Environment; count: number }[]> {
  return Promise.all(
    db.environments.map(async (environment) => {
      const { count } = await db.read(systemContext(environment)).one(DEAD_LETTERS);
      return { environment, count };
    }),
  );
}
