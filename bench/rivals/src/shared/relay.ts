import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { onConnection, type Statement } from './database.ts';
import type { AccountChanged } from './report-event.ts';

const REST_MS = 50;
const BATCH = 500;

/** A row of the outbox. */
export interface Told {
  readonly id: string;
  readonly type: string;
  readonly subject_id: string;
  readonly payload: unknown;
}

const TAKE: Statement = {
  name: 'take_from_outbox',
  text: `SELECT id, type, subject_id, payload FROM reporting.outbox
     ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};

// One statement plans the webhooks of a batch and takes it out of the outbox.
const DONE: Statement = {
  name: 'done_with_outbox',
  text: `WITH done AS (
     DELETE FROM reporting.outbox WHERE id = ANY ($1::uuid[]) RETURNING payload
   )
   INSERT INTO reporting.deliveries (subscription_id, payload, due_at)
   SELECT s.id, done.payload, now()
   FROM done JOIN reporting.subscriptions s ON s.event_type = done.payload ->> 'event_type'`,
};

/** A change of a subject's accounts, from the outbox. */
export type Change = AccountChanged & { readonly subject_id: string };

/** Hands on what the outbox holds, batch by batch, until it is stopped. */
export function startRelay(
  pool: pg.Pool,
  tell: (changes: readonly Change[]) => Promise<void> = async () => undefined,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const batch = () =>
    onConnection(pool, async (connection) => {
      await connection.query('BEGIN');
      const { rows } = await connection.query<Told>(TAKE);
      if (rows.length > 0) {
        await tell(rows.filter(({ type }) => type === 'account_changed').map(changeOf));
        await connection.query({ ...DONE, values: [rows.map(({ id }) => id)] });
      }
      await connection.query('COMMIT');
      return rows.length;
    });
  const run = async () => {
    while (!stopping.signal.aborted) {
      const count = await batch().catch((error: unknown) => {
        console.error('A batch of the outbox was not handed on.', error);
        return 0;
      });
      // A full batch is followed by another at once.
      if (count < BATCH) {
        await sleep(REST_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const changeOf = ({ subject_id, payload }: Told): Change => ({
  ...(payload as AccountChanged),
  subject_id,
});
