import { type Environment, systemContext } from '../context';
import { type Database, statement, type Transaction } from '../db';
import { applyEvents, type ConsumerDefinition } from './consumer';
import { eventsOfLetter } from './messages';

/** An event that a consumer could not take in. */
export interface DeadLetter {
  readonly consumer: string;
  readonly event_id: string;
  readonly type: string;
  /** The serialised event as it came, or the group of a message that nobody here could read. */
  readonly payload: Buffer;
  readonly error: string;
  readonly deliveries: number;
  readonly created_at: string;
}

export const INSERT_DEAD_LETTER = statement(
  'dead_letter_insert',
  // The same event comes again when the stream is filled anew.
  `INSERT INTO dead_letters (consumer, event_id, type, payload, error, deliveries)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (consumer, event_id) DO UPDATE
     SET error = excluded.error, deliveries = excluded.deliveries`,
);

const LIST = statement<DeadLetter>(
  'dead_letter_list',
  `SELECT consumer, event_id, type, payload, error, deliveries, created_at
     FROM dead_letters
    WHERE ($1 = '' OR consumer = $1) AND (consumer, event_id) > ($2, $3::uuid)
    ORDER BY consumer, event_id
    LIMIT $4`,
);

const TAKE = statement<{ payload: Buffer }>(
  'dead_letter_take',
  // Gone with the effect's commit; a second operator waits here and then finds nothing.
  'DELETE FROM dead_letters WHERE consumer = $1 AND event_id = $2 RETURNING payload',
);

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** A page of dead letters by consumer and event; `after` is the last one of the page before. */
export async function listDeadLetters(
  db: Database,
  options: {
    environment: Environment;
    consumer?: string;
    after?: Pick<DeadLetter, 'consumer' | 'event_id'>;
    limit?: number;
  },
): Promise<DeadLetter[]> {
  const { environment, consumer = '', after, limit = 100 } = options;
  return db
    .read(systemContext(environment))
    .query(LIST, [consumer, after?.consumer ?? '', after?.event_id ?? NIL_UUID, limit]);
}

/** What became of a retried letter. */
export type RetryResult = 'processed' | 'processed_before' | 'not_found';

/**
 * Runs the handler again; on success the letter is gone in the same transaction, on failure it
 * stays and the handler's error is thrown. `consumers` are the service's own.
 */
export async function retryDeadLetter(
  db: Database,
  options: {
    environment: Environment;
    consumer: string;
    event_id: string;
    consumers: readonly ConsumerDefinition[];
  },
  /** Runs with the effect. */
  tell: (tx: Transaction) => void = () => {},
): Promise<RetryResult> {
  const { environment, consumer, event_id } = options;
  const definition = options.consumers.find((candidate) => candidate.durable === consumer);
  if (definition === undefined) throw new Error(`There is no consumer ${consumer} to retry with.`);
  return db.transaction(systemContext(environment), async (tx) => {
    const letter = await tx.maybe(TAKE, [consumer, event_id]);
    if (letter === undefined) return 'not_found';
    const events = eventsOfLetter(letter.payload);
    const fresh = await applyEvents(definition, environment, events, tx);
    tell(tx);
    return fresh.length === 0 ? 'processed_before' : 'processed';
  });
}

/** Forgets a letter for good; false when there is none. `tell` runs with it. */
export async function discardDeadLetter(
  db: Database,
  letter: { environment: Environment; consumer: string; event_id: string },
  tell: (tx: Transaction) => void,
): Promise<boolean> {
  const { environment, consumer, event_id } = letter;
  return db.transaction(systemContext(environment), async (tx) => {
    const found = await tx.maybe(TAKE, [consumer, event_id]);
    if (found !== undefined) tell(tx);
    return found !== undefined;
  });
}
