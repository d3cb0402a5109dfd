import { parseArgs } from 'node:util';
import { type ConsumerDefinition, type DeadLetter, listDeadLetters, retryDeadLetter } from '../bus';
import type { Environment } from '../context';
import type { Database } from '../db';

const PAGE_SIZE = 100;

/**
 * `dead-letters [--environment live|test] [--consumer NAME] [--retry]` lists the events that were
 * given up, with their errors; with --retry each is taken in again, and those that fail stay.
 * Returns how many are left.
 */
export async function deadLetterCommand(
  parts: {
    readonly db: Database;
    readonly consumers: readonly ConsumerDefinition[];
    readonly say: (line: string) => void;
  },
  args: string[],
): Promise<number> {
  const { db, consumers, say } = parts;
  const { values } = parseArgs({
    args,
    options: {
      environment: { type: 'string' },
      consumer: { type: 'string' },
      retry: { type: 'boolean', default: false },
    },
  });
  const environments = db.environments.filter(
    (environment) => values.environment === undefined || values.environment === environment,
  );
  if (environments.length === 0) throw new Error('--environment is live or test.');
  let left = 0;
  for (const environment of environments) {
    for await (const letter of letters(db, environment, values.consumer)) {
      const { consumer, event_id, type, deliveries, created_at, error } = letter;
      say(`${environment} ${consumer} ${event_id} ${type} ${created_at} ${deliveries} deliveries`);
      say(`  ${error.split('\n')[0]}`);
      if (!values.retry) {
        left += 1;
        continue;
      }
      try {
        const result = await retryDeadLetter(db, { environment, consumer, event_id, consumers });
        say(`  ${result.replaceAll('_', ' ')}`);
      } catch (failure) {
        left += 1;
        say(`  failed again: ${failure instanceof Error ? failure.message : failure}`);
      }
    }
  }
  say(`${left} left`);
  return left;
}

async function* letters(
  db: Database,
  environment: Environment,
  consumer: string | undefined,
): AsyncGenerator<DeadLetter> {
  let after: DeadLetter | undefined;
  for (;;) {
    const page = await listDeadLetters(db, { environment, consumer, after, limit: PAGE_SIZE });
    yield* page;
    after = page.at(-1);
    if (page.length < PAGE_SIZE) return;
  }
}
