import { parseArgs } from 'node:util';
import {
  type ConsumerDefinition,
  type DeadLetter,
  discardDeadLetter,
  listDeadLetters,
  retryDeadLetter,
} from '../bus';
import type { Environment } from '../context';
import type { Clock } from '../core';
import type { Database, Transaction } from '../db';
import { ACT_OPTIONS, chosenEnvironments, readAct, tellAct } from './act';

const PAGE_SIZE = 100;

/**
 * `dead-letters [--environment live|test] [--consumer NAME] [--event ID] [--retry | --discard --by NAME]
 * [--reason TEXT] [--dry-run]` lists the events that were given up, with their errors; with --retry each is
 * taken in again, and those that fail stay; with --discard they are forgotten, which needs a --consumer or
 * an --event. Returns how many are left.
 */
export async function deadLetterCommand(
  parts: {
    readonly db: Database;
    readonly clock: Clock;
    readonly consumers: readonly ConsumerDefinition[];
    readonly say: (line: string) => void;
  },
  args: string[],
): Promise<number> {
  const { db, clock, consumers, say } = parts;
  const { values } = parseArgs({
    args,
    options: {
      environment: { type: 'string' },
      consumer: { type: 'string' },
      event: { type: 'string' },
      retry: { type: 'boolean', default: false },
      discard: { type: 'boolean', default: false },
      ...ACT_OPTIONS,
    },
  });
  const { retry, discard } = values;
  if (retry && discard) throw new Error('--retry takes them in, and --discard forgets them.');
  if (discard && values.consumer === undefined && values.event === undefined) {
    throw new Error('--discard forgets what --consumer or --event names.');
  }
  const act = readAct(values, { named: discard });
  const tell = (action: string, { consumer, event_id, type, error }: DeadLetter) => {
    const changes = { consumer, type, error: firstLine(error) };
    return (tx: Transaction) =>
      tellAct(tx, clock, act, { action, target_type: 'event', target_id: event_id, changes });
  };
  let left = 0;
  for (const environment of chosenEnvironments(db, values.environment)) {
    for await (const letter of letters(db, environment, values.consumer)) {
      const { consumer, event_id, type, deliveries, created_at, error } = letter;
      if (values.event !== undefined && values.event !== event_id) continue;
      say(`${environment} ${consumer} ${event_id} ${type} ${created_at} ${deliveries} deliveries`);
      say(`  ${firstLine(error)}`);
      if (!(retry || discard)) {
        left += 1;
      } else if (act.dry_run) {
        left += 1;
        say(discard ? '  would be forgotten' : '  would be taken in again');
      } else if (discard) {
        const options = { environment, consumer, event_id };
        const gone = await discardDeadLetter(db, options, tell('dead_letter.discarded', letter));
        say(gone ? '  forgotten' : '  not found');
      } else {
        try {
          const options = { environment, consumer, event_id, consumers };
          const result = await retryDeadLetter(db, options, tell('dead_letter.retried', letter));
          say(`  ${result.replaceAll('_', ' ')}`);
        } catch (failure) {
          left += 1;
          say(`  failed again: ${failure instanceof Error ? failure.message : failure}`);
        }
      }
    }
  }
  say(`${left} left`);
  return left;
}

const firstLine = (text: string) => text.split('\n')[0] ?? '';

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
