import { OperationsServiceService } from '@credit/proto/operations/v1/operations';
import type { Consumers, Relay } from '../bus';
import { systemContext } from '../context';
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
  return serviceRegistration(OperationsServiceService, {
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
  const counts = await Promise.all(
    db.environments.map((environment) => db.read(systemContext(environment)).one(DEAD_LETTERS)),
  );
  return counts.reduce((sum, { count }) => sum + count, 0);
}
